import type { AgentAdapter, ExecuteContext, Word } from "../../ports/agent-adapter.ts";
import type { Check } from "./conformance-answers.ts";

/** As long as the service waits for the end of an interrupted turn. */
const longestMs = 15_000;

/** Checks an adapter whose program takes words of people while it works; one that takes none keeps all rules. */
export const checkMessages = async (
  check: Check,
  adapter: AgentAdapter,
  context: () => ExecuteContext,
): Promise<void> => {
  await check("a message is reported by its id, as queued before taken, and each once", () =>
    heartbeatWith(adapter, context(), { kind: "message", id: messageId, text: "Use the blue yarn." }),
  );
  await check("an interrupted heartbeat ends within 15 seconds", () =>
    heartbeatWith(adapter, context(), { kind: "interrupt" }),
  );
};

const messageId = "8d0c2c52-6a6e-4d4b-9a55-0f6e2f1f7a10";

/** Gives the word to the first call that takes it; returns the first problem. */
const heartbeatWith = async (
  adapter: AgentAdapter,
  context: ExecuteContext,
  message: Word,
): Promise<string | null> => {
  const problems: string[] = [];
  const reported: string[] = [];
  let isGiven = false;
  let isWaiting = false;
  let over = () => {};
  const end = new Promise<null>((resolve) => {
    over = () => resolve(null);
  });
  const nextWord = async ({ interrupt }: { readonly interrupt: boolean }): Promise<Word | null> => {
    if (isWaiting) {
      problems.push("it calls nextWord while one waits");
      throw new Error("nextWord waits already.");
    }
    if (!isGiven) {
      if (message.kind === "interrupt" && !interrupt) return null;
      isGiven = true;
      return message;
    }
    isWaiting = true;
    return end;
  };
  const onTaken = async (id: string, how: "queued" | "taken") => {
    if (!isGiven || id !== messageId) problems.push(`it reports ${id}, which no message has`);
    if (reported.includes(how) || reported.includes("taken"))
      problems.push(`it reports ${[...reported, how].join(", then ")}`);
    reported.push(how);
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      if (isGiven && message.kind === "interrupt") problems.push("it went on");
      resolve();
    }, longestMs);
  });
  await Promise.race([adapter.execute({ ...context, nextWord, onTaken }), late]);
  clearTimeout(timer);
  over();
  return problems[0] ?? null;
};
