import type { DetectedModel } from "../../ports/agent-adapter.ts";

export interface ModelFinding {
  /** "" where nothing was found. */
  readonly model: string;
  readonly source: string;
}

/** Returns the first finding that names a model. */
export const detected = (
  provider: string | ((model: string) => string),
  findings: readonly ModelFinding[],
): DetectedModel | null => {
  const found = findings.filter(({ model }) => model.trim() !== "");
  const [first] = found;
  if (first === undefined) return null;
  const model = first.model.trim();
  return {
    model,
    provider: typeof provider === "string" ? provider : provider(model),
    source: first.source,
    candidates: [...new Set(found.map((finding) => finding.model.trim()))],
  };
};
