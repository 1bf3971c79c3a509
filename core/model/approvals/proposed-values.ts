import type { Actor } from "../access/caller.ts";
import { type AdapterConfig, maskedVariables, variablesOf } from "../agents/agent-config.ts";

/**
 * The names of a hire's variables whose values an agent wrote, for those who decide. A value that is sent back masked still
 * counts as its first author's.
 */
export const proposedVariables = (
  given: AdapterConfig,
  by: Actor,
  before: readonly string[] = [],
): readonly string[] => {
  const masked = new Set(maskedVariables(given));
  return variablesOf(given).filter((name) =>
    masked.has(name) ? before.includes(name) : by.kind === "agent",
  );
};
