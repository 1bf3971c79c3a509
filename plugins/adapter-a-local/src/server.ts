import { join } from "node:path";
import { failureReason } from "../../../core/model/runs/failure-reason.ts";
import type {
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  MessageAgain,
  ProcessOutcome,
} from "../../../ports/agent-adapter.ts";
import { type CliStart, executeCli } from "../../kit/cli-execution.ts";
import { attemptCli, cliFailure } from "../../kit/cli-program.ts";
import { saySession, sessionCodec, sessionOf } from "../../kit/cli-session.ts";
import { unfinishedFailure } from "../../kit/failure.ts";
import { finalLine } from "../../kit/final-line.ts";
import { rulesFile } from "../../kit/house-rules.ts";
import { type Messages, personMessages } from "../../kit/messages.ts";
import { describeEnd, lastStatement } from "../../kit/outcome.ts";
import { serviceTools } from "../../kit/service-tools.ts";
import { skillFiles } from "../../kit/skills.ts";
import { claudeHome } from "./claude-home.ts";
import { commandLine, extraEnvironment, isBedrock, readsAddedRules } from "./command-line.ts";
import {
  agentConfigurationDoc,
  type ClaudeConfig,
  configSchema,
  program,
  readConfig,
} from "./configuration.ts";
import { type Control, control } from "./control.ts";
import { detectModel } from "./detect-model.ts";
import { testEnvironment } from "./environment.ts";
import { classifyFailure, sessionIsUnknown } from "./failures.ts";
import { models } from "./models.ts";
import { skills as skillsOfUser } from "./skills.ts";
import { type ClaudeStream, isSignInRefused, newStream, takeLine, usageSoFar } from "./stream.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "adapter_a_local",
  models,
  agentConfigurationDoc,
  configSchema,
  execute: (context) => {
    const messages = personMessages(context);
    return executeCli(context, {
      program,
      readConfig,
      attempt: (again, start) => attempt(again, start, messages),
      sessionIsUnknown: ({ stream, outcome }) => sessionIsUnknown(stream, outcome.stderrTail),
      conclude,
    });
  },
  testEnvironment,
  sessionCodec,
  ...skillsOfUser,
  detectModel,
});

interface Attempt {
  readonly outcome: ProcessOutcome;
  readonly stream: ClaudeStream;
}

const attempt = async (
  context: ExecuteContext,
  { config, instructions, session, timeoutSec }: CliStart<ClaudeConfig>,
  messages: Messages | null,
): Promise<Attempt> => {
  // A program with an open input ends with the service.
  const converses = config.policy === "ask" || (messages !== null && context.mayOutlive !== true);
  const stream = newStream();
  const isFinal = finalLine();
  const again = await missingIn(context, session);
  let controlled: Control | null = null;
  const skills = skillFiles(context.skills);
  const tools = serviceTools(context.env);
  const path = join(context.files, "instructions.md");
  const rules = rulesFile(context, "CLAUDE.md");
  const files = [
    ...(skills?.files ?? []),
    ...(rules === null ? [] : [rules]),
    ...(instructions === null ? [] : [{ path, text: instructions }]),
  ];
  const outcome = await attemptCli(context, program, config, {
    args: commandLine(config, {
      resume: session,
      laidOut: skills?.folder ?? (rules === null ? null : context.files),
      instructions: instructions === null ? null : path,
      tools,
      converses,
      servers: context.mcpServers,
    }),
    env: { ...extraEnvironment(config, context.env), ...(rules === null ? {} : readsAddedRules) },
    files,
    session,
    tools: tools !== null,
    timeoutSec,
    after: converses ? [] : again.map(({ text }) => text),
    converse: converses
      ? (input, prompt) => {
          controlled = control(context, input, { prompt, again }, messages);
        }
      : undefined,
    onStdoutLine: (line) => {
      controlled?.receive(line);
      const known = stream.sessionId;
      const progress = takeLine(stream, line);
      if (stream.sessionId !== known) saySession(context, stream.sessionId);
      sayUsage(context, stream);
      sayLimits(context, stream);
      if (isSignInRefused(stream)) return true;
      // With an open input, another message may follow.
      return isFinal(progress === "done" && controlled?.isOver() === false ? null : progress);
    },
  });
  return { outcome, stream };
};

