import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { unchangeable } from "../../model/agents/agent.ts";
import { withPermissionsOf } from "../../model/agents/agent-config.ts";
import { RevisionNotFound } from "../../model/shared/failure.ts";
import type { AgentId, RevisionId } from "../../model/shared/ids.ts";
import { checkAdapter, checkAdapterConfig, refuseSecretsElsewhere } from "./agent-settings.ts";
import { reconfigure } from "./apply-config.ts";
import { checkPaths } from "./check-paths.ts";
import { checkRunner } from "./choose-runner.ts";

export interface RollbackAgent {
  readonly agentId: AgentId;
  readonly revisionId: RevisionId;
  readonly by: Actor;
  /** The variables whose stored secrets may go to a host to which only that configuration leads. */
  readonly secrets?: readonly string[] | undefined;
}

/** Restores the configuration of a revision, except its budget, as a new revision. */
export const rollbackAgent = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("agents.rollback", function* (unit, command: RollbackAgent) {
    const agent = yield* unit.agents.lock(command.agentId);
    const refusal = unchangeable(agent);
    if (refusal !== null) return yield* Effect.fail(refusal);
    const revision = yield* unit.agents.findRevision(command.revisionId, agent.id);
    if (revision === null) return yield* Effect.fail(new RevisionNotFound());
    const named = { names: command.secrets ?? [], path: ["secrets"] };
    yield* Effect.fromResult(
      refuseSecretsElsewhere(agent.adapterConfig, revision.afterConfig.adapterConfig, named),
    );
    yield* checkAdapter(adapters, revision.afterConfig.adapterType);
    yield* checkRunner(runners, revision.afterConfig.runtimeConfig.runner, ["runtimeConfig", "runner"]);
    yield* checkAdapterConfig(adapters, revision.afterConfig, agent);
    const grantedPaths = yield* checkPaths(unit, runners, {
      ...agent,
      agentId: agent.id,
      runtimeConfig: revision.afterConfig.runtimeConfig,
      given: revision.afterConfig.adapterConfig,
      after: revision.afterConfig.adapterConfig,
      before: null,
      granted: agent.grantedPaths,
      by: unit.by,
    });
    // The budget is not part of a restored configuration, and what has been revoked stays revoked.
    const { budgetMonthlyCents } = agent;
    const runtimeConfig = withPermissionsOf(agent.runtimeConfig, revision.afterConfig.runtimeConfig);
    return yield* reconfigure(
      unit,
      agent,
      { ...revision.afterConfig, budgetMonthlyCents, runtimeConfig },
      { source: "rollback", from: revision.id, grantedPaths },
    );
  });
