import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { lockTrigger } from "./lock-trigger.ts";
import { saveRevision } from "./save-revision.ts";

export interface DeleteTrigger {
  readonly triggerId: TriggerId;
  readonly by: Actor;
}

export const deleteTrigger = useCase(
  "routines.deleteTrigger",
  function* (unit, { triggerId }: DeleteTrigger) {
    const { routine, trigger, triggers } = yield* lockTrigger(unit, triggerId);
    yield* unit.routines.deleteTrigger(triggerId, unit.at);
    yield* saveRevision(
      unit,
      routine,
      triggers.filter(({ id }) => id !== triggerId),
      { summary: `Deleted a ${trigger.kind} trigger` },
    );
    yield* unit.log("routine.trigger_deleted", routine, { triggerId, kind: trigger.kind });
  },
);
