import type { ConfigSchema } from "../../../ports/agent-adapter.ts";
import type { AcpConfig } from "../../kit/acp/config.ts";
import { presetNames, presets } from "../../kit/acp/presets.ts";
import { ConfigRefusal, optionalText, requiredText, seconds, textList } from "../../kit/config.ts";
import {
  instructionSettings,
  permissionSettings,
  programSettings,
  text,
  texts,
  timeLimit,
} from "../../kit/config-schema.ts";
import { policyOf } from "../../kit/permissions.ts";

/** The programs repeat refused requests for long, in silence. */
const defaultSilenceSec = 600;

export const agentConfigurationDoc = `# acp

Runs an agent that speaks the Agent Client Protocol (version 1) on its standard input and output, once per heartbeat, in the
agent's workspace. It must be installed where it runs: on the service's machine, or in the image of an engine (docker, kubernetes).

| agent | program | install with \`npm install -g\` |
|---|---|---|
| claude | \`claude-agent-acp\` | @agentclientprotocol/claude-agent-acp |
| codex | \`codex-acp\` | @agentclientprotocol/codex-acp |
| gemini | \`gemini --acp\` | @google/gemini-cli |
| opencode | \`opencode acp\` | opencode-ai |
| copilot | \`copilot --acp\` | @github/copilot |
| qwen | \`qwen --acp\` | @qwen-code/qwen-code |
| custom | any other, by \`command\` and \`extraArgs\` | |

| key | | default |
|---|---|---|
| agent | one of the names above | required |
| command | the program, if it is not the one above on PATH; required for custom | |
| extraArgs | further arguments | [] |
| permissions | what it may do when it asks: allow; allow_edits (changes of files, no commands); ask (a person decides, in the issue); deny | allow |
| permissionWaitSec | how long a person has for an answer, which the run waits for; then it is a no | 600 |
| model | a model that its session offers, by id or name | the program's own |
| mode | a mode of its session by the agent's own name, in place of the one that fits permissions | |
| promptTemplate | put before the prompt of a new session; knows {{agentId}}, {{agentName}}, {{companyId}}, {{runId}}, {{taskId}}, {{taskTitle}} | |
| instructions | Markdown put before the prompt of every run | |
| instructionsFilePath | absolute path of a file put after them | |
| desiredSkills | keys of skills that the agent has; \`boardroom agents sync-skills\` sets them | [] |
| env | further variables: texts, or references to secrets | {} |
| cwd | absolute path of the working directory | the agent's workspace |
| timeoutSec | the program and all it started are ended after this time | 3600 |
| silenceSec | the program is ended after that many seconds without output | ${defaultSilenceSec} |
| graceSec | between SIGTERM and SIGKILL | 20 |

The model has the service's [tools](https://modelcontextprotocol.io) (\`POST /mcp\`), if the agent takes tools over HTTP.
A session is resumed by later runs on the same task with the same agent, command and directory. The agent's tools work on the
workspace themselves, within the sandbox; the service offers it neither files nor terminals. opencode reports the tokens of
the last request of a run only; gemini, codex, qwen and copilot report no cost.
`;

export const configSchema: ConfigSchema = {
  type: "object",
  properties: {
    agent: { type: "string", enum: [...presetNames], title: "Agent" },
    model: text("Model", "Empty: the agent's own. copilot takes it by its env, as `COPILOT_MODEL`."),
    command: text("Command", "Empty: the agent's own on PATH. An agent of your own (custom) needs it."),
    extraArgs: texts("Further arguments"),
    ...permissionSettings,
    mode: text("Mode", "A mode by the agent's own name. Empty: the one that fits the permissions."),
    ...instructionSettings,
    desiredSkills: texts("Skills"),
    ...programSettings(3600, 20),
    silenceSec: timeLimit("Limit without output", defaultSilenceSec),
  },
  required: ["agent"],
};

/** @throws ConfigRefusal */
export const readConfig = (config: Readonly<Record<string, unknown>>): AcpConfig => {
  // Used by the service; read here to report an invalid value.
  optionalText(config, "cwd");
  textList(config, "desiredSkills");
  const agent = oneOf(presetNames, "agent", requiredText(config, "agent"));
  const preset = presets[agent];
  const own = optionalText(config, "command")?.trim() ?? "";
  if (agent === "custom" && own === "") throw new ConfigRefusal("command", "is required for a custom agent.");
  return {
    agent,
    preset,
    command: own || preset.command,
    args: [...preset.args, ...textList(config, "extraArgs")],
    policy: policyOf(config, "allow"),
    mode: optionalText(config, "mode"),
    model: optionalText(config, "model")?.trim() || undefined,
    promptTemplate: optionalText(config, "promptTemplate"),
    instructions: optionalText(config, "instructions"),
    instructionsFilePath: optionalText(config, "instructionsFilePath"),
    timeoutSec: seconds(config, "timeoutSec", 3600),
    silenceSec: seconds(config, "silenceSec", defaultSilenceSec),
    graceSec: seconds(config, "graceSec", 20),
  };
};

const oneOf = <T extends string>(known: readonly T[], key: string, value: string): T => {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new ConfigRefusal(key, `must be one of ${known.join(", ")}.`);
  return found;
};
