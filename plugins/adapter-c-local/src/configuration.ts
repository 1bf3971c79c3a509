import type { ConfigSchema } from "../../../ports/agent-adapter.ts";
import { type CliConfig, type CliProgram, readCliConfig } from "../../kit/cli-program.ts";
import { ConfigRefusal, flag, optionalText, requiredText, seconds } from "../../kit/config.ts";
import { cliSettings, permissionSettings, text, yesOrNo } from "../../kit/config-schema.ts";
import { type Policy, policyOf } from "../../kit/permissions.ts";

export const program: CliProgram = {
  command: "opencode",
  prefix: "adapter_c",
  installHint:
    "Install the opencode command line with `npm install -g opencode-ai` on the service's machine, or configure its absolute path as command.",
  outerSessionVariables: ["OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID"],
};

export const agentConfigurationDoc = `# adapter_c_local

Runs the \`opencode\` command line headless, once per heartbeat, in the agent's workspace. It must be installed on the
service's machine (\`npm install -g opencode-ai\`) and have a provider: by \`opencode auth login\` as the user that agents run
as, or by a secret bound to the provider's variable (\`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\`, …) in the agent's env.

| key | | default |
|---|---|---|
| command | the program, if it is not \`opencode\` on PATH | opencode |
| model | provider/model, as \`opencode models\` lists them | required |
| variant | the model's variant, such as high | the command line's own |
| permissions | what it may do when it asks: allow; allow_edits (changes of files, no commands); ask (a person decides, in the issue); deny. All but allow run \`opencode acp\` in place of \`opencode run\`, without variant | allow |
| permissionWaitSec | how long a person has for an answer, which the run waits for; then it is a no | 600 |
| dangerouslySkipPermissions | of allow: run tools without asking. false: the user's own configuration decides, and what it asks for is refused | true |
| promptTemplate | put before the prompt of a new session; knows {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | |
| instructions | Markdown put before the prompt of every run | |
| instructionsFilePath | absolute path of a file put after them | |
| desiredSkills | keys of skills that the agent has; \`boardroom agents sync-skills\` sets them | [] |
| extraArgs | further arguments of \`opencode run\` | [] |
| env | further variables: texts, or references to secrets | {} |
| cwd | absolute path of the working directory | the agent's workspace |
| timeoutSec | the program and all it started are ended after this time | 3600 |
| silenceSec | the program is stopped after that many seconds without output. It repeats refused requests without end and without output | no limit |
| graceSec | between SIGTERM and SIGKILL | 20 |

The model has the service's [tools](https://modelcontextprotocol.io) (\`POST /mcp\`), in addition to those of the user's configuration.
A session is resumed by later runs on the same task in the same directory. An \`opencode.json\` in the workspace, which the
agent itself could write, is not read. There is no unlimited run: 0, negative numbers and "none" are refused for timeoutSec
and graceSec.
`;

/** provider/model */
const modelForm = "^\\s*[^\\s/\\-][^\\s/]*\\/\\S+\\s*$";

export const configSchema: ConfigSchema = {
  type: "object",
  properties: {
    model: {
      ...text("Model", "It has the form provider/model, such as anthropic/claude-sonnet-4-5."),
      pattern: modelForm,
    },
    variant: text("Variant"),
    ...permissionSettings,
    dangerouslySkipPermissions: yesOrNo("Run tools without asking", true),
    ...cliSettings("opencode"),
  },
  required: ["model"],
};

export interface OpencodeConfig extends CliConfig {
  /** provider/model */
  readonly model: string;
  readonly variant: string | undefined;
  readonly dangerouslySkipPermissions: boolean;
  readonly policy: Policy;
  /** Of `opencode acp`, which repeats refused requests in silence. */
  readonly silenceSec: number;
}

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): OpencodeConfig => {
  const common = readCliConfig(program, config);
  const model = requiredText(config, "model").trim();
  if (!/^[^\s/-][^\s/]*\/\S+$/.test(model))
    throw new ConfigRefusal("model", "must be of the form provider/model.");
  return {
    ...common,
    model,
    variant: optionalText(config, "variant"),
    dangerouslySkipPermissions: flag(config, "dangerouslySkipPermissions", true),
    policy: policyOf(config, "allow"),
    silenceSec: seconds(config, "silenceSec", 600),
  };
};
