import type { McpServerOfRun } from "../../../ports/agent-adapter.ts";
import { renamingProgram } from "../../kit/mcp-program.ts";
import type { ServiceTools } from "../../kit/service-tools.ts";
import type { CodexConfig } from "./configuration.ts";

/** Quotes a text as a TOML value of `-c key=value`. JSON strings are valid TOML strings. */
const toml = (text: string): string => JSON.stringify(text);

/** Whether the program can ask about the use of a tool: `exec` never does, whatever its configuration (0.169.0). */
export const canAsk = ({ policy }: CodexConfig): boolean => policy === "ask" || policy === "allow_edits";

/** The program that takes messages on its standard input: session, permissions and prompt come there. */
export const serverCommandLine = (
  config: CodexConfig,
  tools: ServiceTools | null,
  servers: readonly McpServerOfRun[] = [],
): readonly string[] => [
  ...(config.search ? ["--search"] : []),
  "app-server",
  ...sharedSettings(config, tools, servers),
];

const sharedSettings = (
  config: CodexConfig,
  tools: ServiceTools | null,
  servers: readonly McpServerOfRun[],
): readonly string[] => [
  ...(config.modelReasoningEffort === undefined
    ? []
    : ["-c", `model_reasoning_effort=${toml(config.modelReasoningEffort)}`]),
  ...(config.fastMode ? ["-c", 'service_tier="fast"'] : []),
  ...(tools === null ? [] : toolSettings(tools, config.policy === "allow")),
  ...servers.flatMap(serverSettings),
  ...config.extraArgs,
  ...noShellSnapshot,
];

/**
 * The program writes the environment of its shell, with the run's token, into a file of its home, which the agents of a
 * company share (0.169.0). After the settings of the agent, because the later one counts.
 */
const noShellSnapshot = ["-c", "features.shell_snapshot=false"];

/** The program reads the prompt from standard input, which `-` stands for. */
export const commandLine = (
  config: CodexConfig,
  resume: string | null,
  tools: ServiceTools | null,
  /** Those of the company. */
  servers: readonly McpServerOfRun[] = [],
): readonly string[] => [
  ...(config.search ? ["--search"] : []),
  "exec",
  "--json",
  // An agent's workspace need not be a repository.
  "--skip-git-repo-check",
  ...(config.policy === "allow"
    ? ["--dangerously-bypass-approvals-and-sandbox"]
    : ["-c", 'sandbox_mode="workspace-write"']),
  ...(config.model === undefined ? [] : ["--model", config.model]),
  ...sharedSettings(config, tools, servers),
  ...(resume === null ? ["-"] : ["resume", resume, "-"]),
];

/** A server that is not required is missing in silence if it has not answered within a second, as on a loaded machine. */
const required = "required=true";

/** The program reads the token from its environment. Outside of the bypass it refuses tools that change something. */
const toolSettings = ({ name, url, tokenVariable }: ServiceTools, bypass: boolean): readonly string[] =>
  [
    `url=${toml(url)}`,
    `bearer_token_env_var=${toml(tokenVariable)}`,
    required,
    ...(bypass ? [] : ['default_tools_approval_mode="approve"']),
  ].flatMap((setting) => ["-c", `mcp_servers.${name}.${setting}`]);

/** The program gives a server only variables that its settings name. */
const serverSettings = (server: McpServerOfRun): readonly string[] => {
  const table = (variables: Readonly<Record<string, string>>) =>
    `{${Object.entries(variables)
      .map(([name, variable]) => `${toml(name)}=${toml(variable)}`)
      .join(",")}}`;
  const list = (texts: readonly string[]) => `[${texts.map(toml).join(",")}]`;
  const settings =
    "url" in server
      ? [`url=${toml(server.url)}`, `env_http_headers=${table(server.headers)}`]
      : programSettings(server, list);
  return [...settings, required].flatMap((setting) => ["-c", `mcp_servers.${server.name}.${setting}`]);
};

const programSettings = (
  { command, args, env }: Extract<McpServerOfRun, { command: string }>,
  list: (texts: readonly string[]) => string,
): readonly string[] => {
  const program = renamingProgram(command, args, env);
  return [
    `command=${toml(program.command)}`,
    `args=${list(program.args)}`,
    `env_vars=${list(Object.values(env))}`,
  ];
};
