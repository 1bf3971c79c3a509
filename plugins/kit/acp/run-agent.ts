import type { ProcessOutcome, ProcessSpec } from "../../../ports/agent-adapter.ts";
import type { AcpConfig } from "./config.ts";
import { type Around, type Conversation, converse } from "./conversation.ts";

export interface AgentRun {
  readonly outcome: ProcessOutcome;
  /** null: the program did not start. */
  readonly conversation: Conversation | null;
}

/** Starts the agent's program, converses with it, and ends it. */
export const runAgent = async (
  runProcess: (spec: ProcessSpec) => Promise<ProcessOutcome>,
  around: Around,
  limits: Pick<ProcessSpec, "timeoutSec" | "graceSec" | "silenceSec" | "files">,
): Promise<AgentRun> => {
  const { config } = around;
  let speaker: ReturnType<typeof converse> | null = null;
  // The end of the conversation is one for all lines.
  let isAsked = false;
  const outcome = await runProcess({
    command: config.command,
    args: config.args,
    env: extraEnvironment(config, around.env),
    unsetEnv: config.preset.unsetEnv,
    ...limits,
    onInput: (input) => {
      speaker = converse(input.write, around);
      void speaker.over.then(input.end);
    },
    onStdoutLine: (line) => {
      speaker?.hear(line);
      if (isAsked) return undefined;
      isAsked = true;
      return speaker?.over;
    },
  });
  const spoke = speaker as ReturnType<typeof converse> | null;
  spoke?.close();
  await spoke?.over;
  return { outcome, conversation: spoke?.conversation ?? null };
};

/** The preset's variables, except those that the agent's own env sets. */
const extraEnvironment = (
  { agent, preset, policy }: AcpConfig,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const isRoot = process.getuid?.() === 0;
  const all = {
    ...preset.env(policy),
    // It refuses to bypass its questions as root, unless a variable says that it is confined.
    ...(agent === "claude" && policy === "allow" && isRoot ? { IS_SANDBOX: "1" } : {}),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => env[name] === undefined));
};
