import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import { type Actor, actingAgent, actingUser } from "../../model/access/caller.ts";
import { type NewVault, newVault, vaultFacts } from "../../model/vaults/vault.ts";
import { vaultConfigOf } from "../../model/vaults/vault-config.ts";

export interface CreateVault extends Omit<NewVault, "config" | "by" | "at"> {
  readonly by: Actor;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

export const createVault = (transactor: Transactor, clock: Clock) => (command: CreateVault) =>
  transact(transactor, function* (stores) {
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
    yield* logAction(stores, vault, by, at, "secret_provider_config.created", vaultFacts(vault));
    return vault;
  });
