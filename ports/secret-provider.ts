import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { MasterKeyNotReady } from "../core/model/secrets/master-key.ts";
import type { ProviderFailure } from "../core/model/secrets/provider-failure.ts";
import type { SecretVersion } from "../core/model/secrets/secret.ts";
import type { CompanyId, SecretId, VaultId } from "../core/model/shared/ids.ts";
import type { ProviderId } from "../core/model/vaults/provider.ts";
import type { Health } from "../core/model/vaults/vault.ts";
import type { VaultConfig } from "../core/model/vaults/vault-config.ts";

/** The scope of a provider call: a vault of the company, or the deployment's configuration (no vault). */
export interface VaultScope {
  readonly companyId: CompanyId;
  readonly vault: { readonly id: VaultId; readonly config: VaultConfig } | null;
}

/** The location of a stored value. */
export type StoredLocation = Pick<SecretVersion, "sealed" | "externalRef" | "providerVersionRef">;

/** The name and metadata of a new value. */
export interface StoreAs {
  readonly secretId: SecretId;
  readonly key: string;
  readonly version: number;
}

/** A secret in a provider's list, without its value. */
export interface RemoteSecret {
  readonly externalRef: string;
  readonly remoteName: string;
  readonly providerVersionRef: string | null;
  readonly providerMetadata: RemoteMetadata;
}

export interface RemoteMetadata {
  /** ISO 8601. */
  readonly createdDate: string | null;
  readonly lastChangedDate: string | null;
  readonly hasDescription: boolean;
  readonly hasKmsKey: boolean;
  readonly tagCount: number;
}

export interface ListRemote {
  readonly query: string | null;
  /** The provider's own token. */
  readonly nextToken: string | null;
  readonly pageSize: number;
}

/** The configuration of the deployment, read without a call to the provider. Contains no value and no credential. */
export interface ProviderDiagnosis {
  readonly provider: ProviderId;
  readonly status: "ok" | "warn" | "error";
  readonly message: string;
  readonly warnings: readonly string[];
  readonly backupGuidance: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** Stores values, or reads values of others. Failures use the service's own words, never the provider's. */
export interface SecretProvider {
  readonly id: ProviderId;
  /** Whether this installation has no runtime for it: its vaults can only be stored as drafts. */
  readonly isLocked: boolean;
  /** Whether it supports references to existing secrets, and lists them. */
  readonly linksReferences: boolean;
  /** The value is durable when this returns. */
  keep(
    scope: VaultScope,
    as: StoreAs,
    value: Redacted.Redacted<string>,
  ): Effect.Effect<StoredLocation, ProviderFailure>;
  read(
    scope: VaultScope,
    of: { readonly secretId: SecretId; readonly version: number },
    stored: StoredLocation,
  ): Effect.Effect<Redacted.Redacted<string>, ProviderFailure>;
  /** Lists one page of secrets with the list operation alone. */
  list(
    scope: VaultScope,
    which: ListRemote,
  ): Effect.Effect<
    { readonly items: readonly RemoteSecret[]; readonly nextToken: string | null },
    ProviderFailure
  >;
  /** Checks that the reference exists, without reading its value. */
  describe(scope: VaultScope, reference: string): Effect.Effect<void, ProviderFailure>;
  /** Returns the canonical form of a reference; null where the text cannot be one. */
  canonical(scope: VaultScope, reference: string): string | null;
  /** Whether the service itself manages the secret of the reference. */
  manages(scope: VaultScope, reference: string): boolean;
  /** Returns the names under which the service could store the reference, for comparison with existing ones. */
  namesOf(reference: string): readonly string[];
  /** Distinguishes references without revealing them. */
  fingerprint(reference: string, versionRef: string | null): string;
  /** Checks whether the vault works. Never fails: reports problems in its result. */
  probe(scope: VaultScope): Effect.Effect<Health>;
  diagnose(): Effect.Effect<ProviderDiagnosis>;
}

/** All providers of secrets. */
export interface SecretProviders {
  of(provider: ProviderId): SecretProvider;
  /** The default provider of new values (SERVICE_SECRETS_PROVIDER). */
  readonly default: ProviderId;
}

/** The master key, for its rotation. */
export interface MasterKeys {
  /** Returns the fingerprint of the master key that wraps the data keys now. */
  fingerprint(): Effect.Effect<string>;
  /**
   * Rewraps every data key with a new master key, in one transaction, while services run. After an interruption either
   * the old key or the new one opens everything, and a start finds that key.
   */
  rotate(): Effect.Effect<
    { readonly from: string; readonly to: string; readonly dataKeys: number },
    MasterKeyNotReady
  >;
}
