import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { keepRevision } from "./keep-revision.ts";
import { lockTrigger } from "./lock-trigger.ts";

export const deleteTrigger =
  (transactor: Transactor, clock: Clock, ids: Ids) =>
  ({ triggerId, by }: { readonly triggerId: TriggerId; readonly by: Actor }) =>
    transactAs(transactor, by, function* (stores) {
      const { routine, trigger, triggers } = yield* lockTrigger(stores, triggerId, by);
      const at = clock.now();
      yield* stores.routines.deleteTrigger(triggerId, at);
      yield* keepRevision(
        stores,
        ids,
        routine,
        triggers.filter(({ id }) => id !== triggerId),
        { summary: `Deleted a ${trigger.kind} trigger`, by, at },
      );
      yield* logAction(stores, routine, by, at, "routine.trigger_deleted", {
        triggerId,
        kind: trigger.kind,
      });
    });
