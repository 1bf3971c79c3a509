import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { logAction } from "../activity/log-action.ts";
import type { SecretId } from "../shared/ids.ts";
import { patched } from "../shared/patch.ts";
import { descriptionOf, type SecretStatus } from "./secret.ts";

export interface UpdateSecret {
  readonly secretId: SecretId;
  readonly by: Actor;
  readonly name?: string | undefined;
  readonly key?: string | undefined;
  readonly description?: string | null | undefined;
  readonly status?: SecretStatus | undefined;
  readonly providerMetadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Changes a secret's attributes, or disables it: a disabled secret is given to no run. */
export const updateSecret = (transactor: Transactor, clock: Clock) => (command: UpdateSecret) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const before = yield* stores.secrets.lock(command.secretId);
      const at = clock.now();
      const said = command.description;
      const { after, changed } = patched(
        before,
        said === undefined ? command : { ...command, description: descriptionOf(said) },
        ["name", "key", "description", "status", "providerMetadata"],
        at,
      );
      if (changed.length === 0) return before;
      yield* stores.secrets.save(after);
      yield* logAction(stores, after, command.by, at, "secret.updated", { changed });
      return after;
    }),
  );
