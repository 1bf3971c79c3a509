import { ConfigRefusal, flag, optionalText, requiredText, seconds, textList } from "../../kit/config.ts";

export const defaultCommand = "opencode";

export const agentConfigurationDoc = `# adapter_c_local

Runs the \`opencode\` command line headless, once per heartbeat, in the agent's workspace. It must be installed on the
service's machine (\`npm install -g opencode-ai\`) and have a provider: by \`opencode auth login\` as the user that agents run
as, or by a secret bound to the provider's variable (\`OPENAI_API_KEY\`, \`ANTHROPIC_API_KEY\`, …) in the agent's env.

| key | | default |
|---|---|---|
| command | the program, if it is not \`opencode\` on PATH | opencode |
| model | provider/model, as \`opencode models\` lists them | required |
| variant | the model's variant, such as high | the command line's own |
| dangerouslySkipPermissions | run tools without asking. Nobody is there to ask: without it most tools are refused | true |
| promptTemplate | put before the prompt of a new session; knows {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | |
| instructionsFilePath | absolute path of a file put before the prompt of every run | |
| extraArgs | further arguments of \`opencode run\` | [] |
| env | further variables: texts, or references to secrets | {} |
| cwd | absolute path of the working directory | the agent's workspace |
| timeoutSec | the program and all it started are ended after this time | 3600 |
| silenceSec | the program is ended when it has said nothing for so long. It repeats refused requests for ever and in silence | no limit |
| graceSec | between SIGTERM and SIGKILL | 20 |

A session is resumed by later runs on the same task in the same directory. An \`opencode.json\` in the workspace, which the
agent itself could write, is not read. There is no unlimited run: 0, negative numbers and "none" are refused for timeoutSec
and graceSec.
`;

export interface OpencodeConfig {
  readonly command: string;
  /** provider/model */
  readonly model: string;
  readonly variant: string | undefined;
  readonly dangerouslySkipPermissions: boolean;
  readonly promptTemplate: string | undefined;
  readonly instructionsFilePath: string | undefined;
  readonly extraArgs: readonly string[];
  readonly timeoutSec: number;
  readonly graceSec: number;
}

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): OpencodeConfig => {
  optionalText(config, "cwd");
  const model = requiredText(config, "model").trim();
  if (!/^[^\s/-][^\s/]*\/\S+$/.test(model))
    throw new ConfigRefusal("model", "must be of the form provider/model.");
  return {
    command: commandOf(config),
    model,
    variant: optionalText(config, "variant"),
    dangerouslySkipPermissions: flag(config, "dangerouslySkipPermissions", true),
    promptTemplate: optionalText(config, "promptTemplate"),
    instructionsFilePath: optionalText(config, "instructionsFilePath"),
    // `args` is the older name.
    extraArgs: textList(config, config.extraArgs == null ? "args" : "extraArgs"),
    timeoutSec: seconds(config, "timeoutSec", 3600),
    graceSec: seconds(config, "graceSec", 20),
  };
};

/** @throws ConfigRefusal */
export const commandOf = (config: Readonly<Record<string, unknown>>): string =>
  optionalText(config, "command")?.trim() || defaultCommand;
