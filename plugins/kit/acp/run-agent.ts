import type { ProcessOutcome, ProcessSpec } from "../../../ports/agent-adapter.ts";
import type { AcpConfig } from "./config.ts";
import { converse, type Speaker } from "./conversation.ts";
import type { Around, Conversation } from "./conversation-state.ts";

export interface AgentRun {
  readonly outcome: ProcessOutcome;
  /** null: the program did not start. */
  readonly conversation: Conversation | null;
}

type RunProcess = (spec: ProcessSpec) => Promise<ProcessOutcome>;
type Limits = Pick<ProcessSpec, "timeoutSec" | "graceSec" | "silenceSec" | "files">;

/** Starts the agent's program, converses with it, and ends it. */
export const runAgent = async (runProcess: RunProcess, around: Around, limits: Limits): Promise<AgentRun> => {
  const { outcome, speaker } = await speakWith(runProcess, around, limits, (write) =>
    converse(write, around),
  );
  return { outcome, conversation: speaker?.conversation ?? null };
};

/** Starts the agent's program with what speaks to it, and ends it when that is over; `speaker` is null where it did not start. */
export const speakWith = async <T extends Speaker>(
  runProcess: RunProcess,
  { config, env }: Pick<Around, "config" | "env">,
  limits: Limits,
  begin: (write: (line: string) => void) => T,
): Promise<{ readonly outcome: ProcessOutcome; readonly speaker: T | null }> => {
  let started: T | null = null;
  // The end of the conversation is one for all lines.
  let isAsked = false;
  const outcome = await runProcess({
    command: config.command,
    args: config.args,
    env: extraEnvironment(config, env),
    unsetEnv: config.preset.unsetEnv,
    ...limits,
    onInput: (input) => {
      started = begin(input.write);
      void started.over.then(input.end);
    },
    onStdoutLine: (line) => {
      started?.receive(line);
      if (isAsked) return undefined;
      isAsked = true;
      return started?.over;
    },
  });
  const speaker = started as T | null;
  speaker?.close();
  await speaker?.over;
  return { outcome, speaker };
};

/** The preset's variables, except those that the agent's own env sets, and those that add to them. */
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
  return {
    ...Object.fromEntries(Object.entries(all).filter(([name]) => env[name] === undefined)),
    ...preset.addedEnv?.(env),
  };
};
