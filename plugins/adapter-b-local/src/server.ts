import { join } from "node:path";
import { failureReason } from "../../../core/model/runs/failure-reason.ts";
import type {
  AgentAdapter,
  ExecuteContext,
  ExecuteResult,
  ProcessOutcome,
} from "../../../ports/agent-adapter.ts";
import { type CliStart, executeCli } from "../../kit/cli-execution.ts";
import { attemptCli, cliFailure } from "../../kit/cli-program.ts";
import { asSession } from "../../kit/cli-session.ts";
import { unfinishedFailure } from "../../kit/failure.ts";
import { finalLine } from "../../kit/final-line.ts";
import { rulesText } from "../../kit/house-rules.ts";
import { againText, type Messages, personMessages } from "../../kit/messages.ts";
import { describeEnd, lastStatement } from "../../kit/outcome.ts";
import { serviceTools } from "../../kit/service-tools.ts";
import { skillFiles, skillsPrompt } from "../../kit/skills.ts";
import { type AppServer, appServer } from "./app-server.ts";
import { canAsk, commandLine, serverCommandLine } from "./command-line.ts";
import {
  agentConfigurationDoc,
  type CodexConfig,
  configSchema,
  program,
  readConfig,
} from "./configuration.ts";
import { detectModel } from "./detect-model.ts";
import { testEnvironment } from "./environment.ts";
import { classifyFailure, sessionIsUnknown } from "./failures.ts";
import { listModels, models } from "./models.ts";
import { asCodexSession, sessionCodec } from "./session.ts";
import { skills } from "./skills.ts";
import { type CodexStream, newStream, runUsage, takeLine } from "./stream.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "adapter_b_local",
  models,
  agentConfigurationDoc,
  configSchema,
  execute: (context) => {
    // One for both attempts of a run.
    const messages = personMessages(context);
    return executeCli(context, {
      program,
      readConfig,
      attempt: (again, start) => attempt(again, start, messages),
      sessionIsUnknown: ({ stream, outcome }) =>
        !stream.completed && sessionIsUnknown(`${stream.error ?? ""}\n${outcome.stderrTail}`),
      conclude,
    });
  },
  testEnvironment,
  listModels,
  sessionCodec,
  ...skills,
  detectModel,
});

interface Attempt {
  /** The session that it resumed. */
  readonly resumed: string | null;
  readonly outcome: ProcessOutcome;
  readonly stream: CodexStream;
}

const attempt = async (
  context: ExecuteContext,
  { config, instructions, session, timeoutSec }: CliStart<CodexConfig>,
  messages: Messages | null,
): Promise<Attempt> => {
  const stream = newStream();
  const isFinal = finalLine();
  const converses = canAsk(config);
  const laidOut = skillFiles(context.skills, converses ? ".agents/skills" : undefined);
  const tools = serviceTools(context.env);
  let server: AppServer | null = null;
  const outcome = await attemptCli(context, program, config, {
    args: converses
      ? serverCommandLine(config, tools, context.mcpServers)
      : commandLine(config, session, tools, context.mcpServers),
    session,
    tools: tools !== null,
    ...(laidOut === null ? {} : { files: laidOut.files }),
    before: [rulesText(context.houseRules), converses ? null : skillsPrompt(context.skills), instructions],
    after: converses ? [] : (context.messagesAgain ?? []).map(againText),
    timeoutSec,
    converse: converses
      ? (input, prompt) => {
          const skills = laidOut === null ? null : join(laidOut.folder, ".agents", "skills");
          server = appServer(context, config, session, { input, skills, messages }, prompt);
        }
      : undefined,
    onStdoutLine: (line) => {
      server?.receive(line);
      const known = stream.sessionId;
      const progress = takeLine(stream, line);
      if (stream.sessionId !== known) saySession(context, session, stream);
      // With an open input, another message may follow.
      return isFinal(progress === "done" && server?.isOver() === false ? null : progress);
    },
  });
  return { resumed: session, outcome, stream };
};

/** The totals that earlier runs have counted of the resumed session. */
const countedBefore = (context: ExecuteContext, resumed: string | null) =>
  resumed === null ? null : (asCodexSession(context.runtime.sessionParams)?.counted ?? null);

const sessionOf = (context: ExecuteContext, resumed: string | null, stream: CodexStream) => {
  const session = asSession({ sessionId: stream.sessionId, cwd: context.cwd });
  if (session === null) return null;
  const counted = stream.usage ?? countedBefore(context, resumed);
  return { ...session, ...(counted === null ? {} : { counted }) };
};

/** Does not wait: the report matters for a lost run only, because the result repeats it. */
const saySession = (context: ExecuteContext, resumed: string | null, stream: CodexStream): void => {
  const session = sessionOf(context, resumed, stream);
  if (session !== null) void context.onSession?.(session, session.sessionId).catch(() => undefined);
};

const conclude = (
  context: ExecuteContext,
  config: CodexConfig,
  { resumed, outcome, stream }: Attempt,
): ExecuteResult => {
  const session = sessionOf(context, resumed, stream);
  const usage = runUsage(stream, countedBefore(context, resumed));
  const reported: Omit<ExecuteResult, "exitCode" | "timedOut"> = {
    ...(session === null ? {} : { sessionParams: session, sessionDisplayId: session.sessionId }),
    ...(usage === null ? {} : { usage }),
    ...(stream.lastMessage === null ? {} : { summary: stream.lastMessage }),
    ...(config.model === undefined ? {} : { model: config.model }),
    provider: "openai",
    billingType:
      context.env.OPENAI_API_KEY || context.env.CODEX_API_KEY ? "metered_api" : "subscription_included",
  };
  const failure = cliFailure(program, config, outcome);
  if (failure !== null) return { ...reported, ...failure };
  const { exitCode, signal } = outcome;
  const end = { exitCode, signal, timedOut: false };
  const now = new Date();
  if (stream.failed)
    return {
      ...reported,
      ...end,
      ...classifyFailure(stream.error ?? failureReason(outcome.stderrTail), now),
    };
  if (!stream.completed && stream.error !== null) {
    const lastMessage = stream.errorIsLast ? stream.error : "";
    return {
      ...reported,
      ...end,
      ...unfinishedFailure(classifyFailure(stream.error, now), lastMessage, now),
    };
  }
  if (stream.completed) {
    // The result is complete: how the program ends after it changes nothing.
    return { ...reported, exitCode: 0, timedOut: false };
  }
  return exitCode === 0
    ? {
        ...reported,
        ...end,
        errorCode: "adapter_failed",
        errorMessage: `"${config.command}" ended without completing a turn. Check that it is the codex command line.`,
      }
    : {
        ...reported,
        ...end,
        ...unfinishedFailure(
          classifyFailure(describeEnd(outcome, "codex"), now),
          lastStatement(outcome.stderrTail),
          now,
        ),
      };
};
