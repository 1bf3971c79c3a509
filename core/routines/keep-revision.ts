import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Routine } from "../model/routines/routine.ts";
import { type Revising, revise } from "../model/routines/routine-revision.ts";
import type { Trigger } from "../model/routines/trigger.ts";

export const keepRevision = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  routine: Routine,
  triggers: readonly Trigger[],
  revising: Omit<Revising, "id">,
) {
  const next = revise(routine, triggers, { ...revising, id: ids.next<"revision">() });
  yield* stores.routines.save(next.routine);
  yield* stores.routines.insertRevision(next.revision);
});
