import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import { following, requested } from "../model/backups/backup-schedule.ts";
import { type BackupPlan, refusalOfBackup } from "../model/backups/without-backup.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";
import type { Instant } from "../model/shared/instant.ts";

/** Asks for a backup that a service takes within a minute, whenever the next one is due, and logs it in each company. */
export const requestBackup = (calendar: Calendar, plan: BackupPlan) =>
  useCase("backups.request", function* (unit, { by }: { readonly by: Actor }) {
    const refusal = refusalOfBackup(plan, isHeldAsRestored(yield* unit.services.restored()));
    if (refusal !== null) return yield* Effect.fail(refusal);
    const { cronExpression } = plan.schedule!;
    const next = (after: Instant) => calendar.next({ cronExpression, timezone: "UTC" }, after);
    const state = following(yield* unit.services.lockBackups(), cronExpression, unit.at, next);
    if (state.requestedAt != null) return;
    yield* unit.services.saveBackups(requested(state, unit.at));
    yield* unit.activity.appendAll(
      (yield* unit.companies.ids()).map((companyId) =>
        entryAbout({ companyId, id: companyId }, by, unit.at, "company.backup_requested", {}),
      ),
    );
  });
