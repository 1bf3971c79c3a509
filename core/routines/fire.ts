import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { makeIssue } from "../issues/create-issue.ts";
import type { RoutineRunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { pauseFailingRoutine } from "./pause-failing-routine.ts";
import type { Routine } from "./routine.ts";
import { decideFiring, type RoutineRun, type RoutineRunSource } from "./routine-run.ts";
import { fillDescription, fillTitle } from "./routine-template.ts";
import type { Trigger } from "./trigger.ts";
import { describe, type TriggerPayload } from "./trigger-payload.ts";

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
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Fires a routine in the transaction of its cause: creates an issue with its assignee's wake, or a run that ends at
 * once beside the active one. A repeated idempotency key returns the same run.
 */
export const fire = Effect.fnUntraced(function* (stores: Stores, ids: Ids, firing: Firing) {
  const { routine, trigger, source, idempotencyKey, at, by } = firing;
  const [earlier, open] = yield* Effect.all(
    [
      idempotencyKey === null
        ? Effect.succeed(null)
        : stores.routines.findRunByKey({
            routineId: routine.id,
            source,
            triggerId: trigger?.id ?? null,
            idempotencyKey,
          }),
      routine.concurrencyPolicy === "always_enqueue"
        ? Effect.succeed([])
        : stores.routines.openIssues(routine.id),
    ],
    { concurrency: "unbounded" },
  );
  if (earlier !== null) return earlier;
  const verdict = decideFiring(routine.concurrencyPolicy, open, at);
  const ended =
    verdict.status === "issue_created"
      ? yield* begin(stores, ids, firing)
      : {
          status: verdict.status,
          linkedIssueId: verdict.into.issueId,
          coalescedIntoRunId: verdict.into.runId,
          failureReason: null,
        };
  const run: RoutineRun = {
    id: firing.id,
    companyId: routine.companyId,
    routineId: routine.id,
    triggerId: trigger?.id ?? null,
    source,
    scheduledFor: firing.scheduledFor,
    triggeredAt: at,
    idempotencyKey,
    triggerPayload: firing.payload,
    routineRevisionId: routine.latestRevisionId,
    createdAt: at,
    ...ended,
  };
  yield* stores.routines.insertRun(run, firing.replayKey);
  if (trigger !== null) yield* stores.routines.noteFired(trigger.id, at);
  yield* stores.activity.append({
    companyId: routine.companyId,
    by,
    at,
    action: "routine.fired",
    entityId: routine.id,
    details: {
      runId: run.id,
      source,
      status: run.status,
      triggerId: run.triggerId,
      issueId: run.linkedIssueId,
    },
  });
  if (run.failureReason !== null) yield* pauseFailingRoutine(stores, ids, routine, run.failureReason, at);
  return run;
});

/**
 * Creates the issue and its wake; where no issue can be created (the assignee was terminated, for example), a failed
 * run.
 */
const begin = (stores: Stores, ids: Ids, { routine, trigger, payload, scheduledFor, by, at }: Firing) => {
  const facts = { payload, at: scheduledFor ?? at, timezone: trigger?.timezone ?? "UTC" };
  return makeIssue(
    stores,
    ids,
    {
      id: ids.next<"issue">(),
      companyId: routine.companyId,
      by,
      title: fillTitle(routine.title, facts),
      description: describe(fillDescription(routine.description, facts), payload),
      status: "todo",
      priority: routine.priority,
      assigneeAgentId: routine.assigneeAgentId,
      parentId: routine.parentIssueId,
      projectId: routine.projectId,
      goalId: routine.goalId,
      routineId: routine.id,
    },
    at,
  ).pipe(
    Effect.map((issue) => ({
      status: "issue_created" as const,
      linkedIssueId: issue.id,
      coalescedIntoRunId: null,
      failureReason: null,
    })),
    Effect.catch((no) =>
      Effect.succeed({
        status: "failed" as const,
        linkedIssueId: null,
        coalescedIntoRunId: null,
        failureReason: no.message,
      }),
    ),
  );
};
