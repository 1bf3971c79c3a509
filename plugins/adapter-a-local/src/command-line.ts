import type { ServiceTools } from "../../kit/service-tools.ts";
import type { ClaudeConfig } from "./configuration.ts";

/** The program reads the prompt from standard input; an argument "-" would become part of it (2.1.197). */
export const commandLine = (
  config: ClaudeConfig,
  resume: string | null,
  /** A folder whose `.claude/skills` the program reads. */
  skills: string | null,
  /** A file. */
  instructions: string | null,
  tools: ServiceTools | null,
): readonly string[] => [
  "--print",
  "--output-format",
  "stream-json",
  // 2.1.197 requires it for stream-json.
  "--verbose",
  ...(resume === null ? [] : ["--resume", resume]),
  ...(config.policy === "allow" ? ["--dangerously-skip-permissions"] : []),
  ...(config.policy === "allow_edits" ? ["--permission-mode", "acceptEdits"] : []),
  ...(config.policy === "ask" ? ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"] : []),
  ...(config.chrome ? ["--chrome"] : []),
  ...(config.model === undefined ? [] : ["--model", config.model]),
  ...(config.effort === undefined ? [] : ["--effort", config.effort]),
  ...(config.maxTurnsPerRun === undefined ? [] : ["--max-turns", String(config.maxTurnsPerRun)]),
  // Resumed sessions need it too: a session does not store additions to its system prompt (seen with 2.1.197).
  ...(instructions === null ? [] : ["--append-system-prompt-file", instructions]),
  // One word, because the option takes all following words that are no options (2.1.197).
  ...(skills === null ? [] : [`--add-dir=${skills}`]),
  // These options, too, take all following words.
  ...(tools === null ? [] : [`--mcp-config=${mcpConfig(tools)}`]),
  ...(tools === null || config.policy === "allow" ? [] : [`--allowedTools=mcp__${tools.name}`]),
  ...config.extraArgs,
];

/** The program fills in the variable from its environment. */
const mcpConfig = ({ name, url, tokenVariable }: ServiceTools): string =>
  JSON.stringify({
    mcpServers: {
      [name]: {
        type: "http",
        url,
        headers: { Authorization: `Bearer \${${tokenVariable}}` },
        // Without it later versions show the model tools only when it searches for them.
        alwaysLoad: true,
      },
    },
  });

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

export const isBedrock = (env: Readonly<Record<string, string>>): boolean =>
  env.CLAUDE_CODE_USE_BEDROCK !== undefined && !["", "0", "false"].includes(env.CLAUDE_CODE_USE_BEDROCK);
