import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { MasterKeyNotReady } from "../core/secrets/master-key.ts";
import type { ProviderFailure } from "../core/secrets/provider-failure.ts";
import type { SecretVersion } from "../core/secrets/secret.ts";
import type { CompanyId, SecretId, VaultId } from "../core/shared/ids.ts";
import type { ProviderId } from "../core/vaults/provider.ts";
import type { Health } from "../core/vaults/vault.ts";
import type { VaultConfig } from "../core/vaults/vault-config.ts";

/** Which of a provider's places: a vault of the company, or what the deployment is configured for (no vault). */
export interface Place {
  readonly companyId: CompanyId;
  readonly vault: { readonly id: VaultId; readonly config: VaultConfig } | null;
}

/** Where a value is kept; all that a row needs to find it again. */
export type Kept = Pick<SecretVersion, "sealed" | "externalRef" | "providerVersionRef">;

/** As what a new value is kept. */
export interface KeepAs {
  readonly secretId: SecretId;
  readonly key: string;
  readonly version: number;
}

/** What a list says of a secret. No value is read for it. */
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
  /** As the provider gave it. */
  readonly nextToken: string | null;
  readonly pageSize: number;
}

/** The setup of the deployment, without asking the provider. No value and no credential is in it. */
export interface ProviderDiagnosis {
  readonly provider: ProviderId;
  readonly status: "ok" | "warn" | "error";
  readonly message: string;
  readonly warnings: readonly string[];
  readonly backupGuidance: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** Keeps values, or only reads those that others keep. Failures carry words of ours, never the provider's. */
export interface SecretProvider {
  readonly id: ProviderId;
  /** References to what others keep, and lists of it. */
  readonly linksReferences: boolean;
  /** The value is kept for good when it answers. */
  keep(place: Place, as: KeepAs, value: Redacted.Redacted<string>): Effect.Effect<Kept, ProviderFailure>;
  read(
    place: Place,
    of: { readonly secretId: SecretId; readonly version: number },
    kept: Kept,
  ): Effect.Effect<Redacted.Redacted<string>, ProviderFailure>;
  /** One page of what is there, by the list operation alone. */
  list(
    place: Place,
    which: ListRemote,
  ): Effect.Effect<
    { readonly items: readonly RemoteSecret[]; readonly nextToken: string | null },
    ProviderFailure
  >;
  /** Asks whether the reference is there, without reading its value. */
  describe(place: Place, reference: string): Effect.Effect<void, ProviderFailure>;
  /** The one form that all ways of writing a reference come down to; null where it can be no reference at all. */
  canonical(place: Place, reference: string): string | null;
  /** Whether a reference lies in what the service manages itself in that place. */
  manages(place: Place, reference: string): boolean;
  /** Names under which a reference could be kept by the service, to be compared with those that are. */
  namesOf(reference: string): readonly string[];
  /** Tells one reference from another without being one. */
  fingerprint(reference: string, versionRef: string | null): string;
  /** Asks the provider whether the vault works. Never fails: what is wrong is the answer. */
  probe(place: Place): Effect.Effect<Health>;
  diagnose(): Effect.Effect<ProviderDiagnosis>;
}

/** All providers that a secret may be kept with. */
export interface SecretProviders {
  of(provider: ProviderId): SecretProvider;
  /** Where values go when nobody says where (SERVICE_SECRETS_PROVIDER). */
  readonly usual: ProviderId;
}

/** The master key, as its rotation sees it. */
export interface MasterKeys {
  /** Of the key that data keys are wrapped by now. */
  fingerprint(): Effect.Effect<string>;
  /**
   * Wraps every data key by a new master key, in one transaction, while services go on. Whatever ends it in the middle,
   * either the old key opens everything or the new one does, and the key that does is where a start looks.
   */
  rotate(): Effect.Effect<
    { readonly from: string; readonly to: string; readonly dataKeys: number },
    MasterKeyNotReady
  >;
}
