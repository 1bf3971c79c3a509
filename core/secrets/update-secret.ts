import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { descriptionOf, type Secret } from "../model/secrets/secret.ts";
import type { SecretId } from "../model/shared/ids.ts";
import { type Change, patched } from "../model/shared/patch.ts";

const fields = ["name", "key", "description", "status", "providerMetadata"] as const;

export interface UpdateSecret extends Change<Secret, (typeof fields)[number]> {
  readonly secretId: SecretId;
  readonly by: Actor;
}

/** Changes a secret's attributes, or disables it: a disabled secret is given to no run. */
export const updateSecret = (transactor: Transactor, clock: Clock) => (command: UpdateSecret) =>
  transact(transactor, function* (stores) {
    const before = yield* stores.secrets.lock(command.secretId);
    const at = clock.now();
    const said = command.description;
    const { after, changed } = patched(
      before,
      said === undefined ? command : { ...command, description: descriptionOf(said) },
      fields,
      at,
    );
    if (changed.length === 0) return before;
    yield* stores.secrets.save(after);
    yield* logAction(stores, after, command.by, at, "secret.updated", { changed });
    return after;
  });
