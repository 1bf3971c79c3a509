import type { PromptVariables } from "../../ports/agent-adapter.ts";

const placeholder = /\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}/g;

/**
 * Fills in `{{name}}`. Unknown names become empty, objects JSON. Works in one pass: a value that contains braces
 * (agents write titles of issues) stays text.
 */
export const fillPrompt = (template: string, variables: Readonly<Record<string, unknown>>): string =>
  template.replace(placeholder, (_all, path: string) => asText(lookUp(variables, path)));

/** The variables of the contract, under their plain names and as `agent.name`, `company.id`, `run.id`, `task.title`. */
export const promptValues = (variables: PromptVariables): Readonly<Record<string, unknown>> => ({
  ...variables,
  agent: { id: variables.agentId, name: variables.agentName, companyId: variables.companyId },
  company: { id: variables.companyId },
  run: { id: variables.runId },
  task: { id: variables.taskId, title: variables.taskTitle },
});

/** Joins the parts of a prompt with blank lines and omits empty ones. */
export const joinPrompt = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter((part) => part != null && part.trim() !== "").join("\n\n");

const lookUp = (values: unknown, path: string): unknown => {
  let value = values;
  for (const step of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
};

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
