import * as Effect from "effect/Effect";
import type { AgentInCompany } from "../../../ports/stores/agent-store.ts";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { authorOf } from "../../model/access/caller.ts";
import { differencesOf } from "../../model/activity/differences.ts";
import { type Agent, configure } from "../../model/agents/agent.ts";
import { type AgentConfig, changedKeys, configOf } from "../../model/agents/agent-config.ts";
import type { GrantedPath } from "../../model/agents/named-paths.ts";
import type { RevisionId } from "../../model/shared/ids.ts";
import { monthOf } from "../../model/shared/instant.ts";
import { applyAgentBudget } from "../../money/apply-budget.ts";
import { bindSecrets, checkReferences } from "../../secrets/bind-secrets.ts";
import { checkManager } from "./agent-settings.ts";

interface Change {
  readonly source: "patch" | "rollback";
  readonly from?: RevisionId;
  /** Set where the change concerns only this. */
  readonly skills?: readonly string[];
  readonly grantedPaths: readonly GrantedPath[];
}

/** Replaces the agent's configuration, its name and manager included. */
export const reconfigure = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  agent: AgentInCompany,
  after: AgentConfig,
  change: Change,
) {
  if (after.reportsTo !== agent.reportsTo) {
    yield* Effect.fromResult(configure(agent, after, unit.at));
    yield* checkManager(unit, agent.companyId, agent.id, after.reportsTo);
  }
  return yield* applyConfig(unit, agent, after, change, unit.agents.saveRenamed);
});

/** Stores the configuration as a revision, with its consequences. `save` fails as the change itself can. */
export const applyConfig = Effect.fnUntraced(function* <E>(
  unit: UnitOfWork,
  agent: AgentInCompany,
  after: AgentConfig,
  { source, from, skills, grantedPaths }: Change,
  save: (agent: Agent) => Effect.Effect<void, E>,
) {
  const before = configOf(agent);
  const configured = { ...(yield* Effect.fromResult(configure(agent, after, unit.at))), grantedPaths };
  const changed = changedKeys(before, after);
  if (changed.length === 0) {
    if (JSON.stringify(grantedPaths) === JSON.stringify(agent.grantedPaths)) return agent;
    yield* save(configured);
    yield* unit.log("agent.updated", agent, { changed: ["adapterConfig"] });
    return { ...agent, ...configured };
  }
  if (changed.includes("adapterConfig")) yield* checkReferences(unit, agent.companyId, after.adapterConfig);
  yield* save(configured);
  // A queued run starts with the agent's configuration at that time, including its adapter.
  if (changed.includes("adapterType")) yield* unit.runs.handToAdapter(agent.id, after.adapterType, unit.at);
  if (changed.includes("adapterConfig")) yield* bindSecrets(unit, configured);
  yield* unit.agents.insertRevision({
    id: unit.newId<"revision">(),
    companyId: agent.companyId,
    agentId: agent.id,
    source,
    rolledBackFromRevisionId: from ?? null,
    changedKeys: changed,
    beforeConfig: before,
    afterConfig: after,
    ...authorOf(unit.by),
    createdAt: unit.at,
  });
  if (from !== undefined) yield* unit.log("agent.config_rolled_back", agent, { toRevisionId: from });
  else if (skills !== undefined) yield* unit.log("agent.skills_synced", agent, { desiredSkills: skills });
  else
    yield* unit.log("agent.updated", agent, { changed, differences: differencesOf(before, after, changed) });
  const reconfigured = { ...agent, ...configured };
  if (!changed.includes("budgetMonthlyCents")) return reconfigured;
  const spend = yield* unit.costs.spent(agent.id, monthOf(unit.at));
  return yield* applyAgentBudget(unit, reconfigured, spend);
});
