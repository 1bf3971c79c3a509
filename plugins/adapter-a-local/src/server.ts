import { constants } from "node:fs";
import { access } from "node:fs/promises";
import type {
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  ProcessOutcome,
} from "../../../ports/agent-adapter.ts";
import { ConfigRefusal } from "../../kit/config.ts";
import { commonFailure, describeEnd, lastLine } from "../../kit/outcome.ts";
import { fillPrompt, joinPrompt, promptValues } from "../../kit/prompt.ts";
import { commandLine, extraEnvironment, outerSessionVariables } from "./command-line.ts";
import { agentConfigurationDoc, type ClaudeConfig, defaultCommand, readConfig } from "./configuration.ts";
import { installHint, testEnvironment } from "./environment.ts";
import { classifyFailure, sessionIsUnknown } from "./failures.ts";
import { models } from "./models.ts";
import { usageOfTurns } from "./prices.ts";
import { asSession, sessionCodec } from "./session.ts";
import { type ClaudeStream, newStream, takeLine } from "./stream.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "adapter_a_local",
  models,
  agentConfigurationDoc,
  execute,
  testEnvironment,
  sessionCodec,
});

const execute = async (context: ExecuteContext): Promise<ExecuteResult> => {
  let config: ClaudeConfig;
  try {
    config = readConfig(context.config);
    await requireInstructions(config.instructionsFilePath);
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    return {
      exitCode: null,
      timedOut: false,
      errorMessage: refusal.message,
      errorCode: "configuration_incomplete",
    };
  }

  const startedAt = performance.now();
  const session = await resumable(context);
  const first = await attempt(context, config, session, config.timeoutSec);
  if (session === null || !sessionIsUnknown(first.stream, first.outcome.stderrTail)) {
    return conclude(context, config, first);
  }
  await context.onLog("system", `Session ${session} is unknown to claude; starting a new one.\n`);
  // Both attempts together have the time of one.
  const leftSec = Math.max(1, config.timeoutSec - (performance.now() - startedAt) / 1000);
  return conclude(context, config, await attempt(context, config, null, leftSec));
};

const requireInstructions = async (path: string | undefined): Promise<void> => {
  if (path === undefined) return;
  await access(path, constants.R_OK).catch(() => {
    throw new ConfigRefusal("instructionsFilePath", `names a file that cannot be read: ${path}.`);
  });
};

/** The session to go on with; null for a new one. */
const resumable = async ({ runtime, cwd, onLog }: ExecuteContext): Promise<string | null> => {
  const session = asSession(runtime.sessionParams);
  if (session === null) return null;
  if (session.cwd === cwd) return session.sessionId;
  await onLog(
    "system",
    `Session ${session.sessionId} belongs to ${session.cwd}; starting a new one in ${cwd}.\n`,
  );
  return null;
};

interface Attempt {
  readonly outcome: ProcessOutcome;
  readonly stream: ClaudeStream;
}

const attempt = async (
  context: ExecuteContext,
  config: ClaudeConfig,
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
    stdin: joinPrompt(template, context.prompt),
    timeoutSec,
    graceSec: config.graceSec,
    onStdoutLine: (line) => {
      const known = stream.sessionId;
      const over = takeLine(stream, line);
      if (stream.sessionId !== known) saySession(context, stream.sessionId);
      sayUsage(context, stream);
      return over;
    },
  });
  return { outcome, stream };
};

/** Not waited for: a lost run resumes it, one that ends says it again with its result. */
const saySession = (context: ExecuteContext, sessionId: string | null): void => {
  const session = asSession({ sessionId, cwd: context.cwd });
  if (session !== null) void context.onSession?.({ ...session }, session.sessionId).catch(() => undefined);
};

