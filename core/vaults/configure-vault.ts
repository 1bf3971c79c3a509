import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, actingAgent, actingUser } from "../access/caller.ts";
import type { CompanyId, VaultId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { ProviderId } from "./provider.ts";
import { changeVault, newVault, disableVault as softly, type Vault, type VaultStatus } from "./vault.ts";
import { vaultConfigOf } from "./vault-config.ts";

type GivenConfig = Readonly<Record<string, unknown>>;

export interface CreateVault {
  readonly id: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly provider: ProviderId;
  readonly displayName: string;
  readonly status?: VaultStatus | undefined;
  readonly isDefault?: boolean | undefined;
  readonly config?: GivenConfig | undefined;
}

export const createVault = (transactor: Transactor, clock: Clock) => (command: CreateVault) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { by } = command;
      const at = clock.now();
      const config = yield* Effect.fromResult(vaultConfigOf(command.provider, command.config ?? {}));
      const vault = yield* Effect.fromResult(
        newVault({
          ...command,
          config,
          by: {
            agentId: actingAgent(by),
            userId: actingUser(by),
          },
          at,
        }),
      );
      if (vault.isDefault) {
        yield* stores.vaults.lockDefaults(vault.companyId);
        yield* stores.vaults.clearDefault(vault, at);
      }
      yield* stores.vaults.insert(vault);
      yield* stores.activity.append({
        companyId: vault.companyId,
        by,
        at,
        action: "secret_provider_config.created",
        entityId: vault.id,
        details: factsOf(vault),
      });
      return vault;
    }),
  );

export interface ChangeVault {
  readonly vaultId: VaultId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

export interface UpdateVault extends ChangeVault {
  readonly displayName?: string | undefined;
  readonly status?: VaultStatus | undefined;
  readonly isDefault?: boolean | undefined;
  /** Replaces the complete configuration. */
  readonly config?: GivenConfig | undefined;
}

export const updateVault = (transactor: Transactor, clock: Clock) => (command: UpdateVault) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { displayName, status, isDefault } = command;
      if (isDefault) yield* stores.vaults.lockDefaults(command.companyId);
      const before = yield* stores.vaults.lock(command.vaultId);
      const at = clock.now();
      const config =
        command.config === undefined
          ? undefined
          : yield* Effect.fromResult(vaultConfigOf(before.provider, command.config));
      const after = yield* Effect.fromResult(
        changeVault(before, { displayName, status, isDefault, config }, at),
      );
      if (after.isDefault && !before.isDefault) yield* stores.vaults.clearDefault(after, at);
      return yield* keep(stores, "secret_provider_config.updated", before, after, command.by, at);
    }),
  );

export const setDefaultVault = (transactor: Transactor, clock: Clock) => (command: ChangeVault) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      yield* stores.vaults.lockDefaults(command.companyId);
      const before = yield* stores.vaults.lock(command.vaultId);
      const at = clock.now();
      const after = yield* Effect.fromResult(changeVault(before, { isDefault: true }, at));
      yield* stores.vaults.clearDefault(after, at);
      return yield* keep(stores, "secret_provider_config.default_set", before, after, command.by, at);
    }),
  );

export const disableVault = (transactor: Transactor, clock: Clock) => (command: ChangeVault) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const before = yield* stores.vaults.lock(command.vaultId);
      const at = clock.now();
      const after = softly(before, at);
      if (after === before) return before;
      return yield* keep(stores, "secret_provider_config.disabled", before, after, command.by, at);
    }),
  );

type VaultChange =
  | "secret_provider_config.updated"
  | "secret_provider_config.default_set"
  | "secret_provider_config.disabled"
  | "secret_provider_config.health_checked";

/** Saves the vault and logs changes of status and default. */
export const keep = Effect.fnUntraced(function* (
  stores: Stores,
  action: VaultChange,
  before: Vault,
  after: Vault,
  by: Actor,
  at: Instant,
) {
  yield* stores.vaults.save(after);
  yield* stores.activity.append({
    companyId: after.companyId,
    by,
    at,
    action,
    entityId: after.id,
    details: {
      ...factsOf(after),
      previousStatus: before.status,
      previousIsDefault: before.isDefault,
    },
  });
  return after;
});

const factsOf = ({ id, provider, displayName, status, isDefault }: Vault) => ({
  vaultId: id,
  provider,
  displayName,
  status,
  isDefault,
});
