import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { bindingsOf, checkBindings } from "../model/secrets/binding.ts";
import type { AgentId, CompanyId } from "../model/shared/ids.ts";

/**
 * Refuses a configuration with references that do not exist. Locks the referenced secrets until the transaction ends.
 */
export const checkReferences = Effect.fnUntraced(function* (
  stores: Pick<Stores, "secrets">,
  companyId: CompanyId,
  adapterConfig: Readonly<Record<string, unknown>>,
) {
  const bindings = bindingsOf(adapterConfig);
  if (bindings.length === 0) return;
  const ids = [...new Set(bindings.map(({ secretId }) => secretId))].sort();
  yield* Effect.fromResult(checkBindings(bindings, yield* stores.secrets.hold(companyId, ids)));
});

/** Updates an agent's bindings to match its configuration. The agent's row is locked first. */
export const bindSecrets = (
  stores: Pick<Stores, "secrets">,
  agent: {
    readonly id: AgentId;
    readonly companyId: CompanyId;
    readonly adapterConfig: Readonly<Record<string, unknown>>;
  },
): Effect.Effect<void> =>
  stores.secrets.setBindings(agent.companyId, agent.id, bindingsOf(agent.adapterConfig));
