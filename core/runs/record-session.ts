import { systemUseCase } from "../access/unit-of-work.ts";
import type { Run } from "../model/runs/run.ts";
import { taskKeyOf } from "../model/runs/task-key.ts";

type SessionOwner = Pick<Run, "id" | "companyId" | "agentId" | "adapterType" | "issueId">;

/** Stores the run's session as soon as its program names it, so that a lost run can be resumed. */
export const recordSession = systemUseCase(
  "runs.recordSession",
  function* (
    unit,
    run: SessionOwner,
    session: { params: Readonly<Record<string, unknown>>; displayId: string | null },
  ) {
    if (!(yield* unit.runs.isActive(run.id))) return;
    yield* unit.runs.saveSession({
      companyId: run.companyId,
      agentId: run.agentId,
      adapterType: run.adapterType,
      taskKey: taskKeyOf(run),
      params: session.params,
      displayId: session.displayId,
      lastRunId: run.id,
      updatedAt: unit.at,
    });
  },
);
