import type { ExecuteContext, ExecuteResult } from "../../ports/agent-adapter.ts";
import type { CliConfig, CliProgram } from "./cli-program.ts";
import { resumable } from "./cli-session.ts";
import { readInstructions } from "./instructions.ts";
import { configurationRefused } from "./outcome.ts";

/** The start of an attempt at a run. */
export interface CliStart<C extends CliConfig> {
  readonly config: C;
  /** The agent's instructions, with those of its file. */
  readonly instructions: string | null;
  /** The session to resume. */
  readonly session: string | null;
  readonly timeoutSec: number;
}

/** The parts of `execute` that differ from one command-line program to the next. `A` is an attempt: its outcome and what it wrote. */
export interface CliExecution<C extends CliConfig, A> {
  readonly program: CliProgram;
  /** @throws ConfigRefusal */
  readonly readConfig: (config: Readonly<Record<string, unknown>>) => C;
  readonly attempt: (context: ExecuteContext, start: CliStart<C>) => Promise<A>;
  readonly sessionIsUnknown: (attempt: A) => boolean;
  readonly conclude: (context: ExecuteContext, config: C, attempt: A) => ExecuteResult;
}

export const executeCli = async <C extends CliConfig, A>(
  context: ExecuteContext,
  cli: CliExecution<C, A>,
): Promise<ExecuteResult> => {
  let config: C;
  let instructions: string | null;
  try {
    config = cli.readConfig(context.config);
    instructions = await readInstructions(config, context.readText);
  } catch (refusal) {
    return configurationRefused(refusal);
  }
  const done = await resumeOrStartAnew(context, cli, { config, instructions });
  return cli.conclude(context, config, done);
};

/**
 * Runs one or two attempts: where the program does not know the session to resume, starts a new one in the same run.
 * Both attempts share one time limit.
 */
const resumeOrStartAnew = async <C extends CliConfig, A>(
  context: ExecuteContext,
  { program, attempt, sessionIsUnknown }: CliExecution<C, A>,
  run: Pick<CliStart<C>, "config" | "instructions">,
): Promise<A> => {
  const { timeoutSec } = run.config;
  const startedAt = performance.now();
  const session = await resumable(context);
  const first = await attempt(context, { ...run, session, timeoutSec });
  if (session === null || !sessionIsUnknown(first)) return first;
  await context.onLog("system", `Session ${session} is unknown to ${program.command}; starting a new one.\n`);
  const leftSec = timeoutSec - (performance.now() - startedAt) / 1000;
  return attempt(context, { ...run, session: null, timeoutSec: Math.max(1, leftSec) });
};
