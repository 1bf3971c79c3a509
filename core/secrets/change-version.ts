import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { type SecretStatus, SecretVersionNotFound } from "../model/secrets/secret.ts";
import type { SecretId } from "../model/shared/ids.ts";

export interface ChangeVersion {
  readonly secretId: SecretId;
  readonly version: number;
  readonly status: SecretStatus;
  readonly by: Actor;
}

/** Disables or enables one version of a secret. A disabled version is given to no run. */
export const changeVersion = (transactor: Transactor, clock: Clock) => (command: ChangeVersion) =>
  transact(transactor, function* (stores) {
    const { secretId, version, status, by } = command;
    const secret = yield* stores.secrets.lock(secretId);
    if (version > secret.latestVersion) return yield* Effect.fail(new SecretVersionNotFound());
    const at = clock.now();
    const changed = yield* stores.secrets.setVersionDisabled(
      secretId,
      version,
      status === "disabled" ? at : null,
    );
    if (changed)
      yield* logAction(stores, secret, by, at, "secret.version_changed", {
        version,
        status,
      });
  });
