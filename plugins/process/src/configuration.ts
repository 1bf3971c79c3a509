import type { ConfigSchema } from "../../../ports/agent-adapter.ts";
import { optionalText, requiredText, seconds, textList } from "../../kit/config.ts";
import { programSettings, text, texts } from "../../kit/config-schema.ts";

export const agentConfigurationDoc = `# process

Runs a program once per heartbeat. The program learns its task from its environment (\`SERVICE_TASK_ID\`,
\`SERVICE_API_URL\`, \`SERVICE_API_KEY\`, \`SERVICE_RUN_ID\`, \`SERVICE_WAKE_REASON\`, …) and reports by exit code: 0 is
success. It gets no input.

| key | | default |
|---|---|---|
| command | the program: an absolute path, or a name found on PATH. No shell is involved | required |
| args | list of texts | [] |
| cwd | absolute path of the working directory | the agent's workspace |
| env | further variables: texts, or references to secrets | {} |
| timeoutSec | the program and all it started are ended after this time | 300 |
| silenceSec | the program is stopped after that many seconds without output | no limit |
| graceSec | between SIGTERM and SIGKILL | 10 |

There is no unlimited run: 0, negative numbers and "none" are refused.
`;

export const configSchema: ConfigSchema = {
  type: "object",
  properties: {
    command: text("Command", "A program on the machine that runs agents, such as /srv/agent.sh."),
    args: texts("Arguments"),
    ...programSettings(300, 10),
  },
  required: ["command"],
};

export interface ProcessConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutSec: number;
  readonly graceSec: number;
}

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): ProcessConfig => {
  // Used by the service; read here to report an invalid value.
  optionalText(config, "cwd");
  return {
    command: requiredText(config, "command"),
    args: textList(config, "args"),
    timeoutSec: seconds(config, "timeoutSec", 300),
    graceSec: seconds(config, "graceSec", 10),
  };
};
