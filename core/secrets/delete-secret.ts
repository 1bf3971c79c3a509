import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
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
 * Deletes a secret with all its versions: reads end at once. What the provider stores under the name or reference stays there.
 */
export const deleteSecret = useCase("secrets.delete", function* (unit, command: DeleteSecret) {
  const { secretId, force } = command;
  const secret = yield* unit.secrets.lockAlone(secretId);
  const bindings = yield* unit.secrets.bindingsTo(secretId);
  const repositories = yield* unit.repositories.usingSecret(secretId);
  const mcpServers = yield* unit.mcpServers.usingSecret(secretId);
  if (bindings.length + repositories.length + mcpServers.length > 0 && !force)
    return yield* Effect.fail(
      new SecretBound(
        { bindings, repositories, mcpServers },
        bindings.length > 0
          ? undefined
          : repositories.length === 0
            ? "MCP servers use this secret. Replace it there first, or delete it with force: runs then start without those servers."
            : "Repositories use this secret. Replace it there first, or delete it with force: fetching then fails.",
      ),
    );
  yield* unit.secrets.delete(secretId);
  yield* unit.log("secret.deleted", secret, { forced: force, bindings: bindings.length });
});
