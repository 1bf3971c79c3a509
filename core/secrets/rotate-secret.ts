import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
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
  (context: UseCaseContext, providers: SecretProviders) => (command: RotateSecret) =>
    Effect.gen(function* () {
      const { secretId, value, by } = command;
      const vaultId = command.providerConfigId ?? null;
      if (Redacted.value(value).trim() === "")
        return yield* Effect.fail(fieldInvalid("value", "must not be blank"));
      const { before, scope } = yield* transact(context, "secrets.rotate", command.by, function* (unit) {
        const before = yield* Effect.flatMap(unit.secrets.find(secretId), (found) =>
          Effect.fromResult(mayRotate(found)),
        );
        return { before, scope: yield* scopeFor(unit, before.companyId, before.provider, vaultId) };
      });
      const version = before.latestVersion + 1;
      const stored = yield* providers
        .of(before.provider)
        .keep(scope, { secretId, key: before.key, version }, value);
      return yield* transact(context, "secrets.rotate", command.by, function* (unit) {
        const locked = yield* unit.secrets.lock(secretId);
        yield* scopeFor(unit, locked.companyId, locked.provider, vaultId);
        const rotated = yield* Effect.fromResult(
          rotate(locked, { vaultId, after: before.latestVersion, at: unit.at }),
        );
        yield* unit.secrets.insertVersion({
          id: command.id,
          secretId,
          companyId: rotated.companyId,
          version,
          vaultId,
          ...stored,
          fingerprint: null,
          isShort: isShort(value),
          disabledAt: null,
          ...authorOf(by),
          createdAt: unit.at,
        });
        // The name and key stay unchanged.
        yield* unit.secrets.save(rotated).pipe(Effect.orDie);
        yield* unit.log("secret.rotated", { companyId: rotated.companyId, id: secretId }, { version });
        return rotated;
      });
    });
