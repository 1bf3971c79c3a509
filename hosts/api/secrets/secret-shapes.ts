import * as Redacted from "effect/Redacted";
import { z } from "zod";
import { managedModes, secretStatuses } from "../../../core/model/secrets/secret.ts";
import type { VaultId } from "../../../core/model/shared/ids.ts";
import { providers } from "../../../core/model/vaults/provider.ts";
import { free, id, notStorable, reference, storable, Timestamp, when } from "../endpoint/values.ts";

// Input ---------------------------------------------------------------------------------------------------

/** The smallest limit of all providers. */
const maxValueBytes = 64 * 1024;

/**
 * A secret value of a request, wrapped as soon as it is parsed. `writeOnly` keeps it out of argument vectors: the
 * command line reads such a field only from a file or standard input.
 */
export const SecretValue = z
  .string()
  .min(1, "must not be empty")
  .refine((text) => Buffer.byteLength(text) <= maxValueBytes, "must be at most 64 KiB")
  .refine(storable, notStorable)
  .transform((text) => Redacted.make(text))
  .meta({ writeOnly: true, description: "Stored encrypted; no endpoint shows it." });

export const VaultReference = reference<VaultId>();

export const SecretKey = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,120}$/, "must be 1 to 120 letters, digits and _ . -");

export const Description = z.string().max(500).refine(storable, notStorable);

export const ExternalRef = z.string().trim().min(1).max(2048).refine(storable);

// Output -------------------------------------------------------------------------------------------------

const provider = z.enum(providers);

export const SecretShape = z.object({
  id,
  companyId: id,
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  provider,
  status: z.enum(secretStatuses),
  managedMode: z.enum(managedModes),
  externalRef: z.string().nullable(),
  providerVersionRef: z.string().nullable().describe("The provider's name of the latest version."),
  providerConfigId: id.nullable().describe("The vault it is pinned to."),
  providerMetadata: free.nullable(),
  latestVersion: z.number(),
  masked: z
    .boolean()
    .nullable()
    .describe(
      "false: the latest value has fewer than 6 characters and is not masked in the output of runs; null: the service has not read it.",
    ),
  referenceCount: z.number().describe("Number of agents' bindings."),
  repositoryCount: z.number().describe("Number of repositories that use it."),
  mcpServerCount: z.number().describe("Number of MCP servers that use it."),
  lastResolvedAt: when,
  lastRotatedAt: when,
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const SecretVersionShape = z.object({
  secretId: id,
  version: z.number(),
  status: z.enum(["current", "previous", "disabled"]),
  providerConfigId: id.nullable(),
  providerVersionRef: z.string().nullable(),
  fingerprint: z.string().nullable().describe("For external references only."),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
});

export const SecretUsageShape = z.object({
  secretId: id,
  bindings: z
    .array(
      z.object({
        agentId: id,
        agentName: z.string(),
        configPath: z.string().describe("env.NAME, in the agent's adapterConfig."),
        version: z.union([z.number(), z.literal("latest")]),
      }),
    )
    .readonly(),
  repositories: z.array(z.object({ id, projectId: id, url: z.string() })).readonly(),
  mcpServers: z.array(z.object({ id, name: z.string() })).readonly(),
});

export const AccessEventShape = z.object({
  id,
  secretId: id,
  version: z.number().nullable(),
  provider: z.string(),
  consumerType: z.literal("agent"),
  consumerId: id,
  configPath: z.string(),
  issueId: id.nullable(),
  heartbeatRunId: id,
  outcome: z.enum(["success", "failure"]),
  errorCode: z.string().nullable(),
  createdAt: Timestamp,
});

export const ProvidersHealthShape = z.object({
  providers: z
    .array(
      z.object({
        provider,
        status: z.enum(["ok", "warn", "error"]),
        message: z.string(),
        warnings: z.array(z.string()).readonly(),
        backupGuidance: z.array(z.string()).readonly(),
        details: free,
      }),
    )
    .readonly(),
});

const ConflictShape = z.object({
  type: z.enum(["exact_reference", "name", "key", "provider_guardrail"]),
  message: z.string(),
  existingSecretId: id.optional(),
});

export const ImportPreviewShape = z.object({
  providerConfigId: id,
  provider,
  nextToken: z.string().nullable(),
  candidates: z
    .array(
      z.object({
        externalRef: z.string(),
        remoteName: z.string(),
        name: z.string(),
        key: z.string(),
        providerVersionRef: z.string().nullable(),
        providerMetadata: z.object({
          createdDate: z.string().nullable(),
          lastChangedDate: z.string().nullable(),
          hasDescription: z.boolean(),
          hasKmsKey: z.boolean(),
          tagCount: z.number(),
        }),
        status: z.enum(["ready", "duplicate", "conflict"]),
        importable: z.boolean(),
        conflicts: z.array(ConflictShape).readonly(),
      }),
    )
    .readonly(),
});

export const ImportShape = z.object({
  providerConfigId: id,
  provider,
  importedCount: z.number(),
  skippedCount: z.number(),
  errorCount: z.number(),
  results: z
    .array(
      z.object({
        externalRef: z.string().nullable(),
        name: z.string().nullable(),
        key: z.string().nullable(),
        status: z.enum(["imported", "skipped", "error"]),
        reason: z.string().nullable(),
        secretId: id.nullable(),
        conflicts: z.array(ConflictShape).readonly(),
      }),
    )
    .readonly(),
});

export const MasterKeyRotationShape = z.object({
  from: z.string().describe("Fingerprint of the previous key."),
  to: z.string().describe("Fingerprint of the current key."),
  dataKeys: z.number().describe("How many were rewrapped."),
});
