import type {
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  ProcessOutcome,
} from "../../../ports/agent-adapter.ts";
import { saySession, sessionCodec, sessionOf, withHealing } from "../../kit/cli-session.ts";
import { readInstructions } from "../../kit/instructions.ts";
import { commonFailure, configurationRefused, describeEnd } from "../../kit/outcome.ts";
import { fillPrompt, joinPrompt, promptValues } from "../../kit/prompt.ts";
import { commandLine, extraEnvironment, outerSessionVariables } from "./command-line.ts";
import { agentConfigurationDoc, defaultCommand, type OpencodeConfig, readConfig } from "./configuration.ts";
import { installHint, testEnvironment } from "./environment.ts";
import { classifyFailure, sessionIsUnknown } from "./failures.ts";
import { listModels, models } from "./models.ts";
import { newStream, type OpencodeStream, takeLine } from "./stream.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "adapter_c_local",
  models,
  agentConfigurationDoc,
  execute,
  testEnvironment,
  listModels,
  sessionCodec,
});

const execute = async (context: ExecuteContext): Promise<ExecuteResult> => {
  let config: OpencodeConfig;
  let instructions: string | null;
  try {
    config = readConfig(context.config);
    instructions = await readInstructions(config.instructionsFilePath);
  } catch (refusal) {
    return configurationRefused(refusal);
  }
  const done = await withHealing(
    context,
    "opencode",
    config.timeoutSec,
    (session, timeoutSec) => attempt(context, config, instructions, session, timeoutSec),
    ({ stream, outcome }) =>
      stream.steps === 0 && sessionIsUnknown(`${stream.error?.message ?? ""}\n${outcome.stderrTail}`),
  );
  return conclude(context, config, done);
};

interface Attempt {
  readonly outcome: ProcessOutcome;
  readonly stream: OpencodeStream;
}

const attempt = async (
  context: ExecuteContext,
  config: OpencodeConfig,
  instructions: string | null,
  session: string | null,
  timeoutSec: number,
): Promise<Attempt> => {
  const args = commandLine(config, session);
  // A resumed session has read the template already.
  const template =
    session === null && config.promptTemplate !== undefined
      ? fillPrompt(config.promptTemplate, promptValues(context.variables))
      : null;
  const stream = newStream();
  await context.onMeta({
    command: config.command,
    args,
    cwd: context.cwd,
    notes: [session === null ? "new session" : `resumes session ${session}`],
  });
  const outcome = await context.runProcess({
    command: config.command,
    args,
    env: extraEnvironment(config, context.env),
    unsetEnv: outerSessionVariables,
    stdin: joinPrompt(instructions, template, context.prompt),
    timeoutSec,
    graceSec: config.graceSec,
    onStdoutLine: (line) => {
      const known = stream.sessionId;
      takeLine(stream, line);
      if (stream.sessionId !== known) saySession(context, stream.sessionId);
      sayUsage(context, config, stream);
      return false;
    },
  });
  return { outcome, stream };
};

const spent = (config: OpencodeConfig, { usage, costUsd }: OpencodeStream) => ({
  usage,
  ...(costUsd === null ? {} : { costUsd }),
  provider: config.model.split("/", 1)[0] ?? "",
  model: config.model,
  billingType: "unknown" as const,
});

/** Nothing waits for it: a report that got lost is made good by the next, and by the result. */
const sayUsage = (context: ExecuteContext, config: OpencodeConfig, stream: OpencodeStream): void => {
  if (stream.steps === stream.stepsSaid) return;
  stream.stepsSaid = stream.steps;
  context.onUsage?.(spent(config, stream)).catch(() => {});
};

const conclude = (
  context: ExecuteContext,
  config: OpencodeConfig,
  { outcome, stream }: Attempt,
): ExecuteResult => {
  const said: Omit<ExecuteResult, "exitCode" | "timedOut"> = {
    ...sessionOf(context, stream.sessionId),
    ...spent(config, stream),
    ...(stream.texts.length === 0 ? {} : { summary: stream.texts.join("\n\n") }),
  };
  const failure = commonFailure(outcome, config.timeoutSec);
  if (failure !== null) {
    const hint =
      outcome.startError !== undefined && config.command === defaultCommand ? ` ${installHint}` : "";
    return { ...said, ...failure, errorMessage: `${failure.errorMessage}${hint}` };
  }
  const { exitCode, signal } = outcome;
  const end = { exitCode, signal, timedOut: false };
  if (stream.error !== null) return { ...said, ...end, ...classifyFailure(stream.error, new Date()) };
  if (exitCode !== 0)
    return {
      ...said,
      ...end,
      ...classifyFailure({ message: `opencode ended with ${describeEnd(outcome)}` }, new Date()),
    };
  return stream.steps > 0
    ? { ...said, ...end }
    : {
        ...said,
        ...end,
        errorCode: "adapter_failed",
        errorMessage: `"${config.command}" ended without finishing a step. Check that it is the opencode command line.`,
      };
};
