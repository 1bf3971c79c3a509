import type { ServiceTools } from "../../kit/service-tools.ts";
import type { CodexConfig } from "./configuration.ts";

/** Quotes a text as a TOML value of `-c key=value`. JSON strings are valid TOML strings. */
const toml = (text: string): string => JSON.stringify(text);

/** The program reads the prompt from standard input, which `-` stands for. */
export const commandLine = (
  config: CodexConfig,
  resume: string | null,
  tools: ServiceTools | null,
): readonly string[] => [
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
  ...(tools === null ? [] : toolSettings(tools, config.bypass)),
  ...config.extraArgs,
  ...(resume === null ? ["-"] : ["resume", resume, "-"]),
];

/** The program reads the token from its environment. Outside of the bypass it refuses tools that change something. */
const toolSettings = ({ name, url, tokenVariable }: ServiceTools, bypass: boolean): readonly string[] =>
  [
    `url=${toml(url)}`,
    `bearer_token_env_var=${toml(tokenVariable)}`,
    ...(bypass ? [] : ['default_tools_approval_mode="approve"']),
  ].flatMap((setting) => ["-c", `mcp_servers.${name}.${setting}`]);
