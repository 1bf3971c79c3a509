import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { type UnitOfWork, useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { editRoutine, RevisionIsLatest, type Routine } from "../model/routines/routine.ts";
import type { TriggerSnapshot } from "../model/routines/routine-revision.ts";
import { changedTriggerFields, type Trigger } from "../model/routines/trigger.ts";
import { RevisionNotFound } from "../model/shared/failure.ts";
import type { RevisionId, RoutineId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { lockForChange } from "./lock-for-change.ts";
import { checkReferences, newReferences } from "./routine-references.ts";
import { saveRevision } from "./save-revision.ts";
import { scheduled } from "./schedule.ts";
import { giveSecret } from "./webhook-secret.ts";

export interface RestoreRoutine {
  readonly routineId: RoutineId;
  readonly revisionId: RevisionId;
  /** The id of the new revision. */
  readonly id: RevisionId;
  readonly by: Actor;
}

/** The new secret of a recreated webhook trigger; the old one was deleted with it. */
export interface SecretMaterial {
  readonly trigger: Trigger;
  readonly secret: string;
}

/** An existing trigger that differs from the revision. */
export interface ChangedTrigger {
  readonly trigger: Trigger;
  readonly fields: readonly string[];
}

/**
 * Restores a routine and its triggers from a revision, as a new revision. Deleted triggers are recreated under their
 * ids, later ones are deleted; existing webhooks keep their secrets, recreated ones get new ones. The status stays.
 */
export const restoreRoutine = (calendar: Calendar, cipher: SecretCipher, signing: WebhookSigning) =>
  useCase("routines.restore", function* (unit, { routineId, revisionId, id }: RestoreRoutine) {
    const before = yield* lockForChange(unit, routineId);
    const source = yield* unit.routines.findRevision(revisionId, routineId);
    if (source === null) return yield* Effect.fail(new RevisionNotFound());
    if (source.id === before.latestRevisionId) yield* Effect.fail(new RevisionIsLatest());
    // The status is not part of the definition.
    const fields = { ...source.snapshot.routine, status: before.status };
    const edited = yield* Effect.fromResult(editRoutine(before, fields, unit.by, unit.at));
    yield* checkReferences(unit, before.companyId, newReferences(before, edited));

    const living = yield* unit.routines.triggers(routineId);
    const removed = living.filter((trigger) => !source.snapshot.triggers.some(({ id }) => id === trigger.id));
    for (const { id } of removed) yield* unit.routines.deleteTrigger(id, unit.at);
    const triggers: Trigger[] = [];
    const secrets: SecretMaterial[] = [];
    const changed: ChangedTrigger[] = [];
    const remade: Trigger[] = [];
    for (const snapshot of source.snapshot.triggers) {
      const alive = living.find(({ id }) => id === snapshot.id) ?? null;
      const trigger = scheduled(
        calendar,
        recreated(snapshot, alive, edited, unit.at),
        edited.status,
        unit.at,
      );
      triggers.push(trigger);
      yield* unit.routines.saveTrigger(trigger);
      const fields = alive === null ? [] : changedTriggerFields(alive, trigger);
      if (alive === null) remade.push(trigger);
      if (fields.length > 0) changed.push({ trigger, fields });
      if (alive === null && snapshot.kind === "webhook")
        secrets.push(yield* giveNewSecret(unit, cipher, signing, trigger));
    }
    const { routine, revision } = yield* saveRevision(unit, edited, triggers, {
      id,
      summary: `Restored revision ${source.revisionNumber}`,
      restoredFrom: source.id,
    });
    yield* unit.log("routine.restored", routine, {
      fromRevisionId: source.id,
      fromRevisionNumber: source.revisionNumber,
    });
    return { routine, revision, restoredFrom: source, secrets, removed, changed, remade };
  });

const recreated = (
  snapshot: TriggerSnapshot,
  alive: Trigger | null,
  { id: routineId, companyId }: Routine,
  at: Instant,
): Trigger => ({
  companyId,
  routineId,
  nextFireAt: null,
  lastFiredAt: alive?.lastFiredAt ?? null,
  secretVersion: alive?.secretVersion ?? 0,
  lastRotatedAt: alive?.lastRotatedAt ?? null,
  createdAt: alive?.createdAt ?? at,
  updatedAt: at,
  ...snapshot,
});

/** Continues the count from the last secret, so that no number is used for two secrets. */
const giveNewSecret = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  cipher: SecretCipher,
  signing: WebhookSigning,
  trigger: Trigger,
) {
  const { secretVersion } = yield* Effect.orDie(unit.routines.findTrigger(trigger.id));
  const { secret } = yield* giveSecret(unit, cipher, signing, { ...trigger, secretVersion });
  return { trigger, secret };
});
