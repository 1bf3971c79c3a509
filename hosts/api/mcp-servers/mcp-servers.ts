import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  McpServerNameTaken,
  McpServerNotFound,
  McpServerUnusable,
  TooManyMcpServers,
} from "../../../core/model/mcp-servers/mcp-server.ts";
import { SecretVersionMissing } from "../../../core/model/secrets/binding.ts";
import { SecretDisabled } from "../../../core/model/secrets/secret.ts";
import { ReferenceNotFound, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { AgentId, McpServerId } from "../../../core/model/shared/ids.ts";
import { acting, boardInCompany, boardInCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, reference, upTo } from "../endpoint/values.ts";
import { McpServerShape, McpValueShape } from "./mcp-server-shapes.ts";

const Values = z
  .record(upTo(100).min(1), McpValueShape)
  .refine((values) => Object.keys(values).length <= 30, "holds at most 30");

const name = upTo(40).min(1).describe("Lower-case words with dashes: a part of the names of its tools.");

const fields = {
  url: upTo(2_000).min(1).nullable().optional().describe("http or https; null: the server is a command."),
  command: upTo(500)
    .trim()
    .min(1)
    .nullable()
    .optional()
    .describe("A program, which the agent's program starts in its sandbox; null: the server has a URL."),
  args: z.array(upTo(2_000)).max(50).optional(),
  headers: Values.optional().describe("Of a URL, by name."),
  env: Values.optional().describe("Variables of a command, by name."),
  allowPrivateHost: z
    .boolean()
    .optional()
    .describe("The URL may be on this machine or in a private network. Default false."),
  allAgents: z.boolean().optional().describe("All agents get it. Default false."),
  agentIds: z.array(reference<AgentId>()).max(200).optional().describe("Agents that get it."),
  roles: z.array(upTo(100).min(1)).max(50).optional().describe("Agents of these roles get it."),
};

const failures = [
  McpServerNameTaken,
  McpServerUnusable,
  ReferenceNotFound,
  SecretDisabled,
  SecretVersionMissing,
  ValidationFailed,
] as const;

const tests =
  "The server must list its tools before anything is stored: a 422 mcp_server_unusable says in a sentence what is wrong, and names the field. A command is tested in a sandbox, as in a run.";

export const mcpServers = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/mcp-servers",
    summary: "List the MCP servers of a company",
    description: "By name, with their tools; without values of secrets.",
    access: boardInCompany("viewer"),
    returns: z.array(McpServerShape).readonly(),
    run: ({ views }, { companyId }) => views.mcpServers.list(companyId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/mcp-servers",
    summary: "Give agents the tools of an MCP server",
    description: `Runs that start from then on get it. ${tests}`,
    access: acting("company", "manageMcpServers"),
    body: z.strictObject({ name, ...fields }),
    returns: McpServerShape,
    status: 201,
    failures: [...failures, TooManyMcpServers, McpServerNotFound],
    creates: { again: ({ views }, id) => views.mcpServers.get(id as McpServerId) },
    run: ({ mcpServers }, input, { by, newId }) => mcpServers.add({ ...input, id: newId<McpServerId>(), by }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/mcp-servers/{mcpServerId}",
    summary: "Show an MCP server",
    access: boardInCompanyOf("mcpServer", "viewer"),
    returns: McpServerShape,
    failures: [McpServerNotFound],
    run: ({ views }, { mcpServerId }) => views.mcpServers.get(mcpServerId),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/mcp-servers/{mcpServerId}",
    summary: "Change an MCP server, or test it again",
    description: `Omitted fields stay unchanged; headers and env are replaced as a whole. ${tests}`,
    access: acting("company", "manageMcpServers", "mcpServer"),
    body: z.strictObject({ name: name.optional(), ...fields }),
    returns: McpServerShape,
    failures: [...failures, McpServerNotFound],
    run: ({ mcpServers }, input, { by }) => mcpServers.update({ ...input, by }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/mcp-servers/{mcpServerId}",
    summary: "Remove an MCP server",
    description: "Runs that start from then on go without it.",
    access: acting("company", "manageMcpServers", "mcpServer"),
    returns: Done,
    failures: [McpServerNotFound],
    run: ({ mcpServers }, input, { by }) =>
      mcpServers.remove({ ...input, by }).pipe(Effect.as({ ok: true as const })),
  }),
};
