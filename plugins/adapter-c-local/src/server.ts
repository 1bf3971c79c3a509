import type {
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  ProcessOutcome,
} from "../../../ports/agent-adapter.ts";
import { type CliStart, executeCli } from "../../kit/cli-execution.ts";
import { attemptCli, cliFailure } from "../../kit/cli-program.ts";
import { saySession, sessionCodec, sessionOf } from "../../kit/cli-session.ts";
import { unfinishedFailure } from "../../kit/failure.ts";
import { finalLine } from "../../kit/final-line.ts";
import { rulesFile } from "../../kit/house-rules.ts";
import { againText } from "../../kit/messages.ts";
import { configVariable } from "../../kit/opencode-variable.ts";
import { describeEnd, lastStatement } from "../../kit/outcome.ts";
import { serviceTools } from "../../kit/service-tools.ts";
import { skillFiles } from "../../kit/skills.ts";
import { commandLine, extraEnvironment } from "./command-line.ts";
import {
  agentConfigurationDoc,
  configSchema,
  type OpencodeConfig,
  program,
  readConfig,
} from "./configuration.ts";
import { converse } from "./converse.ts";
import { detectModel } from "./detect-model.ts";
import { testEnvironment } from "./environment.ts";
import { classifyFailure, sessionIsUnknown } from "./failures.ts";
import { listModels, models } from "./models.ts";
import { skills } from "./skills.ts";
import { newStream, type OpencodeStream, takeLine } from "./stream.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "adapter_c_local",
  models,
  agentConfigurationDoc,
  configSchema,
  execute: (context) => {
    const asking = askingConfig(context.config);
    if (asking !== null) return converse(context, asking);
    return executeCli(context, {
      program,
      readConfig,
      attempt,
      sessionIsUnknown: ({ stream, outcome }) =>
        stream.steps === 0 && sessionIsUnknown(`${stream.error?.message ?? ""}\n${outcome.stderrTail}`),
      conclude,
    });
  },
  testEnvironment,
  listModels,
  sessionCodec,
  ...skills,
  detectModel,
});

/** The configuration of a run that has to ask; null for any other, and for an invalid one. */
const askingConfig = (config: ExecuteContext["config"]): OpencodeConfig | null => {
  try {
    const read = readConfig(config);
    return read.policy === "allow" ? null : read;
  } catch {
    return null;
  }
};

interface Attempt {
  readonly outcome: ProcessOutcome;
  readonly stream: OpencodeStream;
}

const attempt = async (
  context: ExecuteContext,
  { config, instructions, session, timeoutSec }: CliStart<OpencodeConfig>,
): Promise<Attempt> => {
  const stream = newStream();
  const isFinal = finalLine();
  const laidOut = skillFiles(context.skills);
  const rules = rulesFile(context, "AGENTS.md");
  const tools = serviceTools(context.env);
  const outcome = await attemptCli(context, program, config, {
    args: commandLine(config, session),
    env: {
      ...extraEnvironment(config, context.env),
      ...configVariable(
        { skills: laidOut?.folder ?? null, rules: rules?.path ?? null },
        tools,
        context.env,
        context.mcpServers,
      ),
    },
    files: [...(laidOut?.files ?? []), ...(rules === null ? [] : [rules])],
    session,
    tools: tools !== null,
    before: [instructions],
    after: (context.messagesAgain ?? []).map(againText),
    timeoutSec,
    onStdoutLine: (line) => {
      const known = stream.sessionId;
      const progress = takeLine(stream, line);
      if (stream.sessionId !== known) saySession(context, stream.sessionId);
      sayUsage(context, config, stream);
      return isFinal(progress);
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

/** Does not wait: the next report and the result replace a lost one. */
const sayUsage = (context: ExecuteContext, config: OpencodeConfig, stream: OpencodeStream): void => {
  if (stream.steps === stream.stepsReported) return;
  stream.stepsReported = stream.steps;
  context.onUsage?.(spent(config, stream)).catch(() => {});
};

const conclude = (
  context: ExecuteContext,
  config: OpencodeConfig,
  { outcome, stream }: Attempt,
): ExecuteResult => {
  const reported: Omit<ExecuteResult, "exitCode" | "timedOut"> = {
    ...sessionOf(context, stream.sessionId),
    ...spent(config, stream),
    ...(stream.texts.length === 0 ? {} : { summary: stream.texts.join("\n\n") }),
  };
  const failure = cliFailure(program, config, outcome);
  if (failure !== null) return { ...reported, ...failure };
  const { exitCode, signal } = outcome;
  const end = { exitCode, signal, timedOut: false };
  if (stream.error !== null) return { ...reported, ...end, ...classifyFailure(stream.error, new Date()) };
  // The turn is over: how the program ends after it changes nothing.
  if (stream.isDone) return { ...reported, exitCode: 0, timedOut: false };
  if (exitCode !== 0) {
    const now = new Date();
    const failure = classifyFailure({ message: describeEnd(outcome, "opencode") }, now);
    return { ...reported, ...end, ...unfinishedFailure(failure, lastStatement(outcome.stderrTail), now) };
  }
  return stream.steps > 0
    ? { ...reported, ...end }
    : {
        ...reported,
        ...end,
        errorCode: "adapter_failed",
        errorMessage: `"${config.command}" ended without finishing a step. Check that it is the opencode command line.`,
      };
};
