import { z } from "zod";
import { hostKinds, repositoryModes } from "../../../core/model/repositories/repository.ts";
import { id, Timestamp } from "../endpoint/values.ts";

export const RepositoryShape = z.object({
  id,
  companyId: id,
  projectId: id,
  url: z.string(),
  defaultBranch: z.string(),
  credentialSecretId: id.nullable().describe("The secret with the token; its value is never shown."),
  directory: z
    .string()
    .nullable()
    .describe("Where it is laid out in a workspace; null: the workspace itself."),
  mode: z.enum(repositoryModes),
  allowPrivateHost: z.boolean(),
  hostKind: z.enum(hostKinds).nullable().describe("Where pull requests are opened; null: nowhere."),
  hostApiUrl: z.string().nullable(),
  closesIssues: z.boolean().describe("A pull request that is merged at the host makes its issue done."),
  webhookSecretId: id.nullable().describe("The secret that the host signs its webhook with."),
  sparseFolders: z
    .array(z.string())
    .readonly()
    .nullable()
    .describe("The folders that a workspace has; null: all."),
  setupCommand: z.string().nullable().describe("In a new workspace, and when lock files have changed."),
  runCommand: z.string().nullable().describe("Before each run."),
  archiveCommand: z.string().nullable().describe("Before a workspace is removed."),
  commandTimeoutSec: z.number().int().describe("The longest time of each command."),
  authorName: z
    .string()
    .nullable()
    .describe("The author of commits, where {agent} is the agent's name; null: {agent}."),
  authorEmail: z
    .string()
    .nullable()
    .describe("The author's address; null: {agentKey}@agents.boardroom.invalid."),
  branchPattern: z
    .string()
    .nullable()
    .describe("The branch at the host of an issue's pull request; null: boardroom/{identifier}."),
  checkedAt: Timestamp.describe("When the host was called last with another outcome than before."),
  problem: z.string().nullable().describe("Why the last fetch failed; null: it did not."),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
