import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import type { Run } from "../model/runs/run.ts";
import { type RunCost, recordRunCost } from "../money/record-cost.ts";

/**
 * Records what a running run has used so far, so that a budget can end it before it finishes. A run that has ended
 * keeps its end.
 */
export const noteCost =
  (transactor: Transactor, clock: Clock, ids: Ids) =>
  (owner: Pick<Run, "id" | "companyId" | "agentId">, cost: RunCost) =>
    transact(transactor, function* (stores) {
      const [company, agent, project, run, before] = yield* Effect.all(
        [
          stores.companies.lock(owner.companyId),
          stores.agents.lock(owner.agentId),
          stores.projects.lockOfRun(owner.id),
          stores.runs.lock(owner.id),
          stores.costs.ofRun(owner.id),
        ],
        { concurrency: "unbounded" },
      ).pipe(Effect.orDie);
      if (run.status !== "running") return;
      const payers = { company, agent, project };
      yield* recordRunCost(stores, ids, { payers, run, before, cost, at: clock.now() });
    });
