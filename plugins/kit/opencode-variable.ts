import { join } from "node:path";
import type { McpServerOfRun } from "../../ports/agent-adapter.ts";
import { asList, asObject, type Json } from "./json.ts";
import type { ServiceTools } from "./service-tools.ts";

/** Folder and file of a run, which its program reads in addition to the user's own. */
export interface LaidOut {
  /** A folder whose `.claude/skills` holds the skills. */
  readonly skills: string | null;
  /** The file with the house rules. */
  readonly rules: string | null;
  /** provider/model; absent: the user's own, or that of the command line. */
  readonly model?: string;
}

/**
 * Returns the variable that adds skills, house rules and the service's tools to the user's configuration, keeping its value.
 */
export const configVariable = (
  { skills, rules, model }: LaidOut,
  tools: ServiceTools | null,
  env: Readonly<Record<string, string>>,
  /** Those of the company. */
  servers: readonly McpServerOfRun[] = [],
): Readonly<Record<string, string>> => {
  if (skills === null && rules === null && model === undefined && tools === null && servers.length === 0)
    return {};
  const config = parseJsonc(env.OPENCODE_CONFIG_CONTENT ?? "") ?? {};
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...config,
      ...(model === undefined ? {} : { model }),
      ...(skills === null ? {} : { skills: withFolder(config.skills, join(skills, ".claude", "skills")) }),
      ...(rules === null ? {} : { instructions: [...asList(config.instructions), rules] }),
      ...(tools === null && servers.length === 0
        ? {}
        : { mcp: { ...asObject(config.mcp), ...ofServers(tools, servers) } }),
    }),
  };
};

const ofServers = (tools: ServiceTools | null, servers: readonly McpServerOfRun[]) => ({
  ...Object.fromEntries(servers.map((server) => [server.name, companyServer(server)])),
  ...(tools === null ? {} : { [tools.name]: serverOf(tools) }),
});

const withFolder = (skills: unknown, folder: string) => {
  const own = asObject(skills) ?? {};
  return { ...own, paths: [...asList(own.paths), folder] };
};

/** The program fills in the variable from its environment. */
const serverOf = ({ url, tokenVariable }: ServiceTools) => ({
  type: "remote",
  url,
  // It would look for a way to sign in.
  oauth: false,
  headers: { Authorization: `Bearer {env:${tokenVariable}}` },
});

const companyServer = (server: McpServerOfRun) => {
  const filledIn = (variables: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, `{env:${variable}}`]));
  return "url" in server
    ? { type: "remote", url: server.url, oauth: false, headers: filledIn(server.headers) }
    : { type: "local", command: [server.command, ...server.args], environment: filledIn(server.env) };
};

/** Parses JSON with comments and trailing commas; null where it is invalid. */
export const parseJsonc = (text: string): Json | null => {
  const plain = text
    .replaceAll(/("(?:[^"\\]|\\.)*(?:"|$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, "$1")
    .replaceAll(/("(?:[^"\\]|\\.)*(?:"|$))|,(?=\s*[}\]])/g, "$1");
  try {
    return asObject(JSON.parse(plain));
  } catch {
    return null;
  }
};
