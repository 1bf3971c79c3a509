import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Views } from "../../ports/views.ts";
import { type BackupPlan, judgeBackups, lastBackupOf } from "../model/backups/without-backup.ts";

/** Returns whether the installation has backups, when the next one is taken, and what is wrong with them. */
export const showProtection = (views: Pick<Views, "operations">, clock: Clock, plan: BackupPlan) => () =>
  Effect.gen(function* () {
    const scheduled = yield* views.operations.backups();
    const manual = yield* views.operations.manualBackups();
    // Backups that an earlier schedule had due are not taken any more.
    const current = plan.schedule === null ? null : scheduled;
    return {
      isScheduled: plan.schedule !== null,
      to: plan.to,
      isEncrypted: plan.isEncrypted,
      last: lastBackupOf(scheduled, manual),
      kept: scheduled?.kept.length ?? 0,
      dueAt: current?.dueAt ?? null,
      requestedAt: current?.requestedAt ?? null,
      problem: judgeBackups(plan, scheduled, manual, clock.now())?.sentence ?? null,
    };
  });
