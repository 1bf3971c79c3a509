import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { BackupTaker } from "../../ports/backup-taker.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Views } from "../../ports/views.ts";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import {
  afterBackup,
  type BackupSchedule,
  failed,
  following,
  isDue,
  outdatedBackups,
  type ScheduledBackups,
} from "../model/backups/backup-schedule.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";
import type { ServiceId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

/**
 * Makes the scheduled backup if it is due and no other service of the database is making it, and deletes outdated ones. A
 * restored copy makes none until its agents are released: the schedule belongs to the original.
 */
export const takeDueBackup =
  (
    context: UseCaseContext,
    views: Pick<Views, "operations">,
    calendar: Calendar,
    taker: BackupTaker,
    schedule: BackupSchedule | null,
  ) =>
  (serviceId: ServiceId): Effect.Effect<void> => {
    if (schedule === null) return Effect.void;
    const { cronExpression, keep } = schedule;
    const next = (after: Instant) => calendar.next({ cronExpression, timezone: "UTC" }, after);
    const change = (decide: (state: ScheduledBackups) => ScheduledBackups) =>
      transactAsSystem(context, "backups.takeDue", function* (unit) {
        const state = following(yield* unit.services.lockBackups(), cronExpression, unit.at, next);
        const changed = decide(state);
        yield* unit.services.saveBackups(changed);
        return changed;
      });
    const begin = transactAsSystem(context, "backups.takeDue", function* (unit) {
      if (isHeldAsRestored(yield* unit.services.restored())) return false;
      const state = following(yield* unit.services.lockBackups(), cronExpression, unit.at, next);
      const { claimedBy } = state;
      const isClaimed =
        claimedBy !== null && claimedBy !== serviceId && (yield* unit.services.isLive(claimedBy));
      const isOurs = isDue(state, isClaimed, unit.at);
      yield* unit.services.saveBackups(isOurs ? { ...state, claimedBy: serviceId } : state);
      return isOurs;
    });
    return Effect.gen(function* () {
      const seen = yield* views.operations.backups();
      if (seen?.cronExpression === cronExpression && !isDue(seen, false, context.clock.now())) return;
      if (!(yield* begin)) return;
      const at = context.clock.now();
      const result = yield* Effect.result(taker.take());
      if (Result.isFailure(result)) {
        yield* change((state) => failed(state, result.failure.message, context.clock.now()));
        return;
      }
      const { file, bytes, missing } = result.success;
      const { kept } = yield* change((state) =>
        afterBackup(state, { file, bytes, at }, missing, next(context.clock.now()) ?? context.clock.now()),
      );
      const gone = new Set<string>();
      for (const outdated of outdatedBackups(kept, keep))
        if (Result.isSuccess(yield* Effect.result(taker.remove(outdated.file)))) gone.add(outdated.file);
      if (gone.size > 0)
        yield* change((state) => ({ ...state, kept: state.kept.filter((backup) => !gone.has(backup.file)) }));
    });
  };
