import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transactAs } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { refusalOfRun } from "../model/routines/routine-actions.ts";
import { TriggerDisabled, TriggerNotOfRoutine } from "../model/routines/trigger.ts";
import type { TriggerPayload } from "../model/routines/trigger-payload.ts";
import type { RoutineId, RoutineRunId, TriggerId } from "../model/shared/ids.ts";
import { fire } from "./fire.ts";

export interface RunRoutine {
  readonly id: RoutineRunId;
  readonly routineId: RoutineId;
  readonly by: Actor;
  readonly source: "manual" | "api";
  readonly triggerId?: TriggerId | undefined;
  readonly payload?: TriggerPayload | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Fires a routine by hand, independently of its schedule, also while paused. The concurrency policy still applies. */
export const runRoutine = (transactor: Transactor, clock: Clock, ids: Ids) => (command: RunRoutine) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by, routineId, triggerId } = command;
    const routine = yield* stores.routines.lock(routineId);
    const [triggers, company, isProjectArchived] = yield* Effect.all(
      [
        stores.routines.triggers(routineId),
        Effect.orDie(stores.companies.status(routine.companyId)),
        stores.projects.isArchived(routine.projectId),
      ],
      { concurrency: "unbounded" },
    );
    const trigger = triggerId === undefined ? null : (triggers.find(({ id }) => id === triggerId) ?? null);
    if (triggerId !== undefined && trigger === null) yield* Effect.fail(new TriggerNotOfRoutine());
    const no = refusalOfRun({ ...routine, company, isProjectArchived, at: clock.now() }, by);
    if (no !== null) yield* Effect.fail(no);
    if (trigger !== null && !trigger.enabled) yield* Effect.fail(new TriggerDisabled());
    return yield* fire(stores, ids, {
      id: command.id,
      routine,
      trigger,
      source: command.source,
      payload: command.payload ?? null,
      idempotencyKey: command.idempotencyKey ?? null,
      replayKey: null,
      scheduledFor: null,
      by,
      at: clock.now(),
    });
  });
