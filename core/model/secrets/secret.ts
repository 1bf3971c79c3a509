import * as Result from "effect/Result";
import { refusal, ValidationFailed } from "../shared/failure.ts";
import type { AgentId, CompanyId, SecretId, UserId, VaultId, VersionId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { ProviderId } from "../vaults/provider.ts";

export const managedModes = ["service_managed", "external_reference"] as const;
export type ManagedMode = (typeof managedModes)[number];

export const secretStatuses = ["active", "disabled"] as const;
export type SecretStatus = (typeof secretStatuses)[number];

/** A named value that is given to agents' programs and never shown. It has no field for the value. */
export interface Secret {
  readonly id: SecretId;
  readonly companyId: CompanyId;
  readonly key: string;
  readonly name: string;
  readonly description: string | null;
  readonly provider: ProviderId;
  readonly vaultId: VaultId | null;
  readonly managedMode: ManagedMode;
  readonly status: SecretStatus;
  /** As entered; null for a secret that the service manages. */
  readonly externalRef: string | null;
  /** The canonical form of the reference. */
  readonly canonicalRef: string | null;
  readonly providerMetadata: Readonly<Record<string, unknown>> | null;
  readonly latestVersion: number;
  readonly lastResolvedAt: Instant | null;
  readonly lastRotatedAt: Instant | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Where a version's value is stored: here as ciphertext, or with the provider under a reference. */
export interface SecretVersion {
  readonly id: VersionId;
  readonly secretId: SecretId;
  readonly companyId: CompanyId;
  readonly version: number;
  readonly vaultId: VaultId | null;
  readonly sealed: Uint8Array | null;
  readonly externalRef: string | null;
  readonly providerVersionRef: string | null;
  /** The digest of the reference. A value has none, because the digest of a short one could be guessed. */
  readonly fingerprint: string | null;
  /** A disabled version is given to no run. */
  readonly disabledAt: Instant | null;
  /** Whether the value is too short to be masked; null where the service has not seen it. */
  readonly isShort: boolean | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
}

/** Values with fewer characters are not masked in logs, because they would match ordinary text. */
export const maskedFromLength = 6;

export class SecretNotFound extends refusal("secret_not_found", "not_found", "Secret not found.") {}

export class SecretVersionNotFound extends refusal(
  "secret_version_not_found",
  "not_found",
  "Secret version not found.",
) {}

/** Details: the bindings. */
export class SecretBound extends refusal(
  "secret_bound",
  "conflict",
  "Agents use this secret. Remove it from their environment first, or delete it with force: their runs then fail to start.",
) {}

export class SecretNameTaken extends refusal(
  "secret_name_taken",
  "conflict",
  "Another secret already has this name.",
) {}

export class SecretKeyTaken extends refusal(
  "secret_key_taken",
  "conflict",
  "Another secret already has this key.",
) {}

export class ReferenceTaken extends refusal(
  "secret_reference_taken",
  "conflict",
  "Another secret already uses this reference.",
) {}

export class SecretKeyEmpty extends refusal(
  "secret_key_empty",
  "unprocessable",
  "A key can't be generated from this name. Send one.",
) {}

export class SecretDisabled extends refusal(
  "secret_disabled",
  "unprocessable",
  "This secret is disabled. Enable it or use another.",
) {}

/** The error of one request field; never its content. */
export const fieldInvalid = (field: string, message: string): ValidationFailed =>
  new ValidationFailed([{ path: [field], code: "custom", message }], `${field}: ${message}`);

export class RotationUnsupported extends refusal(
  "external_reference_not_rotatable",
  "unprocessable",
  "Rotate this secret in its provider, which manages the value.",
) {}

export class RotationOvertaken extends refusal(
  "secret_rotated_meanwhile",
  "conflict",
  "The secret was just rotated by another request. Rotate again if you still need to.",
) {}

export class ReferenceGuarded extends refusal(
  "provider_guardrail",
  "unprocessable",
  "Boardroom manages this namespace itself.",
) {}

export class ProviderNotSupported extends refusal(
  "provider_not_supported",
  "unprocessable",
  "The provider doesn't support this.",
) {}

/** The key suggested by a name; empty where no character is usable. */
export const keyOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, "-")
    .slice(0, 120)
    .replace(/^-+|-+$/g, "");

/** Treats a blank text as missing. */
export const descriptionOf = (text: string | null | undefined): string | null =>
  text == null || text.trim() === "" ? null : text.trim();

export interface RotatedBy {
  readonly vaultId: VaultId | null;
  /** The latest version when the new value was created. */
  readonly after: number;
  readonly at: Instant;
}

/** Returns the secret with one more version. */
export const rotate = (
  secret: Secret,
  { vaultId, after, at }: RotatedBy,
): Result.Result<Secret, SecretDisabled | RotationUnsupported | RotationOvertaken> => {
  const may = mayRotate(secret);
  if (Result.isFailure(may)) return Result.fail(may.failure);
  if (secret.latestVersion !== after) return Result.fail(new RotationOvertaken());
  return Result.succeed({
    ...secret,
    vaultId,
    latestVersion: after + 1,
    lastRotatedAt: at,
    updatedAt: at,
  });
};

export const mayRotate = (secret: Secret): Result.Result<Secret, SecretDisabled | RotationUnsupported> =>
  secret.status === "disabled"
    ? Result.fail(new SecretDisabled())
    : secret.managedMode === "external_reference"
      ? Result.fail(new RotationUnsupported())
      : Result.succeed(secret);
