import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { SecretId } from "../shared/ids.ts";
import { descriptionOf, type Secret, type SecretStatus } from "./secret.ts";

export interface UpdateSecret {
  readonly secretId: SecretId;
  readonly by: Actor;
  readonly name?: string | undefined;
  readonly key?: string | undefined;
  readonly description?: string | null | undefined;
  readonly status?: SecretStatus | undefined;
  readonly providerMetadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Changes what is said of a secret, or disables it: from then on no run is given it. */
export const updateSecret = (transactor: Transactor, clock: Clock) => (command: UpdateSecret) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const before = yield* stores.secrets.lock(command.secretId);
      const at = clock.now();
      const after: Secret = {
        ...before,
        name: command.name ?? before.name,
        key: command.key ?? before.key,
        description:
          command.description === undefined ? before.description : descriptionOf(command.description),
        status: command.status ?? before.status,
        providerMetadata:
          command.providerMetadata === undefined ? before.providerMetadata : command.providerMetadata,
        updatedAt: at,
      };
      const changed = (["name", "key", "description", "status", "providerMetadata"] as const).filter(
        (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
      );
      if (changed.length === 0) return before;
      yield* stores.secrets.save(after);
      yield* stores.activity.append({
        companyId: after.companyId,
        by: command.by,
        at,
        action: "secret.updated",
        entityId: after.id,
        details: { changed },
      });
      return after;
    }),
  );
