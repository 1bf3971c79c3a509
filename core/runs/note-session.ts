import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import type { Run } from "../model/runs/run.ts";
import { taskKeyOf } from "../model/runs/task-key.ts";

type SessionOwner = Pick<Run, "id" | "companyId" | "agentId" | "adapterType" | "issueId">;

/** Stores the run's session as soon as its program names it, so that a lost run can be resumed. */
export const noteSession =
  (transactor: Transactor, clock: Clock) =>
  (run: SessionOwner, session: { params: Readonly<Record<string, unknown>>; displayId: string | null }) =>
    transact(transactor, function* (stores) {
      if (!(yield* stores.runs.isActive(run.id))) return;
      yield* stores.runs.saveSession({
        companyId: run.companyId,
        agentId: run.agentId,
        adapterType: run.adapterType,
        taskKey: taskKeyOf(run),
        params: session.params,
        displayId: session.displayId,
        lastRunId: run.id,
        updatedAt: clock.now(),
      });
    });
