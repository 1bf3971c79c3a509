import * as Result from "effect/Result";
import { resemblesSecret } from "../agents/inline-secrets.ts";
import { isServiceVariable } from "../agents/service-variables.ts";
import type { SecretBinding } from "../secrets/binding.ts";
import { refusal, ValidationFailed } from "../shared/failure.ts";
import type { AgentId, CompanyId, McpServerId, SecretId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Change } from "../shared/patch.ts";

/** A server of the Model Context Protocol whose tools a company gives to its agents' programs. */
export interface McpServer {
  readonly id: McpServerId;
  readonly companyId: CompanyId;
  /** A part of the names of its tools, as models see them. */
  readonly name: string;
  /** Of a server over HTTP; null: the server is a program. */
  readonly url: string | null;
  /** The program, which the agent's own program starts inside its sandbox; null: the server has a URL. */
  readonly command: string | null;
  readonly args: readonly string[];
  /** Sent to the URL. */
  readonly headers: McpValues;
  /** Variables of the program. */
  readonly env: McpValues;
  /** Whether the URL may be on this machine or in a private network. */
  readonly allowPrivateHost: boolean;
  /** The agents that get it: all, those, and those with a role. */
  readonly allAgents: boolean;
  readonly agentIds: readonly AgentId[];
  readonly roles: readonly string[];
  /** As the server listed them in its last test; null: it was never tested. */
  readonly tools: readonly McpTool[] | null;
  readonly testedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** By the name of a header or variable. */
export type McpValues = Readonly<Record<string, McpValue>>;

export type McpValue =
  | { readonly type: "plain"; readonly value: string }
  | {
      readonly type: "secret_ref";
      readonly secretId: SecretId;
      /** Omitted: the latest version at the start of a run. */
      readonly version?: number | undefined;
      /** Put before the secret's value, such as "Bearer ". */
      readonly prefix?: string | undefined;
    };

export interface McpTool {
  readonly name: string;
  readonly description: string;
}

/** The fields that a person sets. */
export const mcpServerFields = [
  "name",
  "url",
  "command",
  "args",
  "headers",
  "env",
  "allowPrivateHost",
  "allAgents",
  "agentIds",
  "roles",
] as const satisfies readonly (keyof McpServer)[];

export type McpServerFields = Change<McpServer, (typeof mcpServerFields)[number]>;

/** The most servers of a company. */
export const mostMcpServers = 50;

export class McpServerNotFound extends refusal(
  "mcp_server_not_found",
  "not_found",
  "MCP server not found.",
) {}

export class McpServerNameTaken extends refusal(
  "mcp_server_name_taken",
  "conflict",
  "Another MCP server already has this name.",
) {}

export class TooManyMcpServers extends refusal(
  "too_many_mcp_servers",
  "conflict",
  `A company can have at most ${mostMcpServers} MCP servers.`,
) {}

/** The server did not list its tools. Details: `{ path }` of the field to correct; the sentence is for people. */
export class McpServerUnusable extends refusal(
  "mcp_server_unusable",
  "unprocessable",
  "This MCP server can't be used.",
) {}

/** Whether the agent's programs get the server. */
export const isForAgent = (
  { allAgents, agentIds, roles }: Pick<McpServer, "allAgents" | "agentIds" | "roles">,
  agent: { readonly id: AgentId; readonly role: string },
): boolean => allAgents || agentIds.includes(agent.id) || roles.includes(agent.role);

/** The values of a server with their field: the headers of a URL, the variables of a program. */
export const valuesOf = ({
  url,
  headers,
  env,
}: Pick<McpServer, "url" | "headers" | "env">): {
  readonly field: "headers" | "env";
  readonly values: McpValues;
} => (url === null ? { field: "env", values: env } : { field: "headers", values: headers });

/** The references to secrets. */
export const bindingsOfServer = (
  server: Pick<McpServer, "url" | "headers" | "env">,
): readonly SecretBinding[] => {
  const { field, values } = valuesOf(server);
  return Object.entries(values).flatMap(([name, value]) =>
    value.type === "plain"
      ? []
      : [
          {
            variable: name,
            configPath: `${field}.${name}`,
            secretId: value.secretId,
            version: value.version ?? null,
          },
        ],
  );
};

/** The complete value by the values of secrets. */
export const filledValue = (value: McpValue, secret: string | undefined): string =>
  value.type === "plain" ? value.value : `${value.prefix ?? ""}${secret ?? ""}`;

type Problem = readonly [path: readonly (string | number)[], message: string];

/**
 * Lower-case words with dashes. Programs join it to the names of tools, so that nothing in it may look like the end of a
 * server's name, and no server like the service's own.
 */
const nameForm = /^(?!boardroom)[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Checks what a schema cannot: no plaintext secret may reach an argument or an answer. */
export const checkedMcpServer = (
  server: Pick<McpServer, "name" | "url" | "command" | "args" | "headers" | "env">,
): Result.Result<void, ValidationFailed> => {
  const problems = [...problemsOfAddress(server), ...problemsOfValues(server)];
  return problems.length === 0
    ? Result.succeed(undefined)
    : Result.fail(
        new ValidationFailed(problems.map(([path, message]) => ({ path, code: "invalid", message }))),
      );
};

const problemsOfAddress = ({
  name,
  url,
  command,
  args,
  headers,
  env,
}: Parameters<typeof checkedMcpServer>[0]): readonly Problem[] => {
  const problems: Problem[] = [];
  if (!nameForm.test(name))
    problems.push([["name"], "must be lowercase words joined by hyphens, not starting with boardroom"]);
  if ((url === null) === (command === null))
    problems.push([["url"], "must be set when there is no command, and only then"]);
  if (url !== null && problemOfUrl(url) !== null) problems.push([["url"], problemOfUrl(url) ?? ""]);
  if (url !== null && args.length + Object.keys(env).length > 0)
    problems.push([["command"], "must be set for args and env: a URL has headers"]);
  if (command !== null && Object.keys(headers).length > 0)
    problems.push([["headers"], "are for a URL: a command has env"]);
  const [first] = args.flatMap((arg, at) => (resemblesSecret("", arg) ? [at] : []));
  if (first !== undefined)
    problems.push([
      ["args", first],
      "looks like a secret, which every program on the machine could read. Use an environment variable from a secret instead",
    ]);
  return problems;
};

const problemOfUrl = (text: string): string | null => {
  const url = /\s|\p{Cc}/u.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "" || text.includes("#"))
    return "must be an http or https address without a fragment";
  if (url.username !== "" || url.password !== "")
    return "must not contain a user or password. Send them as a header from a secret";
  return [...url.searchParams].some(([name, value]) => resemblesSecret(name, value))
    ? "looks like it contains a secret. Send it as a header from a secret"
    : null;
};

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const headerName = /^[A-Za-z0-9-]+$/;
/** Of the connection or the protocol. */
const ownHeaders = /^(host|connection|content-.*|transfer-encoding|accept|te|upgrade|mcp-.*)$/i;

const problemsOfValues = (server: Parameters<typeof checkedMcpServer>[0]): readonly Problem[] => {
  const { field, values } = valuesOf(server);
  return Object.entries(values).flatMap(([name, value]): readonly Problem[] => {
    const isName =
      field === "env"
        ? variableName.test(name) && !isServiceVariable(name)
        : headerName.test(name) && !ownHeaders.test(name);
    if (!isName)
      return [[[field, name], field === "env" ? "isn't a valid variable name" : "isn't a valid header name"]];
    if (/\p{Cc}/u.test(value.type === "plain" ? value.value : (value.prefix ?? "")))
      return [[[field, name], "must not contain control characters"]];
    return value.type === "plain" && resemblesSecret(name, value.value)
      ? [[[field, name], "looks like a secret. Store it as a secret and reference it"]]
      : [];
  });
};
