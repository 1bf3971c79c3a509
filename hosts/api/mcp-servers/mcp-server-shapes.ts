import { z } from "zod";
import type { SecretId } from "../../../core/model/shared/ids.ts";
import { id, reference, Timestamp, upTo } from "../endpoint/values.ts";

export const McpValueShape = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("plain"), value: upTo(4_000) }),
  z.strictObject({
    type: z.literal("secret_ref"),
    secretId: reference<SecretId>().describe("A secret of the company; its value is never shown."),
    version: z.int().min(1).optional().describe("Left out: the latest version at the start of a run."),
    prefix: upTo(200).optional().describe('Put before the value, such as "Bearer ".'),
  }),
]);

export const McpToolShape = z.object({ name: z.string(), description: z.string() });

export const McpServerShape = z.object({
  id,
  companyId: id,
  name: z.string().describe("A part of the names of its tools."),
  url: z.string().nullable().describe("null: the server is a command."),
  command: z.string().nullable().describe("null: the server has a URL."),
  args: z.array(z.string()).readonly(),
  headers: z.record(z.string(), McpValueShape).describe("Sent to the URL."),
  env: z.record(z.string(), McpValueShape).describe("Variables of the command."),
  allowPrivateHost: z.boolean(),
  allAgents: z.boolean(),
  agentIds: z.array(id).readonly(),
  roles: z.array(z.string()).readonly(),
  tools: z
    .array(McpToolShape)
    .readonly()
    .nullable()
    .describe("As listed when it was tested; null: it was not."),
  testedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** A server that an agent's runs get. */
export const McpServerOfAgentShape = McpServerShape.pick({
  id: true,
  name: true,
  url: true,
  command: true,
  tools: true,
});
