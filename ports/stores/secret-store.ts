import type * as Effect from "effect/Effect";
import type { SecretBinding } from "../../core/model/secrets/binding.ts";
import type { Existing } from "../../core/model/secrets/import-candidate.ts";
import type {
  ReferenceTaken,
  Secret,
  SecretKeyTaken,
  SecretNameTaken,
  SecretNotFound,
  SecretVersion,
} from "../../core/model/secrets/secret.ts";
import type { AgentId, CompanyId, IssueId, RunId, SecretId, VaultId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { ProviderId } from "../../core/model/vaults/provider.ts";
import type { Vault } from "../../core/model/vaults/vault.ts";

/** A run's access to a value, and its outcome. */
export interface AccessEvent {
  readonly companyId: CompanyId;
  readonly secretId: SecretId;
  readonly version: number | null;
  readonly provider: ProviderId;
  readonly agentId: AgentId;
  readonly configPath: string;
  readonly issueId: IssueId | null;
  readonly runId: RunId;
  readonly outcome: "success" | "failure";
  readonly errorCode: string | null;
  readonly at: Instant;
}

/** The target of a binding. */
export interface Bound {
  readonly secret: Secret;
  /** null where the secret has no such version. */
  readonly version: SecretVersion | null;
  readonly vault: Vault | null;
}

export interface BoundAgent {
  readonly agentId: AgentId;
  readonly agentName: string;
  readonly configPath: string;
}

export interface SecretStore {
  find(id: SecretId): Effect.Effect<Secret, SecretNotFound>;
  /** Waits for a concurrent lock and takes it. */
  lock(id: SecretId): Effect.Effect<Secret, SecretNotFound>;
  insert(secret: Secret): Effect.Effect<void, SecretNameTaken | SecretKeyTaken | ReferenceTaken>;
  save(secret: Secret): Effect.Effect<void, SecretNameTaken | SecretKeyTaken>;
  /** Locks it for deletion: nothing can refer to it meanwhile. */
  lockAlone(id: SecretId): Effect.Effect<Secret, SecretNotFound>;
  /** Its bindings of agents that are not terminated. */
  bindingsTo(id: SecretId): Effect.Effect<readonly BoundAgent[]>;
  /** Also deletes its versions, its bindings and its access events. */
  delete(id: SecretId): Effect.Effect<void>;
  /** Returns false where the version has that state already. */
  setVersionDisabled(id: SecretId, version: number, disabledAt: Instant | null): Effect.Effect<boolean>;
  insertVersion(version: SecretVersion): Effect.Effect<void>;
  /** Returns secrets that conflict with one of the names, keys or references (of that vault). */
  existing(
    companyId: CompanyId,
    which: {
      readonly names: readonly string[];
      readonly keys: readonly string[];
      readonly references: {
        readonly provider: ProviderId;
        readonly vaultId: VaultId | null;
        readonly canonical: readonly string[];
      } | null;
    },
  ): Effect.Effect<readonly Existing[]>;
  /** Returns the names under which the service stores a value there, for any company. */
  managedNames(names: readonly string[]): Effect.Effect<ReadonlySet<string>>;
  /** Returns the company's secrets among the ids; locks them against changes until the end of the transaction. */
  hold(companyId: CompanyId, ids: readonly SecretId[]): Effect.Effect<ReadonlyMap<SecretId, Secret>>;
  setBindings(
    companyId: CompanyId,
    agentId: AgentId,
    bindings: readonly SecretBinding[],
  ): Effect.Effect<void>;
  /** In the order of the bindings; null where the company has no such secret. */
  bound(companyId: CompanyId, bindings: readonly SecretBinding[]): Effect.Effect<readonly (Bound | null)[]>;
  /** Also updates the secret's time of last use. */
  recordAccess(event: AccessEvent): Effect.Effect<void>;
}
