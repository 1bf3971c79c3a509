import { join } from "node:path";
import type { ExecuteContext, MessageAgain } from "../../../ports/agent-adapter.ts";
import { claudeHome } from "./claude-home.ts";

/**
 * Returns those of the messages that the session does not have. The program keeps the ids of all that it took in, but only ignores
 * a second message whose first one began a turn; of those in a prompt it has the text, as JSON (2.1.197).
 */
export const missingIn = async (
  { messagesAgain = [], env, runProcess }: Pick<ExecuteContext, "messagesAgain" | "env" | "runProcess">,
  session: string | null,
): Promise<readonly MessageAgain[]> => {
  if (session === null) return messagesAgain;
  const missing: MessageAgain[] = [];
  for (const message of messagesAgain) {
    const { exitCode } = await runProcess({
      command: "grep",
      args: ["-rqF", `--include=${session}.jsonl`, "-f", "-", "--", join(claudeHome(env), "projects")],
      stdin: `${message.id}\n${JSON.stringify(message.text).slice(1, -1)}\n`,
      timeoutSec: 60,
      graceSec: 2,
    });
    if (exitCode !== 0) missing.push(message);
  }
  return missing;
};
