import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
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
export const changeVersion = useCase("secrets.changeVersion", function* (unit, command: ChangeVersion) {
  const { secretId, version, status } = command;
  const secret = yield* unit.secrets.lock(secretId);
  if (version > secret.latestVersion) return yield* Effect.fail(new SecretVersionNotFound());
  const changed = yield* unit.secrets.setVersionDisabled(
    secretId,
    version,
    status === "disabled" ? unit.at : null,
  );
  if (changed) yield* unit.log("secret.version_changed", secret, { version, status });
});
