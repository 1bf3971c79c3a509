import { flag, optionalCount, optionalText, seconds, textList } from "../../kit/config.ts";

export const defaultCommand = "claude";

export const agentConfigurationDoc = `# adapter_a_local

Runs the \`claude\` command line (Claude Code) headless, once per heartbeat, in the agent's workspace. It must be
installed on the service's machine (\`npm install -g @anthropic-ai/claude-code\`) and signed in: by \`claude /login\` as
the user that agents run as, or by a secret bound to \`ANTHROPIC_API_KEY\` in the agent's env.

| key | | default |
|---|---|---|
| command | the program, if it is not \`claude\` on PATH | claude |
| model | model id | the command line's own |
| effort | low, medium, high, xhigh, max | the command line's own |
| maxTurnsPerRun | turns after which a run ends; the next one starts a new session | no limit |
| dangerouslySkipPermissions | run tools without asking. Nobody is there to ask: without it most tools are refused | true |
| promptTemplate | put before the prompt of a new session; knows {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | |
| instructionsFilePath | absolute path of a file added to the system prompt of every run | |
| extraArgs | further arguments of the command line | [] |
| env | further variables: texts, or references to secrets | {} |
| cwd | absolute path of the working directory | the agent's workspace |
| timeoutSec | the program and all it started are ended after this time | 3600 |
| silenceSec | the program is ended when it has said nothing for so long | no limit |
| graceSec | between SIGTERM and SIGKILL | 20 |

A session is resumed by later runs on the same task in the same directory. There is no unlimited run: 0, negative numbers
and "none" are refused for timeoutSec and graceSec.
`;

export interface ClaudeConfig {
  readonly command: string;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly maxTurnsPerRun: number | undefined;
  readonly dangerouslySkipPermissions: boolean;
  readonly promptTemplate: string | undefined;
  readonly instructionsFilePath: string | undefined;
  readonly extraArgs: readonly string[];
  readonly timeoutSec: number;
  readonly graceSec: number;
}

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): ClaudeConfig => {
  optionalText(config, "cwd");
  return {
    command: optionalText(config, "command")?.trim() || defaultCommand,
    model: optionalText(config, "model"),
    effort: optionalText(config, "effort"),
    maxTurnsPerRun: optionalCount(config, "maxTurnsPerRun"),
    dangerouslySkipPermissions: flag(config, "dangerouslySkipPermissions", true),
    promptTemplate: optionalText(config, "promptTemplate"),
    instructionsFilePath: optionalText(config, "instructionsFilePath"),
    // `args` is the older name.
    extraArgs: textList(config, config.extraArgs == null ? "args" : "extraArgs"),
    timeoutSec: seconds(config, "timeoutSec", 3600),
    graceSec: seconds(config, "graceSec", 20),
  };
};
