import type { ExecuteContext, ExecuteResult } from "../../../ports/agent-adapter.ts";
import { conclude } from "../../kit/acp/conclude.ts";
import type { AcpConfig } from "../../kit/acp/config.ts";
import { presets } from "../../kit/acp/presets.ts";
import { runAgent } from "../../kit/acp/run-agent.ts";
import type { AcpSession } from "../../kit/acp/session.ts";
import { resumable, saySession, sessionOf } from "../../kit/cli-session.ts";
import { rulesFile } from "../../kit/house-rules.ts";
import { readInstructions } from "../../kit/instructions.ts";
import { personMessages } from "../../kit/messages.ts";
import { configVariable } from "../../kit/opencode-variable.ts";
import { configurationRefused } from "../../kit/outcome.ts";
import { fillPrompt, joinPrompt, promptValues } from "../../kit/prompt.ts";
import { serviceTools } from "../../kit/service-tools.ts";
import { skillFiles } from "../../kit/skills.ts";
import type { OpencodeConfig } from "./configuration.ts";

/** A run by `opencode acp`, which asks: `opencode run` refuses what it may not do (1.18.33). Both have the same sessions. */
export const converse = async (context: ExecuteContext, config: OpencodeConfig): Promise<ExecuteResult> => {
  const instructions = await readInstructions(config, context.readText).catch((refusal) => refusal as Error);
  if (instructions instanceof Error) return configurationRefused(instructions);
  const preset = presets.opencode;
  const acp: AcpConfig = {
    ...config,
    agent: "opencode",
    preset,
    args: [...preset.args, ...config.extraArgs],
    mode: undefined,
  };
  const stored = await resumable(context);
  const session: AcpSession | null =
    stored === null
      ? null
      : {
          sessionId: stored,
          cwd: context.cwd,
          agent: "opencode",
          command: config.command,
          createdAt: new Date().toISOString(),
          cost: null,
        };
  const tools = serviceTools(context.env);
  const skills = skillFiles(context.skills);
  const rules = rulesFile(context, "AGENTS.md");
  const laidOut = { skills: skills?.folder ?? null, rules: rules?.path ?? null, model: config.model };
  const variable = configVariable(laidOut, null, context.env);
  await context.onMeta({
    command: config.command,
    args: acp.args,
    cwd: context.cwd,
    tools: tools !== null,
    notes: [session === null ? "new session" : `resumes session ${session.sessionId}`],
  });
  const { promptTemplate, timeoutSec, graceSec, silenceSec } = config;
  const run = await runAgent(
    (spec) => context.runProcess({ ...spec, env: { ...spec.env, ...variable } }),
    {
      config: acp,
      cwd: context.cwd,
      env: context.env,
      mcpServers: context.mcpServers,
      session,
      askPermission: context.askPermission,
      messages: personMessages(context),
      onTaken: context.onTaken,
      messagesAgain: context.messagesAgain,
      note: (line) => void context.onLog("system", `${line}\n`).catch(() => {}),
      prompt: (isNew) =>
        joinPrompt(
          instructions,
          isNew && promptTemplate !== undefined
            ? fillPrompt(promptTemplate, promptValues(context.variables))
            : null,
          context.prompt,
        ),
      onSession: ({ sessionId }) => saySession(context, sessionId),
    },
    {
      timeoutSec,
      graceSec,
      silenceSec,
      files: [...(skills?.files ?? []), ...(rules === null ? [] : [rules])],
    },
  );
  const { sessionParams, sessionDisplayId, costUsd, ...result } = conclude(acp, run, new Date());
  const { conversation } = run;
  // The program tells the cost of the whole session, of which earlier runs have counted a part.
  const isNew = conversation?.session != null && conversation.session.sessionId !== session?.sessionId;
  return {
    ...result,
    ...sessionOf(context, conversation?.session?.sessionId ?? null),
    ...(isNew && costUsd !== undefined ? { costUsd } : {}),
    provider: config.model.split("/", 1)[0] ?? "",
    model: config.model,
  };
};
