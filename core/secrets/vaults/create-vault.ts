import * as Effect from "effect/Effect";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import { useCase } from "../../access/unit-of-work.ts";
import { type Actor, actingAgent, actingUser } from "../../model/access/caller.ts";
import { type NewVault, newVault, vaultFacts } from "../../model/vaults/vault.ts";
import { vaultConfigOf } from "../../model/vaults/vault-config.ts";

export interface CreateVault extends Omit<NewVault, "config" | "by" | "at" | "isLocked"> {
  readonly by: Actor;
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

export const createVault = (providers: SecretProviders) =>
  useCase("vaults.create", function* (unit, command: CreateVault) {
    const config = yield* Effect.fromResult(vaultConfigOf(command.provider, command.config ?? {}));
    const vault = yield* Effect.fromResult(
      newVault({
        ...command,
        config,
        by: {
          agentId: actingAgent(unit.by),
          userId: actingUser(unit.by),
        },
        at: unit.at,
        isLocked: providers.of(command.provider).isLocked,
      }),
    );
    if (vault.isDefault) {
      yield* unit.vaults.lockDefaults(vault.companyId);
      yield* unit.vaults.clearDefault(vault, unit.at);
    }
    yield* unit.vaults.insert(vault);
    yield* unit.log("secret_provider_config.created", vault, vaultFacts(vault));
    return vault;
  });
