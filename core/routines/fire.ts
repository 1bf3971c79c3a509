import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { asSystem, type UnitOfWork } from "../access/unit-of-work.ts";
import type { Routine } from "../model/routines/routine.ts";
import {
  decideFiring,
  failuresBeforePause,
  type RoutineRun,
  type RoutineRunSource,
} from "../model/routines/routine-run.ts";
import { fillDescription, fillTitle } from "../model/routines/routine-template.ts";
import type { Trigger } from "../model/routines/trigger.ts";
import { describe, type TriggerPayload } from "../model/routines/trigger-payload.ts";
import { IdempotencyKeyReused } from "../model/shared/failure.ts";
import type { RoutineRunId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { sameJson } from "../model/shared/same-json.ts";
import { makeIssue } from "../work/issues/create-issue.ts";
import { saveRevision } from "./save-revision.ts";

export interface Firing {
  readonly id: RoutineRunId;
  /** Locked, so that two firings never both find the slot free. */
  readonly routine: Routine;
  readonly trigger: Trigger | null;
  readonly source: RoutineRunSource;
  readonly payload: TriggerPayload | null;
  readonly idempotencyKey: string | null;
  readonly replayKey: Uint8Array | null;
  readonly scheduledFor: Instant | null;
}

/**
 * Fires a routine in the transaction of its cause: creates an issue with its assignee's wake, or a run that ends at
 * once in addition to the active one. A repeated idempotency key returns the same run, and is refused with another payload.
 */
export const fire = Effect.fnUntraced(function* (unit: UnitOfWork, firing: Firing) {
  const { routine } = firing;
  const [earlier, open] = yield* Effect.all([earlierRun(unit, firing), openIssues(unit, routine)], {
    concurrency: "unbounded",
  });
  if (earlier !== null) {
    const isSame = sameJson(earlier.triggerPayload, firing.payload);
    return isSame ? earlier : yield* Effect.fail(new IdempotencyKeyReused());
  }
  const verdict = decideFiring(routine.concurrencyPolicy, open, unit.at);
  const outcome: Outcome =
    verdict.status === "issue_created"
      ? yield* begin(unit, firing)
      : {
          status: verdict.status,
          linkedIssueId: verdict.into.issueId,
          coalescedIntoRunId: verdict.into.runId,
          failureReason: null,
        };
  const run = runOf(firing, outcome, unit.at);
  yield* record(unit, run, firing);
  if (run.failureReason !== null) yield* pauseFailingRoutine(unit, routine, run.failureReason);
  return run;
});

/** The run of the same idempotency key. */
const earlierRun = (stores: Stores, { routine, source, trigger, idempotencyKey }: Firing) =>
  idempotencyKey === null
    ? Effect.succeed(null)
    : stores.routines.findRunByKey({
        routineId: routine.id,
        source,
        triggerId: trigger?.id ?? null,
        idempotencyKey,
      });

/** The active issue, if the policy needs it. */
const openIssues = (stores: Stores, { id, concurrencyPolicy }: Routine) =>
  concurrencyPolicy === "always_enqueue" ? Effect.succeed([]) : stores.routines.openIssues(id);

type Outcome = Pick<RoutineRun, "status" | "linkedIssueId" | "coalescedIntoRunId" | "failureReason">;

const runOf = (firing: Firing, outcome: Outcome, at: Instant): RoutineRun => ({
  id: firing.id,
  companyId: firing.routine.companyId,
  routineId: firing.routine.id,
  triggerId: firing.trigger?.id ?? null,
  source: firing.source,
  scheduledFor: firing.scheduledFor,
  triggeredAt: at,
  idempotencyKey: firing.idempotencyKey,
  triggerPayload: firing.payload,
  routineRevisionId: firing.routine.latestRevisionId,
  createdAt: at,
  ...outcome,
});

const record = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  run: RoutineRun,
  { replayKey, trigger }: Firing,
) {
  yield* unit.routines.insertRun(run, replayKey);
  if (trigger !== null) yield* unit.routines.recordFired(trigger.id, unit.at);
  yield* unit.log(
    "routine.fired",
    { companyId: run.companyId, id: run.routineId },
    {
      runId: run.id,
      source: run.source,
      status: run.status,
      triggerId: run.triggerId,
      issueId: run.linkedIssueId,
    },
  );
});

/**
 * Creates the issue and its wake; where no issue can be created (the assignee was terminated, for example), a failed
 * run.
 */
const begin = (unit: UnitOfWork, firing: Firing) => {
  const { routine, trigger, source, payload, scheduledFor } = firing;
  const facts = { payload, at: scheduledFor ?? unit.at, timezone: trigger?.timezone ?? "UTC" };
  return makeIssue(unit, {
    id: unit.newId<"issue">(),
    companyId: routine.companyId,
    title: fillTitle(routine.title, facts),
    description: describe(fillDescription(routine.description, facts), payload),
    status: "todo",
    priority: routine.priority,
    assigneeAgentId: routine.assigneeAgentId,
    parentId: routine.parentIssueId,
    projectId: routine.projectId,
    goalId: routine.goalId,
    routineId: routine.id,
    isTriggered: source === "schedule" || source === "webhook",
  }).pipe(
    Effect.map(
      (issue): Outcome => ({
        status: "issue_created",
        linkedIssueId: issue.id,
        coalescedIntoRunId: null,
        failureReason: null,
      }),
    ),
    Effect.catch((refusal) =>
      Effect.succeed<Outcome>({
        status: "failed",
        linkedIssueId: null,
        coalescedIntoRunId: null,
        failureReason: refusal.message,
      }),
    ),
  );
};

/** Pauses an active routine whose latest firings have all failed. */
const pauseFailingRoutine = Effect.fnUntraced(function* (unit: UnitOfWork, routine: Routine, reason: string) {
  if (routine.status !== "active") return;
  const latest = yield* unit.routines.latestFirings(routine.id, failuresBeforePause);
  if (latest.length < failuresBeforePause || latest.some((status) => status !== "failed")) return;
  const triggers = yield* unit.routines.triggers(routine.id);
  const system = asSystem(unit);
  yield* saveRevision(system, { ...routine, status: "paused" }, triggers, {
    summary: `Paused after ${failuresBeforePause} failures in a row`,
  });
  for (const { id } of triggers) yield* unit.routines.setNextFire(id, null, unit.at);
  yield* system.log("routine.paused_after_failures", routine, { failures: failuresBeforePause, reason });
});
