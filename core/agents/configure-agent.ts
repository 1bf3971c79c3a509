import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, authorOf } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { settleAgentBudget } from "../costs/settle-budget.ts";
import { bindSecrets, checkReferences } from "../secrets/bind-secrets.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId, RevisionId } from "../shared/ids.ts";
import { type Instant, monthOf } from "../shared/instant.ts";
import { type Agent, configure } from "./agent.ts";
import {
  type AgentConfig,
  changedKeys,
  configOf,
  mergeAdapterConfig,
  mergeRuntimeConfig,
  type RuntimeConfigPatch,
} from "./agent-config.ts";
import { checkAdapter, checkManager, checkOwnSettings } from "./agent-settings.ts";
import { refuseLoaderVariables } from "./loader-variables.ts";

export class RevisionNotFound extends refusal(
  "revision_not_found",
  "not_found",
  "There is no such revision.",
) {}

export interface UpdateAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
  /** Missing fields stay unchanged; adapterConfig and runtimeConfig are merged deeply. */
  readonly changes: {
    readonly [Field in Exclude<keyof AgentConfig, "runtimeConfig">]?: AgentConfig[Field] | undefined;
  } & { readonly runtimeConfig?: RuntimeConfigPatch | undefined };
}

export const updateAgent =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) => (command: UpdateAgent) =>
    transactAs(transactor, command.by, (stores) =>
      Effect.gen(function* () {
        const { by, changes } = command;
        const agent = yield* stores.agents.lock(command.agentId);
        yield* checkOwnSettings(adapters, agent, changes, by);
        yield* Effect.fromResult(refuseLoaderVariables(by, changes.adapterConfig));
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
        const before = configOf(agent);
        const after: AgentConfig = {
          ...before,
          ...given,
          adapterConfig:
            changes.adapterConfig === undefined
              ? before.adapterConfig
              : yield* Effect.fromResult(mergeAdapterConfig(before.adapterConfig, changes.adapterConfig)),
          runtimeConfig:
            changes.runtimeConfig === undefined
              ? before.runtimeConfig
              : mergeRuntimeConfig(before.runtimeConfig, changes.runtimeConfig),
        };
        if (after.adapterType !== before.adapterType) yield* checkAdapter(adapters, after.adapterType);
        return yield* reconfigure(stores, ids, agent, after, { source: "patch", by, at: clock.now() });
      }),
    );

export interface RollbackAgent {
  readonly agentId: AgentId;
  readonly revisionId: RevisionId;
  readonly by: Actor;
}

/** Restores the configuration of a revision, except its budget, as a new revision. */
export const rollbackAgent =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) => (command: RollbackAgent) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const agent = yield* stores.agents.lock(command.agentId);
        const revision = yield* stores.agents.findRevision(command.revisionId, agent.id);
        if (revision === null) return yield* Effect.fail(new RevisionNotFound());
        yield* checkAdapter(adapters, revision.afterConfig.adapterType);
        // The budget is not part of a restored configuration.
        const { budgetMonthlyCents } = agent;
        return yield* reconfigure(
          stores,
          ids,
          agent,
          { ...revision.afterConfig, budgetMonthlyCents },
          {
            source: "rollback",
            from: revision.id,
            by: command.by,
            at: clock.now(),
          },
        );
      }),
    );

interface Change {
  readonly source: "patch" | "rollback";
  readonly from?: RevisionId;
  /** Set where the change concerns only this. */
  readonly skills?: readonly string[];
  readonly by: Actor;
  readonly at: Instant;
}

/** Replaces the agent's configuration, its name and manager included. */
const reconfigure = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  agent: AgentInCompany,
  after: AgentConfig,
  change: Change,
) {
  if (after.reportsTo !== agent.reportsTo) {
    yield* Effect.fromResult(configure(agent, after, change.at));
    yield* checkManager(stores, agent.companyId, agent.id, after.reportsTo);
  }
  return yield* applyConfig(stores, ids, agent, after, change, stores.agents.saveRenamed);
});

/** Stores the configuration as a revision, with its consequences. `save` fails as the change can. */
export const applyConfig = Effect.fnUntraced(function* <E>(
  stores: Stores,
  ids: Ids,
  agent: AgentInCompany,
  after: AgentConfig,
  { source, from, skills, by, at }: Change,
  save: (agent: Agent) => Effect.Effect<void, E>,
) {
  const before = configOf(agent);
  const configured = yield* Effect.fromResult(configure(agent, after, at));
  const changed = changedKeys(before, after);
  if (changed.length === 0) return agent;
  if (changed.includes("adapterConfig")) yield* checkReferences(stores, agent.companyId, after.adapterConfig);
  yield* save(configured);
  // A queued run starts with the agent's configuration at that time, including its adapter.
  if (changed.includes("adapterType")) yield* stores.runs.handToAdapter(agent.id, after.adapterType, at);
  if (changed.includes("adapterConfig")) yield* bindSecrets(stores, configured);
  yield* stores.agents.insertRevision({
    id: ids.next<"revision">(),
    companyId: agent.companyId,
    agentId: agent.id,
    source,
    rolledBackFromRevisionId: from ?? null,
    changedKeys: changed,
    beforeConfig: before,
    afterConfig: after,
    ...authorOf(by),
    createdAt: at,
  });
  const entry = { companyId: agent.companyId, by, at, entityId: agent.id };
  if (from !== undefined)
    yield* stores.activity.append({
      ...entry,
      action: "agent.config_rolled_back",
      details: { toRevisionId: from },
    });
  else if (skills !== undefined)
    yield* stores.activity.append({
      ...entry,
      action: "agent.skills_synced",
      details: { desiredSkills: skills },
    });
  else yield* stores.activity.append({ ...entry, action: "agent.updated", details: { changed } });
  const reconfigured = { ...agent, ...configured };
  if (!changed.includes("budgetMonthlyCents")) return reconfigured;
  const spend = yield* stores.costs.spent(agent.id, monthOf(at));
  return yield* settleAgentBudget(stores, ids, reconfigured, spend, at);
});
