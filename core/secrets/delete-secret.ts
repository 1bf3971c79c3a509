import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { SecretBound } from "../model/secrets/secret.ts";
import type { SecretId } from "../model/shared/ids.ts";

export interface DeleteSecret {
  readonly secretId: SecretId;
  readonly by: Actor;
  /** Deletes although agents are bound to it. */
  readonly force: boolean;
}

/**
 * Deletes a secret with all its versions: reads end at once. The provider keeps what it stores under the name or
 * reference.
 */
export const deleteSecret = (transactor: Transactor, clock: Clock) => (command: DeleteSecret) =>
  transact(transactor, function* (stores) {
    const { secretId, by, force } = command;
    const secret = yield* stores.secrets.lockAlone(secretId);
    const bindings = yield* stores.secrets.bindingsTo(secretId);
    const repositories = yield* stores.repositories.usingSecret(secretId);
    const mcpServers = yield* stores.mcpServers.usingSecret(secret.companyId, secretId);
    if (bindings.length + repositories.length + mcpServers.length > 0 && !force)
      return yield* Effect.fail(
        new SecretBound(
          { bindings, repositories, mcpServers },
          bindings.length > 0
            ? undefined
            : repositories.length === 0
              ? "MCP servers get the secret. Give them another one, or delete it with force: runs then go without them."
              : "Repositories authenticate with the secret. Give them another one, or delete it with force: their fetches then fail.",
        ),
      );
    yield* stores.secrets.delete(secretId);
    yield* logAction(stores, secret, by, clock.now(), "secret.deleted", {
      forced: force,
      bindings: bindings.length,
    });
  });