/** Once per answer of a model: its parts repeat what was said. The result has the last word. */
const sayUsage = (context: ExecuteContext, stream: ClaudeStream): void => {
  if (stream.turns.size === stream.turnsSaid || stream.result !== null) return;
  stream.turnsSaid = stream.turns.size;
  const report = {
    ...usageOfTurns(stream.turns.values()),
    provider: bedrock(context.env) ? "bedrock" : "anthropic",
    billingType: billingType(context.env),
    ...(stream.model === null ? {} : { model: stream.model }),
  };
  // Nothing waits for it: a report that got lost is made good by the next, and by the result.
  context.onUsage?.(report).catch(() => {});
};

const conclude = (
  context: ExecuteContext,
  config: ClaudeConfig,
  { outcome, stream }: Attempt,
): ExecuteResult => {
  const { result } = stream;
  const said: Omit<ExecuteResult, "exitCode" | "timedOut"> = {
    ...sessionOf(context, stream),
    ...(result === null
      ? stream.turns.size === 0
        ? {}
        : usageOfTurns(stream.turns.values())
      : {
          usage: result.usage,
          ...(result.costUsd === null ? {} : { costUsd: result.costUsd }),
          resultJson: { subtype: result.subtype, isError: result.isError, stopReason: result.stopReason },
        }),
    provider: bedrock(context.env) ? "bedrock" : "anthropic",
    billingType: billingType(context.env),
    ...(stream.model === null ? {} : { model: stream.model }),
    ...summaryOf(stream),
  };

  const failure = commonFailure(outcome, config.timeoutSec);
  if (failure !== null) {
    const hint =
      outcome.startError !== undefined && config.command === defaultCommand ? ` ${installHint}` : "";
    return { ...said, ...failure, errorMessage: `${failure.errorMessage}${hint}` };
  }

  const { exitCode, signal } = outcome;
  const end = { exitCode, signal, timedOut: false };
  if (result !== null && !result.isError) {
    // Done; that the program did not leave, or fell over on its way out after it was told to, changes nothing.
    if (outcome.endedAfterResult) return { ...said, exitCode: 0, timedOut: false };
    return exitCode === 0
      ? { ...said, ...end }
      : {
          ...said,
          ...end,
          errorCode: "adapter_failed",
          errorMessage: `claude said its result and then ended with ${describeEnd(outcome)}`,
        };
  }
  if (result !== null || outcome.endedAfterResult || stream.errorWord !== null) {
    const text =
      result?.errors.join("; ") || result?.text || stream.texts.at(-1) || lastLine(outcome.stderrTail);
    const failure = classifyFailure(stream, text, new Date());
    // Out of turns: the session has no room for more.
    const kept = failure.clearSession ? { sessionParams: undefined, sessionDisplayId: undefined } : {};
    return { ...said, ...end, ...kept, ...failure };
  }
  if (exitCode === 0 && stream.texts.length > 0) return { ...said, ...end };
  return exitCode === 0
    ? {
        ...said,
        ...end,
        errorCode: "adapter_failed",
        errorMessage: `"${config.command}" ended without saying a result. Check that it is the claude command line, version 2 or later.`,
      }
    : {
        ...said,
        ...end,
        ...classifyFailure(stream, `claude ended with ${describeEnd(outcome)}`, new Date()),
      };
};

const sessionOf = ({ cwd }: ExecuteContext, { sessionId }: ClaudeStream) => {
  const session = asSession({ sessionId, cwd });
  return session === null ? {} : { sessionParams: { ...session }, sessionDisplayId: session.sessionId };
};

const summaryOf = ({ result, texts }: ClaudeStream) => {
  const summary = result === null || result.isError || result.text === "" ? texts.join("\n\n") : result.text;
  return summary === "" ? {} : { summary };
};

const bedrock = (env: Readonly<Record<string, string>>): boolean =>
  env.CLAUDE_CODE_USE_BEDROCK !== undefined && !["", "0", "false"].includes(env.CLAUDE_CODE_USE_BEDROCK);

const billingType = (env: Readonly<Record<string, string>>): ExecuteResult["billingType"] =>
  env.ANTHROPIC_API_KEY || env.ANTHROPIC_AUTH_TOKEN || bedrock(env) ? "metered_api" : "subscription_included";
