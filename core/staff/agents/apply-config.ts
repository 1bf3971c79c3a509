import * as Effect from "effect/Effect";
import type { Ids } from "../../../ports/ids.ts";
import type { AgentInCompany } from "../../../ports/stores/agent-store.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { type Actor, authorOf } from "../../model/access/caller.ts";
import { differencesOf } from "../../model/activity/differences.ts";
import { type Agent, configure } from "../../model/agents/agent.ts";
import { type AgentConfig, changedKeys, configOf } from "../../model/agents/agent-config.ts";
import type { GrantedPath } from "../../model/agents/named-paths.ts";
import type { RevisionId } from "../../model/shared/ids.ts";
import { type Instant, monthOf } from "../../model/shared/instant.ts";
import { applyAgentBudget } from "../../money/apply-budget.ts";
import { bindSecrets, checkReferences } from "../../secrets/bind-secrets.ts";
import { checkManager } from "./agent-settings.ts";

interface Change {
  readonly source: "patch" | "rollback";
  readonly from?: RevisionId;
  /** Set where the change concerns only this. */
  readonly skills?: readonly string[];
  readonly grantedPaths: readonly GrantedPath[];
  readonly by: Actor;
  readonly at: Instant;
}

/** Replaces the agent's configuration, its name and manager included. */
export const reconfigure = Effect.fnUntraced(function* (
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
  { source, from, skills, grantedPaths, by, at }: Change,
  save: (agent: Agent) => Effect.Effect<void, E>,
) {
  const before = configOf(agent);
  const configured = { ...(yield* Effect.fromResult(configure(agent, after, at))), grantedPaths };
  const changed = changedKeys(before, after);
  if (changed.length === 0) {
    if (JSON.stringify(grantedPaths) === JSON.stringify(agent.grantedPaths)) return agent;
    yield* save(configured);
    yield* logAction(stores, agent, by, at, "agent.updated", { changed: ["adapterConfig"] });
    return { ...agent, ...configured };
  }
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
  if (from !== undefined)
    yield* logAction(stores, agent, by, at, "agent.config_rolled_back", { toRevisionId: from });
  else if (skills !== undefined)
    yield* logAction(stores, agent, by, at, "agent.skills_synced", { desiredSkills: skills });
  else
    yield* logAction(stores, agent, by, at, "agent.updated", {
      changed,
      differences: differencesOf(before, after, changed),
    });
  const reconfigured = { ...agent, ...configured };
  if (!changed.includes("budgetMonthlyCents")) return reconfigured;
  const spend = yield* stores.costs.spent(agent.id, monthOf(at));
  return yield* applyAgentBudget(stores, ids, reconfigured, spend, at);
});
