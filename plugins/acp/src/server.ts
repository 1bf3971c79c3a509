import type { AgentAdapter, ExecuteContext, ExecuteResult } from "../../../ports/agent-adapter.ts";
import { conclude } from "../../kit/acp/conclude.ts";
import type { AcpConfig } from "../../kit/acp/config.ts";
import { runAgent } from "../../kit/acp/run-agent.ts";
import { runFolder } from "../../kit/acp/run-folder.ts";
import { type AcpSession, asAcpSession, sessionCodec } from "../../kit/acp/session.ts";
import { readInstructions } from "../../kit/instructions.ts";
import { personMessages } from "../../kit/messages.ts";
import { configurationRefused } from "../../kit/outcome.ts";
import { fillPrompt, joinPrompt, promptValues } from "../../kit/prompt.ts";
import { serviceTools } from "../../kit/service-tools.ts";
import { agentConfigurationDoc, configSchema, readConfig } from "./configuration.ts";
import { testEnvironment } from "./environment.ts";
import { detectModel, listModels, models } from "./models.ts";
import { skills } from "./skills.ts";

export const createServerAdapter = (): AgentAdapter => ({
  type: "acp",
  models,
  agentConfigurationDoc,
  configSchema,
  execute,
  testEnvironment,
  listModels,
  detectModel,
  sessionCodec,
  ...skills,
});

const execute = async (context: ExecuteContext): Promise<ExecuteResult> => {
  let config: AcpConfig;
  let instructions: string | null;
  try {
    config = readConfig(context.config);
    instructions = await readInstructions(config, context.readText);
  } catch (refusal) {
    return configurationRefused(refusal);
  }
  const note = (line: string) => void context.onLog("system", `${line}\n`).catch(() => {});
  const session = resumable(context, config, note);
  const folder = runFolder(context, config.preset);
  const args = [...config.args, ...folder.args];
  const { command, timeoutSec, graceSec, silenceSec, promptTemplate } = config;
  await context.onMeta({
    command,
    args,
    cwd: context.cwd,
    tools: serviceTools(context.env) !== null,
    notes: [session === null ? "new session" : `continues session ${session.sessionId}`],
  });
  const run = await runAgent(
    (spec) => context.runProcess({ ...spec, env: { ...spec.env, ...folder.env } }),
    {
      config: { ...config, args },
      cwd: context.cwd,
      env: context.env,
      mcpServers: context.mcpServers,
      addedFolder: folder.added,
      session,
      askPermission: context.askPermission,
      messages: personMessages(context),
      onTaken: context.onTaken,
      messagesAgain: context.messagesAgain,
      note,
      prompt: (isNew) =>
        joinPrompt(
          ...folder.prompt,
          instructions,
          // A continued session has the template already.
          isNew && promptTemplate !== undefined
            ? fillPrompt(promptTemplate, promptValues(context.variables))
            : null,
          context.prompt,
        ),
      onLimits: (windows) => void context.onLimits?.({ windows }).catch(() => {}),
      // Does not wait: the report matters for a lost run only, because the result repeats it.
      onSession: (now, costUsd) => {
        const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
        if (costUsd !== null)
          void context.onUsage?.({ usage, costUsd, billingType: "unknown" }).catch(() => {});
        void context.onSession?.({ ...now }, now.sessionId).catch(() => {});
      },
    },
    { timeoutSec, graceSec, silenceSec, ...(folder.files.length === 0 ? {} : { files: folder.files }) },
  );
  return conclude(config, run, new Date());
};

/** Returns the session to continue: one of the same agent, command and directory. */
const resumable = (
  { runtime, cwd }: ExecuteContext,
  { agent, command }: AcpConfig,
  note: (line: string) => void,
): AcpSession | null => {
  const session = asAcpSession(runtime.sessionParams);
  if (session === null) return null;
  if (session.cwd === cwd && session.agent === agent && session.command === command) return session;
  note(
    `Session ${session.sessionId} belongs to ${session.agent} (${session.command}) in ${session.cwd}: starting a new one.`,
  );
  return null;
};
