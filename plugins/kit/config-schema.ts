import type { ConfigSchema } from "../../ports/agent-adapter.ts";
import { maxSeconds } from "./config.ts";
import { policies } from "./permissions.ts";

/** Parts of a `configSchema`, one for each function of `config.ts` that reads such a value. */
export const text = (title: string, description?: string): ConfigSchema => ({
  type: "string",
  title,
  ...(description === undefined ? {} : { description }),
});

/** A long text for the model, in Markdown. */
export const markdown = (title: string, description: string): ConfigSchema => ({
  ...text(title, description),
  contentMediaType: "text/markdown",
});

export const texts = (title: string, description?: string): ConfigSchema => ({
  type: "array",
  items: { type: ["string", "number"] },
  title,
  ...(description === undefined ? {} : { description }),
});

export const yesOrNo = (title: string, otherwise: boolean, description?: string): ConfigSchema => ({
  type: "boolean",
  default: otherwise,
  title,
  ...(description === undefined ? {} : { description }),
});

export const wholeNumber = (title: string, description?: string): ConfigSchema => ({
  type: "integer",
  minimum: 1,
  title,
  ...(description === undefined ? {} : { description }),
});

export const timeLimit = (title: string, otherwise?: number): ConfigSchema => ({
  type: "number",
  exclusiveMinimum: 0,
  maximum: maxSeconds,
  title,
  ...(otherwise === undefined
    ? { description: "Seconds. Empty: no limit." }
    : { default: otherwise, description: `Seconds. Empty: ${otherwise}.` }),
});

/** Settings that the service applies to every program. */
export const programSettings = (timeoutSec: number, graceSec: number): Record<string, ConfigSchema> => ({
  cwd: text("Working directory", "An absolute path. Empty: the agent's own workspace."),
  timeoutSec: timeLimit("Time limit", timeoutSec),
  silenceSec: timeLimit("Limit without output"),
  graceSec: timeLimit("Time to end by itself", graceSec),
});

/** The texts that an agent reads in addition to its prompt. */
export const instructionSettings: Record<string, ConfigSchema> = {
  instructions: markdown(
    "Instructions",
    "The agent reads them in every run: who it is, how it works, what it must not do.",
  ),
  instructionsFilePath: text("File of instructions", "An absolute path; it follows the instructions."),
  promptTemplate: markdown("Prompt template", "Put before the prompt of a new session."),
};

/** Settings of adapters whose programs ask before they use a tool; the service reads the second one. */
export const permissionSettings: Record<string, ConfigSchema> = {
  permissions: {
    type: "string",
    enum: [...policies],
    default: "allow",
    title: "When it asks to use a tool",
  },
  permissionWaitSec: {
    ...timeLimit("Time for a person's answer", 600),
    maximum: 24 * 3600,
  },
};

/** Settings that all command lines of `cli-program.ts` share. */
export const cliSettings = (command: string): Record<string, ConfigSchema> => ({
  command: text("Command", `Empty: \`${command}\` on PATH.`),
  ...instructionSettings,
  desiredSkills: texts("Skills"),
  extraArgs: texts("Further arguments"),
  args: { ...texts("Further arguments (older name)"), deprecated: true },
  ...programSettings(3600, 20),
});
