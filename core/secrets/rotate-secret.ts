import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Clock } from "../../ports/clock.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import { type Actor, authorOf } from "../model/access/caller.ts";
import { fieldInvalid, mayRotate, rotate } from "../model/secrets/secret.ts";
import type { SecretId, VaultId, VersionId } from "../model/shared/ids.ts";
import { isShort } from "./create-secret.ts";
import { scopeFor } from "./vault-scope.ts";

export interface RotateSecret {
  /** The label of the new version. */
  readonly id: VersionId;
  readonly secretId: SecretId;
  readonly by: Actor;
  readonly value: Redacted.Redacted<string>;
  /** Where the new value is stored; default: the deployment's scope for that provider. */
  readonly providerConfigId?: VaultId | null | undefined;
}

/** Adds a version with a new value. Agents bound to the latest get it in their next run. */
export const rotateSecret =
  (transactor: Transactor, clock: Clock, providers: SecretProviders) => (command: RotateSecret) =>
    Effect.gen(function* () {
      const { secretId, value, by } = command;
      const vaultId = command.providerConfigId ?? null;
      if (Redacted.value(value).trim() === "")
        return yield* Effect.fail(fieldInvalid("value", "must not be blank"));
      const { before, scope } = yield* transact(transactor, function* (stores) {
        const before = yield* Effect.flatMap(stores.secrets.find(secretId), (found) =>
          Effect.fromResult(mayRotate(found)),
        );
        return { before, scope: yield* scopeFor(stores, before.companyId, before.provider, vaultId) };
      });
      const version = before.latestVersion + 1;
      const kept = yield* providers
        .of(before.provider)
        .keep(scope, { secretId, key: before.key, version }, value);
      return yield* transact(transactor, function* (stores) {
        const locked = yield* stores.secrets.lock(secretId);
        yield* scopeFor(stores, locked.companyId, locked.provider, vaultId);
        const at = clock.now();
        const rotated = yield* Effect.fromResult(
          rotate(locked, { vaultId, after: before.latestVersion, at }),
        );
        yield* stores.secrets.insertVersion({
          id: command.id,
          secretId,
          companyId: rotated.companyId,
          version,
          vaultId,
          ...kept,
          fingerprint: null,
          isShort: isShort(value),
          disabledAt: null,
          ...authorOf(by),
          createdAt: at,
        });
        // The name and key stay unchanged.
        yield* stores.secrets.save(rotated).pipe(Effect.orDie);
        yield* logAction(stores, { companyId: rotated.companyId, id: secretId }, by, at, "secret.rotated", {
          version,
        });
        return rotated;
      });
    });
