import * as Effect from "effect/Effect";
import { systemUseCase } from "../access/unit-of-work.ts";
import type { Run } from "../model/runs/run.ts";
import { type RunCost, recordRunCost } from "../money/record-cost.ts";

/**
 * Records what a running run has used so far, so that a budget can end it before it finishes. A run that has ended
 * keeps its end.
 */
export const recordCost = systemUseCase(
  "runs.recordCost",
  function* (unit, owner: Pick<Run, "id" | "companyId" | "agentId">, cost: RunCost) {
    const [company, agent, project, run, before] = yield* Effect.all(
      [
        unit.companies.lock(owner.companyId),
        unit.agents.lock(owner.agentId),
        unit.projects.lockOfRun(owner.id),
        unit.runs.lock(owner.id),
        unit.costs.ofRun(owner.id),
      ],
      { concurrency: "unbounded" },
    ).pipe(Effect.orDie);
    if (run.status !== "running") return;
    const payers = { company, agent, project };
    yield* recordRunCost(unit, { payers, run, before, cost });
  },
);
