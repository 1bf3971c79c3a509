import { z } from "zod";
import { providers } from "../../../core/model/vaults/provider.ts";
import { vaultStatuses } from "../../../core/model/vaults/vault-status.ts";
import { free, id, Timestamp, when } from "../endpoint/values.ts";

const HealthDetailsShape = z.object({
  code: z.enum(["provider_ready", "provider_needs_attention", "runtime_locked", "disabled"]),
  message: z.string(),
  guidance: z.array(z.string()).readonly(),
});

export const VaultShape = z.object({
  id,
  companyId: id,
  provider: z.enum(providers),
  displayName: z.string(),
  status: z.enum(vaultStatuses),
  isDefault: z.boolean(),
  config: free,
  healthStatus: z.enum(vaultStatuses).nullable(),
  healthCheckedAt: when,
  healthMessage: z.string().nullable(),
  healthDetails: HealthDetailsShape.nullable(),
  disabledAt: when,
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

const secretsInVault = z
  .array(z.object({ id, name: z.string(), key: z.string() }))
  .readonly()
  .describe("Secrets with a version in the vault.");

export const DisabledVaultShape = VaultShape.extend({ secrets: secretsInVault });

export const VaultHealthShape = z.object({
  configId: id,
  provider: z.enum(providers),
  status: z.enum(vaultStatuses),
  message: z.string(),
  details: HealthDetailsShape,
  checkedAt: Timestamp,
  secrets: secretsInVault,
});
