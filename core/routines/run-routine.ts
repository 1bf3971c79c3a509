import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
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
export const runRoutine = useCase("routines.run", function* (unit, command: RunRoutine) {
  const { routineId, triggerId } = command;
  const routine = yield* unit.routines.lock(routineId);
  const [triggers, company, isProjectArchived] = yield* Effect.all(
    [
      unit.routines.triggers(routineId),
      Effect.orDie(unit.companies.status(routine.companyId)),
      unit.projects.isArchived(routine.projectId),
    ],
    { concurrency: "unbounded" },
  );
  const trigger = triggerId === undefined ? null : (triggers.find(({ id }) => id === triggerId) ?? null);
  if (triggerId !== undefined && trigger === null) yield* Effect.fail(new TriggerNotOfRoutine());
  const refusal = refusalOfRun({ ...routine, company, isProjectArchived, at: unit.at }, unit.by);
  if (refusal !== null) yield* Effect.fail(refusal);
  if (trigger !== null && !trigger.enabled) yield* Effect.fail(new TriggerDisabled());
  return yield* fire(unit, {
    id: command.id,
    routine,
    trigger,
    source: command.source,
    payload: command.payload ?? null,
    idempotencyKey: command.idempotencyKey ?? null,
    replayKey: null,
    scheduledFor: null,
  });
});
