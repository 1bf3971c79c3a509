import type {
  EnvironmentCheck,
  EnvironmentReport,
  ExecuteContext,
  ExecuteResult,
  ProcessOutcome,
  ProcessSpec,
  TestEnvironmentContext,
} from "../../ports/agent-adapter.ts";
import { ConfigRefusal, optionalText, seconds, textList } from "./config.ts";
import { checkCommand, checkCwd, environmentReport, probeSkipped } from "./environment-report.ts";
import { commonFailure } from "./outcome.ts";
import { fillPrompt, joinPrompt, promptValues } from "./prompt.ts";

/** A command line that works on a prompt and leaves by itself. */
export interface CliProgram {
  /** What it is called, and started as where nothing else is configured. */
  readonly command: string;
  readonly installHint: string;
  /** Of codes of checks: `<prefix>_cwd_valid`. */
  readonly prefix: string;
  /** Marks of a session of it around us, which would make the inner one believe that it is part of it. */
  readonly outerSessionVariables: readonly string[];
}

/** What every such adapter can be configured with. */
export interface CliConfig {
  readonly command: string;
  readonly promptTemplate: string | undefined;
  readonly instructionsFilePath: string | undefined;
  readonly extraArgs: readonly string[];
  readonly timeoutSec: number;
  readonly graceSec: number;
}

type Config = Readonly<Record<string, unknown>>;

/** @throws ConfigRefusal */
export const readCliConfig = (program: CliProgram, config: Config): CliConfig => {
  // Made use of by the service; looked at here so that a wrong one is said, not ignored.
  optionalText(config, "cwd");
  textList(config, "desiredSkills");
  return {
    command: commandOf(program, config),
    promptTemplate: optionalText(config, "promptTemplate"),
    instructionsFilePath: optionalText(config, "instructionsFilePath"),
    // `args` is the older name.
    extraArgs: textList(config, config.extraArgs == null ? "args" : "extraArgs"),
    timeoutSec: seconds(config, "timeoutSec", 3600),
    graceSec: seconds(config, "graceSec", 20),
  };
};

/** @throws ConfigRefusal */
export const commandOf = (program: CliProgram, config: Config): string =>
  optionalText(config, "command")?.trim() || program.command;

export interface CliAttempt {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Session it goes on with. */
  readonly session: string | null;
  /** Put before the prompt: what the program has no option for. */
  readonly before?: readonly (string | null)[];
  readonly timeoutSec: number;
  readonly onStdoutLine: NonNullable<ProcessSpec["onStdoutLine"]>;
}

/** Runs the program once on the run's prompt. */
export const attemptCli = async (
  context: ExecuteContext,
  program: CliProgram,
  { command, promptTemplate, graceSec }: CliConfig,
  { args, env, session, before = [], timeoutSec, onStdoutLine }: CliAttempt,
): Promise<ProcessOutcome> => {
  // A resumed session has read the template already.
  const template =
    session === null && promptTemplate !== undefined
      ? fillPrompt(promptTemplate, promptValues(context.variables))
      : null;
  await context.onMeta({
    command,
    args,
    cwd: context.cwd,
    notes: [session === null ? "new session" : `resumes session ${session}`],
  });
  return context.runProcess({
    command,
    args,
    ...(env === undefined ? {} : { env }),
    unsetEnv: program.outerSessionVariables,
    stdin: joinPrompt(...before, template, context.prompt),
    timeoutSec,
    graceSec,
    onStdoutLine,
  });
};

/** Failures that are the same for every program; one that could not be started says how to install it. */
export const cliFailure = (
  program: CliProgram,
  { command, timeoutSec }: CliConfig,
  outcome: ProcessOutcome,
): ExecuteResult | null => {
  const failure = commonFailure(outcome, timeoutSec);
  return failure === null || outcome.startError === undefined || command !== program.command
    ? failure
    : { ...failure, errorMessage: `${failure.errorMessage} ${program.installHint}` };
};

export interface CliEnvironment<C extends CliConfig> {
  /** @throws ConfigRefusal */
  readonly readConfig: (config: Config) => C;
  /** What can be said without starting the program. */
  readonly checks: (config: C) => Promise<readonly EnvironmentCheck[]> | readonly EnvironmentCheck[];
  /** What it says when it is started. */
  readonly probe: (config: C) => Promise<readonly EnvironmentCheck[]>;
  /** Ends of the codes of keys whose refusal has one of its own. */
  readonly refusals?: Readonly<Record<string, string>>;
}

export const testCli = async <C extends CliConfig>(
  context: TestEnvironmentContext,
  program: CliProgram,
  { readConfig, checks: checksOf, probe, refusals = {} }: CliEnvironment<C>,
): Promise<EnvironmentReport> => {
  const { prefix, installHint } = program;
  const checks: EnvironmentCheck[] = [await checkCwd(prefix, context.cwd)];
  const report = () => environmentReport(context.adapterType, checks);
  let config: C;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    const suffix = refusals[refusal.key] ?? "config_invalid";
    checks.push({ level: "error", code: `${prefix}_${suffix}`, message: refusal.message });
    return report();
  }
  checks.push(...(await checksOf(config)));
  checks.push(await checkCommand(prefix, config.command, context.env, context.cwd, installHint));
  const skipped = probeSkipped(prefix, checks, config.command !== program.command);
  checks.push(...(skipped === null ? await probe(config) : [skipped]));
  return report();
};

/** What of a program's start is its own when it is asked to say hello. */
export type Hello = Pick<ProcessSpec, "args" | "env" | "onStdoutLine"> & { readonly timeoutSec: number };

export const askForHello = (
  context: TestEnvironmentContext,
  program: CliProgram,
  { command }: CliConfig,
  hello: Hello,
): Promise<ProcessOutcome> =>
  context.runProcess({
    ...hello,
    command,
    unsetEnv: program.outerSessionVariables,
    stdin: "Respond with the single word hello.",
    graceSec: 2,
  });
