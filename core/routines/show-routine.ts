import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import { type PageRequest, shownAs } from "../../ports/views/page.ts";
import type {
  ActedOnRoutine,
  RoutineRecord,
  RoutineRunRecord,
  RoutineViews,
} from "../../ports/views/routine-views.ts";
import type { AgentCaller, BoardCaller } from "../model/access/caller.ts";
import { routineActions } from "../model/routines/routine-actions.ts";
import { holdsSlot, shownStatus } from "../model/routines/routine-run.ts";
import type { CompanyId, RoutineId, RoutineRunId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

const resultOf = ({ issueStatus, ...run }: NonNullable<RoutineRecord["lastRun"]>) => ({
  ...run,
  status: shownStatus(run.status, issueStatus),
});

const viewOf = ({ lastRun, ...routine }: RoutineRecord) => ({
  ...routine,
  lastTriggeredAt: lastRun?.triggeredAt ?? null,
  /** The outcome of its last firing, and the state of its issue. */
  lastResult: lastRun === null ? null : resultOf(lastRun),
  nextFireAt: routine.triggers.flatMap(({ nextFireAt }) => nextFireAt ?? []).sort()[0] ?? null,
});

const shownTo = (caller: BoardCaller | AgentCaller, record: ActedOnRoutine, at: Instant) => {
  const { company, isProjectArchived, assigneeState, ...routine } = record;
  return {
    ...viewOf(routine),
    callerMay: routineActions(
      { ...record, assignee: { lifecycleState: assigneeState }, at },
      { caller, companyId: routine.companyId, companyStatus: company.status },
    ),
  };
};

const runOf = ({ issueClosedAt, ...run }: RoutineRunRecord) => {
  const status = shownStatus(run.status, run.linkedIssue?.status ?? null);
  return {
    ...run,
    status,
    completedAt:
      run.status !== "issue_created"
        ? run.triggeredAt
        : status === "issue_created"
          ? null
          : (issueClosedAt ?? run.linkedIssue?.updatedAt ?? null),
  };
};

/** The routines as a reader sees them. */
export const showRoutine = (views: RoutineViews, clock: Clock) => ({
  /** Last changed first; includes archived ones. */
  list: (companyId: CompanyId) => Effect.map(views.list(companyId), (all) => all.map(viewOf)),
  /** The same, with the actions that the reader may take on each. */
  listFor: (companyId: CompanyId, caller: BoardCaller | AgentCaller) =>
    Effect.map(views.listActedOn(companyId), (all) =>
      all.map((record) => shownTo(caller, record, clock.now())),
    ),
  show: (id: RoutineId, caller: BoardCaller | AgentCaller) =>
    Effect.gen(function* () {
      const at = clock.now();
      const [record, open] = yield* Effect.all([views.get(id), views.openIssues(id)], {
        concurrency: "unbounded",
      });
      const active = open.find((issue) => holdsSlot(issue, at)) ?? null;
      return {
        ...shownTo(caller, record, at),
        /** The issue that a firing now would be coalesced into or skipped for, whatever the policy. */
        activeIssue: active === null ? null : yield* views.issue(active.issueId),
        slotHeldSince: active?.since ?? null,
      };
    }),
  /** Newest first. */
  runs: (id: RoutineId, page: PageRequest) => Effect.map(views.runs(id, page), shownAs(runOf)),
  showRun: (id: RoutineRunId) => Effect.map(views.run(id), runOf),
});
