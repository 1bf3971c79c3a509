import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { editRoutine, mayChange, RevisionIsLatest, type Routine } from "../model/routines/routine.ts";
import { revise, type TriggerSnapshot } from "../model/routines/routine-revision.ts";
import { changedTriggerFields, type Trigger } from "../model/routines/trigger.ts";
import { RevisionNotFound } from "../model/shared/failure.ts";
import type { RevisionId, RoutineId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { checkReferences, newReferences } from "./routine-references.ts";
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
export const restoreRoutine =
  (transactor: Transactor, clock: Clock, calendar: Calendar, cipher: SecretCipher, signing: WebhookSigning) =>
  ({ routineId, revisionId, id, by }: RestoreRoutine) =>
    transactAs(transactor, by, function* (stores) {
      const before = yield* Effect.flatMap(stores.routines.lock(routineId), (routine) =>
        Effect.fromResult(mayChange(routine, by)),
      );
      const source = yield* stores.routines.findRevision(revisionId, routineId);
      if (source === null) return yield* Effect.fail(new RevisionNotFound());
      if (source.id === before.latestRevisionId) yield* Effect.fail(new RevisionIsLatest());
      const at = clock.now();
      // The status is not part of the definition.
      const fields = { ...source.snapshot.routine, status: before.status };
      const edited = yield* Effect.fromResult(editRoutine(before, fields, by, at));
      yield* checkReferences(stores, before.companyId, newReferences(before, edited));

      const living = yield* stores.routines.triggers(routineId);
      const removed = living.filter(
        (trigger) => !source.snapshot.triggers.some(({ id }) => id === trigger.id),
      );
      for (const { id } of removed) yield* stores.routines.deleteTrigger(id, at);
      const triggers: Trigger[] = [];
      const secrets: SecretMaterial[] = [];
      const changed: ChangedTrigger[] = [];
      const remade: Trigger[] = [];
      for (const kept of source.snapshot.triggers) {
        const alive = living.find(({ id }) => id === kept.id) ?? null;
        const trigger = scheduled(calendar, recreated(kept, alive, edited, at), edited.status, at);
        triggers.push(trigger);
        yield* stores.routines.saveTrigger(trigger);
        const fields = alive === null ? [] : changedTriggerFields(alive, trigger);
        if (alive === null) remade.push(trigger);
        if (fields.length > 0) changed.push({ trigger, fields });
        if (alive === null && kept.kind === "webhook")
          secrets.push(yield* giveNewSecret(stores, cipher, signing, trigger, at));
      }
      const { routine, revision } = revise(edited, triggers, {
        id,
        summary: `Restored revision ${source.revisionNumber}`,
        restoredFrom: source.id,
        by,
        at,
      });
      yield* stores.routines.save(routine);
      yield* stores.routines.insertRevision(revision);
      yield* logAction(stores, routine, by, at, "routine.restored", {
        fromRevisionId: source.id,
        fromRevisionNumber: source.revisionNumber,
      });
      return { routine, revision, restoredFrom: source, secrets, removed, changed, remade };
    });

const recreated = (
  kept: TriggerSnapshot,
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
  ...kept,
});

/** Continues the count from the last secret, so that no number is used for two secrets. */
const giveNewSecret = Effect.fnUntraced(function* (
  stores: Stores,
  cipher: SecretCipher,
  signing: WebhookSigning,
  trigger: Trigger,
  at: Instant,
) {
  const { secretVersion } = yield* Effect.orDie(stores.routines.findTrigger(trigger.id));
  const { secret } = yield* giveSecret(stores, cipher, signing, { ...trigger, secretVersion }, at);
  return { trigger, secret };
});
