import type { ConfigSchema } from "../../../ports/agent-adapter.ts";
import { type CliConfig, type CliProgram, readCliConfig } from "../../kit/cli-program.ts";
import { flag, optionalCount, optionalText } from "../../kit/config.ts";
import { cliSettings, permissionSettings, text, wholeNumber, yesOrNo } from "../../kit/config-schema.ts";
import { type Policy, policyOf } from "../../kit/permissions.ts";

export const program: CliProgram = {
  command: "claude",
  prefix: "adapter_a",
  installHint:
    "Install the claude command line with `npm install -g @anthropic-ai/claude-code` on the service's machine, or configure its absolute path as command.",
  outerSessionVariables: [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_PARENT_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_CODE_EXECPATH",
  ],
};

export const agentConfigurationDoc = `# adapter_a_local

Runs the \`claude\` command line (Claude Code) headless, once per heartbeat, in the agent's workspace. It must be
installed on the service's machine (\`npm install -g @anthropic-ai/claude-code\`) and signed in: by \`claude /login\` as
the user that agents run as, or by a secret bound to \`ANTHROPIC_API_KEY\` in the agent's env.

| key | | default |
|---|---|---|
| command | the program, if it is not \`claude\` on PATH | claude |
| model | model id | the command line's own |
| effort | low, medium, high, xhigh, max | the command line's own |
| chrome | let it use the Chrome of the user that agents run as | false |
| maxTurnsPerRun | turns after which a run ends; the next one starts a new session | no limit |
| permissions | what it may do when it asks: allow; allow_edits (changes of files, no commands); ask (a person decides, in the issue); deny | allow |
| permissionWaitSec | how long a person has for an answer, which the run waits for; then it is a no | 600 |
| dangerouslySkipPermissions | older than permissions, which overrides it: false is deny | true |
| promptTemplate | put before the prompt of a new session; knows {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | |
| instructions | Markdown added to the system prompt of every run | |
| instructionsFilePath | absolute path of a file added after them | |
| desiredSkills | keys of skills that the agent has; \`boardroom agents sync-skills\` sets them | [] |
| extraArgs | further arguments of the command line | [] |
| env | further variables: texts, or references to secrets | {} |
| cwd | absolute path of the working directory | the agent's workspace |
| timeoutSec | the program and all it started are ended after this time | 3600 |
| silenceSec | the program is stopped after that many seconds without output | no limit |
| graceSec | between SIGTERM and SIGKILL | 20 |

The model has the service's [tools](https://modelcontextprotocol.io) (\`POST /mcp\`), in addition to those of the user's configuration.
A session is resumed by later runs on the same task in the same directory. There is no unlimited run: 0, negative numbers
and "none" are refused for timeoutSec and graceSec.
`;

export const configSchema: ConfigSchema = {
  type: "object",
  properties: {
    model: text("Model", "Empty: the model that `claude` takes by itself."),
    effort: text("Effort", "low, medium, high, xhigh or max."),
    chrome: yesOrNo("Use Chrome", false),
    maxTurnsPerRun: wholeNumber("Turns per run"),
    ...permissionSettings,
    dangerouslySkipPermissions: yesOrNo("Run tools without asking (older than permissions)", true),
    ...cliSettings("claude"),
  },
};

export interface ClaudeConfig extends CliConfig {
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly chrome: boolean;
  readonly maxTurnsPerRun: number | undefined;
  readonly policy: Policy;
}

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): ClaudeConfig => ({
  ...readCliConfig(program, config),
  model: optionalText(config, "model"),
  effort: optionalText(config, "effort"),
  chrome: flag(config, "chrome", false),
  maxTurnsPerRun: optionalCount(config, "maxTurnsPerRun"),
  policy: policyOf(config, flag(config, "dangerouslySkipPermissions", true) ? "allow" : "deny"),
});
