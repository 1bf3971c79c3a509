import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { BackupTaker } from "../../ports/backup-taker.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import { transact } from "../access/transact-as.ts";
import {
  type BackupSchedule,
  failed,
  following,
  isDue,
  outdatedBackups,
  type ScheduledBackups,
  taken,
} from "../model/backups/backup-schedule.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";
import type { ServiceId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";

/**
 * Takes the scheduled backup if it is due and no other service of the database takes it, and deletes outdated ones. A
 * restored copy takes none until its agents are released: the schedule belongs to the original.
 */
export const takeDueBackup =
  (
    transactor: Transactor,
    views: Pick<Views, "operations">,
    clock: Clock,
    calendar: Calendar,
    taker: BackupTaker,
    schedule: BackupSchedule | null,
  ) =>
  (serviceId: ServiceId): Effect.Effect<void> => {
    if (schedule === null) return Effect.void;
    const { cronExpression, keep } = schedule;
    const next = (after: Instant) => calendar.next({ cronExpression, timezone: "UTC" }, after);
    const change = (decide: (state: ScheduledBackups) => ScheduledBackups) =>
      transact(transactor, function* ({ services }) {
        const state = following(yield* services.lockBackups(), cronExpression, clock.now(), next);
        const changed = decide(state);
        yield* services.saveBackups(changed);
        return changed;
      });
    const begin = transact(transactor, function* ({ services }) {
      if (isHeldAsRestored(yield* services.restored())) return false;
      const at = clock.now();
      const state = following(yield* services.lockBackups(), cronExpression, at, next);
      const { takenBy } = state;
      const isTaken = takenBy !== null && takenBy !== serviceId && (yield* services.isLive(takenBy));
      const isOurs = isDue(state, isTaken, at);
      yield* services.saveBackups(isOurs ? { ...state, takenBy: serviceId } : state);
      return isOurs;
    });
    return Effect.gen(function* () {
      const seen = yield* views.operations.backups();
      if (seen?.cronExpression === cronExpression && !isDue(seen, false, clock.now())) return;
      if (!(yield* begin)) return;
      const at = clock.now();
      const result = yield* Effect.result(taker.take());
      if (Result.isFailure(result)) {
        yield* change((state) => failed(state, result.failure.message, clock.now()));
        return;
      }
      const { file, bytes, missing } = result.success;
      const { kept } = yield* change((state) =>
        taken(state, { file, bytes, at }, missing, next(clock.now()) ?? clock.now()),
      );
      const gone = new Set<string>();
      for (const outdated of outdatedBackups(kept, keep))
        if (Result.isSuccess(yield* Effect.result(taker.remove(outdated.file)))) gone.add(outdated.file);
      if (gone.size > 0)
        yield* change((state) => ({ ...state, kept: state.kept.filter((backup) => !gone.has(backup.file)) }));
    });
  };
