import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Views } from "../../ports/views.ts";
import { type BackupSchedule, backupTrouble } from "../model/backups/backup-schedule.ts";
import { secondsBetween } from "../model/shared/instant.ts";

/** Returns the state of the scheduled backups; null if none are scheduled or none has been due yet. */
export const showBackups =
  (views: Pick<Views, "operations">, clock: Clock, schedule: BackupSchedule | null) => () =>
    Effect.map(schedule === null ? Effect.succeed(null) : views.operations.backups(), (state) => {
      if (state === null) return null;
      const at = clock.now();
      const [last = null] = state.kept;
      return {
        last,
        /** Since the last good one; without one, since they are scheduled. */
        ageSec: Math.max(0, secondsBetween(last?.at ?? state.since, at)),
        dueAt: state.dueAt,
        kept: state.kept.length,
        trouble: backupTrouble(state, at),
      };
    });
