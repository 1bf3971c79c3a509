import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, UserId, VaultId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Change } from "../shared/patch.ts";
import type { ProviderId } from "./provider.ts";
import type { VaultConfig } from "./vault-config.ts";
import { isClosedVault, type VaultStatus } from "./vault-status.ts";

/** A company's configuration of a provider. */
export interface Vault {
  readonly id: VaultId;
  readonly companyId: CompanyId;
  readonly provider: ProviderId;
  readonly displayName: string;
  readonly status: VaultStatus;
  readonly isDefault: boolean;
  readonly config: VaultConfig;
  readonly healthStatus: VaultStatus | null;
  readonly healthCheckedAt: Instant | null;
  readonly healthMessage: string | null;
  readonly healthDetails: HealthDetails | null;
  readonly disabledAt: Instant | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface HealthDetails {
  readonly code: "provider_ready" | "provider_needs_attention" | "runtime_locked" | "disabled";
  readonly message: string;
  readonly guidance: readonly string[];
}

export interface Health {
  readonly status: VaultStatus;
  readonly message: string;
  readonly details: HealthDetails;
}

export class VaultNotFound extends refusal("vault_not_found", "not_found", "Vault not found.") {}

export class VaultUnusable extends refusal(
  "vault_unusable",
  "unprocessable",
  "The vault can't be used: it's disabled, not available yet, or belongs to another provider.",
) {}

export class VaultLocked extends refusal(
  "runtime_locked",
  "unprocessable",
  "This provider is coming soon. Its vaults can only be coming_soon or disabled.",
) {}

export interface NewVault
  extends Pick<Vault, "id" | "companyId" | "provider" | "displayName" | "config">,
    Change<Vault, "status" | "isDefault"> {
  /** Whether this installation has no runtime for the provider. */
  readonly isLocked: boolean;
  readonly by: { readonly agentId: AgentId | null; readonly userId: UserId | null };
  readonly at: Instant;
}

export const newVault = (made: NewVault): Result.Result<Vault, VaultLocked | VaultUnusable> => {
  const { id, companyId, provider, displayName, config, at, by, isLocked } = made;
  const bare: Vault = {
    id,
    companyId,
    provider,
    displayName,
    status: isLocked ? "coming_soon" : "ready",
    isDefault: false,
    config,
    healthStatus: null,
    healthCheckedAt: null,
    healthMessage: null,
    healthDetails: null,
    disabledAt: null,
    createdByAgentId: by.agentId,
    createdByUserId: by.userId,
    createdAt: at,
    updatedAt: at,
  };
  return changeVault(bare, { status: made.status, isDefault: made.isDefault }, { at, isLocked });
};

export type VaultChanges = Change<Vault, "displayName" | "status" | "isDefault" | "config">;

export const changeVault = (
  vault: Vault,
  changes: VaultChanges,
  { at, isLocked }: { readonly at: Instant; readonly isLocked: boolean },
): Result.Result<Vault, VaultLocked | VaultUnusable> => {
  const asked = changes.status ?? vault.status;
  // A draft from before its provider was turned on can be used from now on.
  const status = asked === "coming_soon" && !isLocked ? "ready" : asked;
  if (isLocked && !isClosedVault(status)) return Result.fail(new VaultLocked());
  if (changes.isDefault && isClosedVault(status))
    return Result.fail(new VaultUnusable({ status }, `A vault that is ${status} can't be the default.`));
  const config = changes.config ?? vault.config;
  const isDefault = !isClosedVault(status) && (changes.isDefault ?? vault.isDefault);
  const isEnabledAgain = vault.status === "disabled" && status !== "disabled";
  return Result.succeed({
    ...vault,
    ...(isEnabledAgain ? healthUnknown : {}),
    displayName: changes.displayName ?? vault.displayName,
    status,
    isDefault,
    config,
    disabledAt: status === "disabled" ? (vault.disabledAt ?? at) : null,
    updatedAt: at,
  });
};

const healthUnknown = {
  healthStatus: null,
  healthCheckedAt: null,
  healthMessage: null,
  healthDetails: null,
} as const;

/** Disables softly and idempotently: the vault takes no new values, and existing ones can still be read. */
export const disableVault = (vault: Vault, at: Instant): Vault =>
  vault.status === "disabled"
    ? vault
    : { ...vault, status: "disabled", isDefault: false, disabledAt: at, updatedAt: at };

/** Sets the status that a health check found. */
export const recordHealth = (vault: Vault, health: Health, at: Instant): Vault => ({
  ...vault,
  status: health.status,
  isDefault: vault.isDefault && !isClosedVault(health.status),
  healthStatus: health.status,
  healthCheckedAt: at,
  healthMessage: health.message,
  healthDetails: health.details,
  updatedAt: at,
});

/** Returns the result that needs no call to the provider; null where a call is needed. */
export const healthWithoutProbe = (vault: Pick<Vault, "status">, isLocked: boolean): Health | null => {
  if (vault.status === "disabled")
    return {
      status: "disabled",
      message: "This vault is disabled.",
      details: {
        code: "disabled",
        message: "Disabled vaults aren't checked.",
        guidance: ["Enable it to use it again."],
      },
    };
  if (isLocked)
    return {
      status: "coming_soon",
      message: "This provider is coming soon.",
      details: {
        code: "runtime_locked",
        message: "The vault is a draft. It can't store or read secrets yet.",
        guidance: ["Use local_encrypted or cloud_a_secrets_manager for now."],
      },
    };
  return null;
};

/** Whether the vault accepts new values of that provider. */
export const checkUsable = (vault: Vault, provider: ProviderId): Result.Result<Vault, VaultUnusable> =>
  vault.status === "disabled" ? Result.fail(unusableBy(vault)) : checkReadable(vault, provider);

/** Whether values of that provider can be read from the vault: a disabled one remains readable. */
export const checkReadable = (vault: Vault, provider: ProviderId): Result.Result<Vault, VaultUnusable> =>
  vault.provider !== provider
    ? Result.fail(
        new VaultUnusable(
          { reason: "provider_mismatch" },
          "The vault belongs to a different provider than the secret.",
        ),
      )
    : vault.status === "coming_soon"
      ? Result.fail(unusableBy(vault))
      : Result.succeed(vault);

const unusableBy = ({ status }: Vault): VaultUnusable =>
  new VaultUnusable({ reason: status }, `The vault can't be used: its status is ${status}.`);

/** The details of a vault in activity entries. */
export const vaultFacts = ({ id, provider, displayName, status, isDefault }: Vault) => ({
  vaultId: id,
  provider,
  displayName,
  status,
  isDefault,
});
