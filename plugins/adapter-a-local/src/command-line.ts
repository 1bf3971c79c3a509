import type { McpServerOfRun } from "../../../ports/agent-adapter.ts";
import type { ServiceTools } from "../../kit/service-tools.ts";
import type { ClaudeConfig } from "./configuration.ts";

export interface StartOptions {
  /** A session to continue. */
  readonly resume?: string | null;
  /** A folder whose `.claude/skills` and `CLAUDE.md` the program reads. */
  readonly laidOut?: string | null;
  /** A file. */
  readonly instructions?: string | null;
  readonly tools?: ServiceTools | null;
  /** Its input stays open. */
  readonly converses?: boolean;
  /** Those of the company. */
  readonly servers?: readonly McpServerOfRun[] | undefined;
}

/** The program reads the prompt from standard input; an argument "-" would become part of it (2.1.197). */
export const commandLine = (
  config: ClaudeConfig,
  {
    resume = null,
    laidOut = null,
    instructions = null,
    tools = null,
    converses = false,
    servers = [],
  }: StartOptions,
): readonly string[] => [
  "--print",
  "--output-format",
  "stream-json",
  // 2.1.197 requires it for stream-json.
  "--verbose",
  ...(resume === null ? [] : ["--resume", resume]),
  ...(config.policy === "allow" ? ["--dangerously-skip-permissions"] : []),
  ...(config.policy === "allow_edits" ? ["--permission-mode", "acceptEdits"] : []),
  ...(converses ? ["--input-format", "stream-json", "--replay-user-messages"] : []),
  ...(config.policy === "ask" ? ["--permission-prompt-tool", "stdio"] : []),
  ...(config.chrome ? ["--chrome"] : []),
  ...(config.model === undefined ? [] : ["--model", config.model]),
  ...(config.effort === undefined ? [] : ["--effort", config.effort]),
  ...(config.maxTurnsPerRun === undefined ? [] : ["--max-turns", String(config.maxTurnsPerRun)]),
  // Resumed sessions need it too: a session does not store additions to its system prompt (seen with 2.1.197).
  ...(instructions === null ? [] : ["--append-system-prompt-file", instructions]),
  // One word, because the option takes all following words that are no options (2.1.197).
  ...(laidOut === null ? [] : [`--add-dir=${laidOut}`]),
  // These options, too, take all following words.
  ...(tools === null && servers.length === 0 ? [] : [`--mcp-config=${mcpConfig(tools, servers)}`]),
  ...(tools === null || config.policy === "allow" ? [] : [`--allowedTools=mcp__${tools.name}`]),
  ...config.extraArgs,
];

/** The program fills in the variables from its environment. */
const mcpConfig = (tools: ServiceTools | null, servers: readonly McpServerOfRun[]): string =>
  JSON.stringify({
    mcpServers: {
      ...Object.fromEntries(servers.map((server) => [server.name, serverEntry(server)])),
      ...(tools === null
        ? {}
        : {
            [tools.name]: {
              type: "http",
              url: tools.url,
              headers: { Authorization: `Bearer \${${tools.tokenVariable}}` },
              // Without it later versions show the model tools only when it searches for them.
              alwaysLoad: true,
            },
          }),
    },
  });

const serverEntry = (server: McpServerOfRun) => {
  const filledIn = (variables: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, `\${${variable}}`]));
  return "url" in server
    ? { type: "http", url: server.url, headers: filledIn(server.headers) }
    : { type: "stdio", command: server.command, args: server.args, env: filledIn(server.env) };
};

export const extraEnvironment = (
  config: ClaudeConfig,
  env: Readonly<Record<string, string>>,
  isRoot = process.getuid?.() === 0,
): Readonly<Record<string, string>> => ({
  // A run must not replace the program under other runs.
  ...(env.DISABLE_AUTOUPDATER === undefined ? { DISABLE_AUTOUPDATER: "1" } : {}),
  // As root the program refuses --dangerously-skip-permissions without this variable.
  ...(isRoot && config.policy === "allow" && env.IS_SANDBOX === undefined ? { IS_SANDBOX: "1" } : {}),
});

/** Makes the program read the `CLAUDE.md` of added folders. An import in it of another file is not followed there (2.1.197). */
export const readsAddedRules = { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" };

export const isBedrock = (env: Readonly<Record<string, string>>): boolean =>
  env.CLAUDE_CODE_USE_BEDROCK !== undefined && !["", "0", "false"].includes(env.CLAUDE_CODE_USE_BEDROCK);
