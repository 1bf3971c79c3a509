import type { CodexConfig } from "./configuration.ts";

/** Quotes a text as a TOML value of `-c key=value`. JSON strings are valid TOML strings. */
const toml = (text: string): string => JSON.stringify(text);

/** The program reads the prompt from standard input, which `-` stands for. */
export const commandLine = (config: CodexConfig, resume: string | null): readonly string[] => [
  ...(config.search ? ["--search"] : []),
  "exec",
  "--json",
  // An agent's workspace need not be a repository.
  "--skip-git-repo-check",
  ...(config.bypass
    ? ["--dangerously-bypass-approvals-and-sandbox"]
    : ["-c", 'sandbox_mode="workspace-write"']),
  ...(config.model === undefined ? [] : ["--model", config.model]),
  ...(config.modelReasoningEffort === undefined
    ? []
    : ["-c", `model_reasoning_effort=${toml(config.modelReasoningEffort)}`]),
  ...(config.fastMode ? ["-c", 'service_tier="fast"'] : []),
  ...config.extraArgs,
  ...(resume === null ? ["-"] : ["resume", resume, "-"]),
];
