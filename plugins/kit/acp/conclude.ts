import type { ExecuteResult } from "../../../ports/agent-adapter.ts";
import { cliFailure } from "../cli-program.ts";
import { type Failure, refusedByModel, unfinishedFailure } from "../failure.ts";
import { describeEnd, lastStatement } from "../outcome.ts";
import type { AcpConfig } from "./config.ts";
import { type Conversation, isEmpty, spentOf } from "./conversation-state.ts";
import { agentErrorOf, classifyFailure, Unfit } from "./failures.ts";
import { RpcError } from "./rpc-client.ts";
import type { AgentRun } from "./run-agent.ts";
import { totalUsage, usageOf } from "./turn.ts";

export const conclude = (
  config: AcpConfig,
  { outcome, conversation }: AgentRun,
  now: Date,
): ExecuteResult => {
  const { preset } = config;
  const program = {
    command: preset.command,
    prefix: "acp",
    installHint: preset.installHint,
    outerSessionVariables: [],
  };
  const report = conversation === null ? {} : reported(config, conversation);
  const answer = conversation?.answer ?? null;
  if (conversation !== null && answer !== null && !outcome.timedOut && !outcome.stopped) {
    const failure = failureOf(config, conversation, answer, now);
    // The turn is complete; how the program ended after it changes nothing.
    return {
      ...report,
      ...(failure ?? {}),
      exitCode: failure === null ? 0 : outcome.exitCode,
      timedOut: false,
    };
  }
  const common = cliFailure(program, { ...config, extraArgs: [] }, outcome);
  if (common !== null) return { ...report, ...common };
  const { exitCode, signal } = outcome;
  return {
    ...report,
    exitCode,
    signal,
    timedOut: false,
    ...unfinished(config, { outcome, conversation }, now),
  };
};

/** Returns why a program ended before it answered. An error that it answers is its last word. */
const unfinished = (config: AcpConfig, { outcome, conversation }: AgentRun, now: Date): Failure => {
  const end = describeEnd(outcome, config.command);
  const failure = errorOf(config, conversation, end, now);
  return conversation?.error instanceof RpcError
    ? failure
    : unfinishedFailure(failure, lastStatement(outcome.stderrTail), now);
};

/** Returns the session, usage and words of a run for its result. */
const reported = (
  { preset }: AcpConfig,
  conversation: Conversation,
): Omit<ExecuteResult, "exitCode" | "timedOut"> => {
  const { turn, session } = conversation;
  const usage = totalUsage(conversation, preset);
  const costUsd = spentOf(conversation);
  const summary = turn.texts.at(-1);
  return {
    ...(session === null ? {} : { sessionParams: { ...session }, sessionDisplayId: session.sessionId }),
    ...(usage === null ? {} : { usage }),
    ...(costUsd === null ? {} : { costUsd }),
    ...(summary === undefined ? {} : { summary }),
    billingType: "unknown",
  };
};

/** Returns why an answered turn failed, also where it looks like a success; null where it did not. */
export const failureOf = (
  { command, preset, policy }: AcpConfig,
  { turn, hasRefused }: Conversation,
  answer: Readonly<Record<string, unknown>>,
  now: Date,
): Failure | null => {
  const { stopReason } = answer;
  const lastText = turn.texts.at(-1) ?? "";
  const { signInHint } = preset;
  const usage = usageOf(turn, answer, preset);
  switch (stopReason) {
    case "cancelled":
      return hasRefused
        ? {
            errorCode: "permission_denied",
            errorMessage: `${command} ended its turn after a tool was refused (permissions: ${policy}).`,
          }
        : { errorCode: "cancelled", errorMessage: `${command} cancelled its turn.` };
    case "refusal":
      return refusedByModel(lastText.slice(0, 1000) || "The model refused to answer.");
    case "max_turn_requests":
      return {
        errorCode: "max_turns_exhausted",
        errorMessage: `${command} reached its limit of requests to the model in one turn.`,
      };
    case "max_tokens":
      return { errorCode: "adapter_failed", errorMessage: "The model reached its limit of tokens." };
  }
  // Its words about retries come before, in the same message.
  const saysError = preset.saysErrorsAsText === true && usage === null && /^Error: /.test(turn.lastPiece);
  if (turn.hasFailed || saysError)
    return classifyFailure(
      { program: command, message: saysError ? turn.lastPiece : lastText, signInHint },
      now,
    );
  return isEmpty(turn) && (usage === null || usage.outputTokens === 0)
    ? {
        errorCode: "adapter_failed",
        errorMessage: `${command} ended its turn without a word: no text, no use of a tool, no tokens.`,
      }
    : null;
};

/** Returns why a conversation ended without an answer. */
export const errorOf = (
  { command, preset: { signInHint } }: AcpConfig,
  conversation: Conversation | null,
  end: string,
  now: Date,
): Failure => {
  const { error = null, authMethods = [] } = conversation ?? {};
  if (error instanceof Unfit)
    return { errorCode: "adapter_failed", errorMessage: `${command} cannot be used: ${error.message}` };
  if (!(error instanceof RpcError))
    return classifyFailure({ program: command, message: end, signInHint }, now);
  const ways = authMethods.length === 0 ? "" : ` It offers: ${authMethods.join(", ")}.`;
  return classifyFailure(
    { program: command, ...agentErrorOf(error), signInHint: `${signInHint}${ways}` },
    now,
  );
};