/** Reports once per answer of a model, because its parts repeat the usage. The result replaces the reports. */
const sayUsage = (context: ExecuteContext, stream: ClaudeStream): void => {
  if (stream.turnsSeen === stream.turnsReported || stream.result !== null) return;
  stream.turnsReported = stream.turnsSeen;
  const report = {
    ...usageSoFar(stream),
    provider: isBedrock(context.env) ? "bedrock" : "anthropic",
    billingType: billingType(context.env),
    ...(stream.model === null ? {} : { model: stream.model }),
  };
  // Does not wait: the next report and the result replace a lost one.
  context.onUsage?.(report).catch(() => {});
};

/** Does not wait: the program works meanwhile. */
const sayLimits = (context: ExecuteContext, stream: ClaudeStream): void => {
  const { limits } = stream;
  if (limits === null) return;
  stream.limits = null;
  void context.onLimits?.({ windows: limits }).catch(() => {});
};

const conclude = (
  context: ExecuteContext,
  config: ClaudeConfig,
  { outcome, stream }: Attempt,
): ExecuteResult => {
  const { result } = stream;
  const reported: Omit<ExecuteResult, "exitCode" | "timedOut"> = {
    ...sessionOf(context, stream.sessionId),
    ...(result === null
      ? stream.turnsSeen === 0
        ? {}
        : usageSoFar(stream)
      : {
          usage: result.usage,
          ...(result.costUsd === null ? {} : { costUsd: result.costUsd }),
          resultJson: { subtype: result.subtype, isError: result.isError, stopReason: result.stopReason },
        }),
    provider: isBedrock(context.env) ? "bedrock" : "anthropic",
    billingType: billingType(context.env),
    ...(stream.model === null ? {} : { model: stream.model }),
    ...summaryOf(stream),
  };

  const failure = cliFailure(program, config, outcome);
  if (failure !== null) return { ...reported, ...failure };

  const { exitCode, signal } = outcome;
  const end = { exitCode, signal, timedOut: false };
  if (result !== null && !result.isError) {
    // The result is complete: how the program ends after it changes nothing.
    return { ...reported, exitCode: 0, timedOut: false };
  }
  if (result !== null || outcome.endedAfterResult || stream.errorCode !== null) {
    const text =
      result?.errors.join("; ") || result?.text || stream.texts.at(-1) || failureReason(outcome.stderrTail);
    const now = new Date();
    const classified = classifyFailure(stream, text, now);
    // The program's own name of the error is its last word where no result follows.
    const failure =
      result === null && stream.errorCode === "rate_limit"
        ? unfinishedFailure(classified, `rate_limit: ${text}`, now)
        : classified;
    // Out of turns: the session is full.
    const kept = failure.clearSession ? { sessionParams: undefined, sessionDisplayId: undefined } : {};
    return { ...reported, ...end, ...kept, ...failure };
  }
  if (exitCode === 0 && stream.texts.length > 0) return { ...reported, ...end };
  return exitCode === 0
    ? {
        ...reported,
        ...end,
        errorCode: "adapter_failed",
        errorMessage: `"${config.command}" ended without saying a result. Check that it is the claude command line, version 2 or later.`,
      }
    : {
        ...reported,
        ...end,
        ...unfinishedFailure(
          classifyFailure(stream, describeEnd(outcome, "claude"), new Date()),
          stream.rateRefused ?? lastStatement(outcome.stderrTail),
          new Date(),
        ),
      };
};

const summaryOf = ({ result, texts }: ClaudeStream) => {
  const summary = result === null || result.isError || result.text === "" ? texts.join("\n\n") : result.text;
  return summary === "" ? {} : { summary };
};

const billingType = (env: Readonly<Record<string, string>>): ExecuteResult["billingType"] =>
  env.ANTHROPIC_API_KEY || env.ANTHROPIC_AUTH_TOKEN || isBedrock(env)
    ? "metered_api"
    : "subscription_included";

/**
 * Returns those of the messages that the session does not have. The program keeps the ids of all that it took in, but only ignores
 * a second message whose first one began a turn; of those in a prompt it has the text, as JSON (2.1.197).
 */
const missingIn = async (
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
