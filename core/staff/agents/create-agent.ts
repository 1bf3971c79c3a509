import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import { type Actor, authorOf } from "../../model/access/caller.ts";
import { type Agent, newAgent } from "../../model/agents/agent.ts";
import { type AgentConfig, configOf, mergeAdapterConfig } from "../../model/agents/agent-config.ts";
import type { GrantedPath } from "../../model/agents/named-paths.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import type { Proposal } from "../../model/shared/patch.ts";
import { bindSecrets, checkReferences } from "../../secrets/bind-secrets.ts";
import { setGrants, type WantedGrants } from "../approvals/set-grants.ts";
import { checkAdapter, checkAdapterConfig, checkManager } from "./agent-settings.ts";
import { checkPaths } from "./check-paths.ts";
import { checkRunner } from "./choose-runner.ts";

/** The fields of a new agent; missing ones take their defaults. */
export type AgentProposal = Proposal<AgentConfig, "name" | "adapterType">;

export interface CreateAgent extends AgentProposal {
  /** Omitted: none. */
  readonly grants?: WantedGrants | undefined;
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly by: Actor;
}

export const createAgent = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("agents.create", function* (unit, command: CreateAgent) {
    const { id, companyId } = command;
    const { config, grantedPaths } = yield* checkedConfig(
      unit,
      adapters,
      runners,
      { id, companyId },
      command,
    );
    const agent = newAgent({ ...config, grantedPaths, id, companyId, lifecycleState: "active", at: unit.at });
    yield* unit.agents.insert(agent);
    yield* recordFirstRevision(unit, agent);
    if (command.grants !== undefined) yield* setGrants(unit, agent, command.grants);
    yield* unit.log("agent.created", agent, {
      name: agent.name,
      role: agent.role,
      adapterType: agent.adapterType,
    });
    return agent;
  });

export interface Proposed extends AgentProposal {
  /** An instance admin, who may expose paths of the machine to it. */
  readonly by: Actor;
  /** The paths that its earlier author was allowed to expose to it. */
  readonly granted?: readonly GrantedPath[];
}

/** Returns the complete configuration of a proposal, with its grants; refuses one that is not possible now. */
export const checkedConfig = Effect.fnUntraced(function* (
  stores: Stores,
  adapters: AdapterRegistry,
  runners: Runners,
  { id: agentId, companyId }: Pick<Agent, "id" | "companyId">,
  proposal: Proposed,
) {
  yield* checkAdapter(adapters, proposal.adapterType);
  yield* checkRunner(runners, proposal.runtimeConfig?.runner, ["runtimeConfig", "runner"]);
  const adapterConfig = yield* Effect.fromResult(mergeAdapterConfig({}, proposal.adapterConfig ?? {}));
  yield* checkAdapterConfig(adapters, { adapterType: proposal.adapterType, adapterConfig }, null);
  yield* checkManager(stores, companyId, agentId, proposal.reportsTo ?? null);
  yield* checkReferences(stores, companyId, adapterConfig);
  const grantedPaths = yield* checkPaths(stores, runners, {
    companyId,
    agentId,
    runtimeConfig: proposal.runtimeConfig ?? {},
    given: adapterConfig,
    after: adapterConfig,
    before: null,
    granted: proposal.granted ?? [],
    by: proposal.by,
  });
  const config: AgentConfig = {
    name: proposal.name,
    role: proposal.role ?? "general",
    title: proposal.title ?? null,
    reportsTo: proposal.reportsTo ?? null,
    capabilities: proposal.capabilities ?? null,
    adapterType: proposal.adapterType,
    adapterConfig,
    runtimeConfig: proposal.runtimeConfig ?? {},
    budgetMonthlyCents: proposal.budgetMonthlyCents ?? 0,
    metadata: proposal.metadata ?? null,
  };
  return { config, grantedPaths };
});

/** Stores the first revision, the earliest that a rollback can restore, and binds the agent's secrets. */
export const recordFirstRevision = (unit: UnitOfWork, agent: Agent): Effect.Effect<void> =>
  Effect.andThen(
    bindSecrets(unit, agent),
    unit.agents.insertRevision({
      id: unit.newId<"revision">(),
      companyId: agent.companyId,
      agentId: agent.id,
      source: "create",
      rolledBackFromRevisionId: null,
      changedKeys: [],
      beforeConfig: null,
      afterConfig: configOf(agent),
      ...authorOf(unit.by),
      createdAt: unit.at,
    }),
  );
