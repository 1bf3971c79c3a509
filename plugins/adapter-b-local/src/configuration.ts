import type { ConfigSchema } from "../../../ports/agent-adapter.ts";
import { type CliConfig, type CliProgram, readCliConfig } from "../../kit/cli-program.ts";
import { flag, optionalText } from "../../kit/config.ts";
import { cliSettings, permissionSettings, text, yesOrNo } from "../../kit/config-schema.ts";
import { type Policy, policyOf } from "../../kit/permissions.ts";

export const program: CliProgram = {
  command: "codex",
  prefix: "adapter_b",
  installHint:
    "Install the codex command line with `npm install -g @openai/codex` on the service's machine, or configure its absolute path as command.",
  outerSessionVariables: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_CI"],
};

export const agentConfigurationDoc = `# adapter_b_local

Runs the \`codex\` command line headless, once per heartbeat, in the agent's workspace. It must be installed on the
service's machine (\`npm install -g @openai/codex\`) and signed in: by \`codex login\` as the user that agents run as, or by
a secret bound to \`OPENAI_API_KEY\` in the agent's env (with a provider in \`$CODEX_HOME/config.toml\` that reads it).

| key | | default |
|---|---|---|
| command | the program, if it is not \`codex\` on PATH | codex |
| model | model id | the command line's own |
| modelReasoningEffort | minimal, low, medium, high, xhigh | the command line's own |
| search | let it search the web | false |
| fastMode | ask for the provider's fast tier | false |
| permissions | what it may do when it asks: allow (it has no sandbox of its own, and never asks); allow_edits (changes of files, no commands); ask (a person decides, in the issue); deny. Where not all is allowed, its own sandbox lets it write in the workspace and blocks the network, and it asks for what its model wants beyond that | allow |
| permissionWaitSec | how long a person has for an answer, which the run waits for; then it is a no | 600 |
| dangerouslyBypassApprovalsAndSandbox | older than permissions, which overrides it: false is deny | true |
| promptTemplate | put before the prompt of a new session; knows {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | |
| instructions | Markdown put before the prompt of every run | |
| instructionsFilePath | absolute path of a file put after them | |
| desiredSkills | keys of skills that the agent has; \`boardroom agents sync-skills\` sets them | [] |
| extraArgs | further arguments of \`codex exec\`, with ask and allow_edits of \`codex app-server\` | [] |
| env | further variables: texts, or references to secrets | {} |
| cwd | absolute path of the working directory | the agent's workspace |
| timeoutSec | the program and all it started are ended after this time | 3600 |
| silenceSec | the program is stopped after that many seconds without output | no limit |
| graceSec | between SIGTERM and SIGKILL | 20 |

The model has the service's [tools](https://modelcontextprotocol.io) (\`POST /mcp\`), in addition to those of the user's configuration.
A session is resumed by later runs on the same task in the same directory. The program reports tokens and no money. There is
no unlimited run: 0, negative numbers and "none" are refused for timeoutSec and graceSec.
`;

export const configSchema: ConfigSchema = {
  type: "object",
  properties: {
    model: text("Model", "Empty: the model that `codex` takes by itself."),
    modelReasoningEffort: text("Effort", "minimal, low, medium, high or xhigh."),
    search: yesOrNo("Search the web", false),
    fastMode: yesOrNo("Fast tier", false),
    ...permissionSettings,
    dangerouslyBypassApprovalsAndSandbox: yesOrNo("Run tools without asking (older than permissions)", true),
    ...cliSettings("codex"),
  },
};

export interface CodexConfig extends CliConfig {
  readonly model: string | undefined;
  readonly modelReasoningEffort: string | undefined;
  readonly search: boolean;
  readonly fastMode: boolean;
  readonly policy: Policy;
}

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): CodexConfig => ({
  ...readCliConfig(program, config),
  model: optionalText(config, "model"),
  modelReasoningEffort: optionalText(config, "modelReasoningEffort"),
  search: flag(config, "search", false),
  fastMode: flag(config, "fastMode", false),
  policy: policyOf(config, flag(config, "dangerouslyBypassApprovalsAndSandbox", true) ? "allow" : "deny"),
});
