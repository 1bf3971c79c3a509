import type {
  EnvironmentCheck,
  EnvironmentReport,
  ExecuteContext,
  ExecuteResult,
  ProcessOutcome,
  ProcessSpec,
  ProgramFile,
  ProgramInput,
  TestEnvironmentContext,
} from "../../ports/agent-adapter.ts";
import { ConfigRefusal, optionalText, seconds, textList } from "./config.ts";
import { checkCommand, checkCwd, environmentReport, probeSkipped } from "./environment-report.ts";
import { inspect, type Seen, type Wanted } from "./inspect.ts";
import type { Instructions } from "./instructions.ts";
import { commonFailure } from "./outcome.ts";
import { fillPrompt, joinPrompt, promptValues } from "./prompt.ts";

/** A command-line program that works on a prompt and exits by itself. */
export interface CliProgram {
  /** Its name, and its default command. */
  readonly command: string;
  readonly installHint: string;
  /** Prefix of the codes of checks: `<prefix>_cwd_valid`. */
  readonly prefix: string;
  /** Variables of an enclosing session of the same program, which would make the inner one join it. */
  readonly outerSessionVariables: readonly string[];
}

/** The configuration that all such adapters share. */
export interface CliConfig extends Instructions {
  readonly command: string;
  readonly promptTemplate: string | undefined;
  readonly extraArgs: readonly string[];
  readonly timeoutSec: number;
  readonly graceSec: number;
}

type Config = Readonly<Record<string, unknown>>;

/** @throws ConfigRefusal */
export const readCliConfig = (program: CliProgram, config: Config): CliConfig => {
  // Used by the service; read here to report an invalid value.
  optionalText(config, "cwd");
  textList(config, "desiredSkills");
  return {
    command: commandOf(program, config),
    promptTemplate: optionalText(config, "promptTemplate"),
    instructions: optionalText(config, "instructions"),
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
  readonly files?: readonly ProgramFile[];
  /** The session to resume. */
  readonly session: string | null;
  /** Text before the prompt, for settings that the program has no option for. */
  readonly before?: readonly (string | null)[];
  /** Text after the prompt. */
  readonly after?: readonly string[];
  /** The configuration names the service's tools. */
  readonly tools: boolean;
  readonly timeoutSec: number;
  /** Takes an open input, and the prompt for it, in place of an input that is the prompt. */
  readonly converse?: ((input: ProgramInput, prompt: string) => void) | undefined;
  readonly onStdoutLine: NonNullable<ProcessSpec["onStdoutLine"]>;
}

/** Runs the program once on the run's prompt. */
export const attemptCli = async (
  context: ExecuteContext,
  program: CliProgram,
  { command, promptTemplate, graceSec }: CliConfig,
  {
    args,
    env,
    files,
    session,
    before = [],
    after = [],
    tools,
    timeoutSec,
    converse,
    onStdoutLine,
  }: CliAttempt,
): Promise<ProcessOutcome> => {
  // A resumed session has the template already.
  const template =
    session === null && promptTemplate !== undefined
      ? fillPrompt(promptTemplate, promptValues(context.variables))
      : null;
  await context.onMeta({
    command,
    args,
    cwd: context.cwd,
    notes: [session === null ? "new session" : `resumes session ${session}`],
    tools,
  });
  const prompt = joinPrompt(...before, template, context.prompt, ...after);
  return context.runProcess({
    command,
    args,
    ...(env === undefined ? {} : { env }),
    ...(files === undefined ? {} : { files }),
    unsetEnv: program.outerSessionVariables,
    ...(converse === undefined ? { stdin: prompt } : { onInput: (input) => converse(input, prompt) }),
    timeoutSec,
    graceSec,
    onStdoutLine,
  });
};

/** As runners say that there is no such program, and not that its machine, image or container is missing. */
const isMissing = (startError = ""): boolean => /^The command .* was not found/.test(startError);

/** Failures common to all programs; one of a missing program says how to install it. */
export const cliFailure = (
  program: CliProgram,
  { command, timeoutSec }: CliConfig,
  outcome: ProcessOutcome,
): ExecuteResult | null => {
  const failure = commonFailure(outcome, timeoutSec);
  return failure === null || !isMissing(outcome.startError) || command !== program.command
    ? failure
    : { ...failure, errorMessage: `${failure.errorMessage} ${program.installHint}` };
};

export interface CliEnvironment<C extends CliConfig> {
  /** @throws ConfigRefusal */
  readonly readConfig: (config: Config) => C;
  /** The files that the checks look for in addition to the command. */
  readonly wanted?: Wanted;
  /** Checks that need no start of the program. */
  readonly checks: (config: C, seen: Seen) => readonly EnvironmentCheck[];
  /** Checks that start the program. */
  readonly probe: (config: C) => Promise<readonly EnvironmentCheck[]>;
  /** Suffixes of codes for keys whose refusal has a code of its own. */
  readonly refusals?: Readonly<Record<string, string>>;
}

export const testCli = async <C extends CliConfig>(
  context: TestEnvironmentContext,
  program: CliProgram,
  { readConfig, wanted = {}, checks: checksOf, probe, refusals = {} }: CliEnvironment<C>,
): Promise<EnvironmentReport> => {
  const { prefix, installHint } = program;
  const checks: EnvironmentCheck[] = [];
  const report = () => environmentReport(context.adapterType, checks);
  let config: C;
  try {
    config = readConfig(context.config);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    const suffix = refusals[refusal.key] ?? "config_invalid";
    checks.push(checkCwd(prefix, context.cwd, await inspect(context, {})), {
      level: "error",
      code: `${prefix}_${suffix}`,
      message: refusal.message,
    });
    return report();
  }
  const seen = await inspect(context, { ...wanted, command: config.command });
  checks.push(checkCwd(prefix, context.cwd, seen));
  if (seen.problem !== null) return report();
  if (context.remote === true)
    checks.push({
      level: "info",
      code: `${prefix}_home_empty`,
      message:
        "This test had an empty home: what the agent's own volume holds, such as a sign-in, was not there.",
    });
  checks.push(...checksOf(config, seen), checkCommand(prefix, config.command, seen, installHint));
  const skipped = probeSkipped(prefix, checks, config.command !== program.command);
  checks.push(...(skipped === null ? await probe(config) : [skipped]));
  return report();
};

/** The program-specific part of the hello probe. */
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
