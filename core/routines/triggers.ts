import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import type { Actor } from "../access/caller.ts";
import type { RoutineId, TriggerId } from "../shared/ids.ts";
import { mayChange, type Routine } from "./routine.ts";
import { type Revising, revise } from "./routine-revision.ts";
import { checkSchedule, scheduled } from "./schedule.ts";
import {
  changedTriggerFields,
  changeTrigger,
  NotAWebhook,
  replayWindow,
  type Trigger,
  type TriggerFields,
  TriggerFieldsInvalid,
  type TriggerKind,
} from "./trigger.ts";
import { giveSecret } from "./webhook-secret.ts";

export interface AddTrigger extends TriggerFields {
  readonly id: TriggerId;
  readonly routineId: RoutineId;
  readonly kind: TriggerKind;
  readonly by: Actor;
}

export interface ChangeTrigger extends TriggerFields {
  readonly triggerId: TriggerId;
  readonly by: Actor;
}

/** A trigger and, where it was just made, its secret. */
export interface TriggerWithSecret {
  readonly trigger: Trigger;
  readonly secret: string | null;
}

export const addTrigger =
  (
    transactor: Transactor,
    clock: Clock,
    ids: Ids,
    calendar: Calendar,
    cipher: SecretCipher,
    signing: WebhookSigning,
  ) =>
  ({ id, routineId, kind, by, ...fields }: AddTrigger) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const routine = yield* lockForChange(stores, routineId, by);
        const at = clock.now();
        if (kind === "schedule" && fields.cronExpression === undefined)
          yield* Effect.fail(
            new TriggerFieldsInvalid({ path: ["cronExpression"] }, "A schedule needs a cronExpression."),
          );
        const bare: Trigger = {
          id,
          companyId: routine.companyId,
          routineId,
          kind,
          label: null,
          enabled: true,
          cronExpression: null,
          timezone: kind === "schedule" ? "UTC" : null,
          nextFireAt: null,
          lastFiredAt: null,
          publicId: kind === "webhook" ? signing.mint().publicId : null,
          signingMode: kind === "webhook" ? "bearer" : null,
          replayWindowSec: kind === "webhook" ? replayWindow.usualSec : null,
          secretVersion: 0,
          lastRotatedAt: null,
          createdAt: at,
          updatedAt: at,
        };
        const trigger = yield* Effect.fromResult(changeTrigger(bare, fields, at));
        yield* checkSchedule(calendar, trigger);
        const ready = scheduled(calendar, trigger, routine.status, at);
        const earlier = yield* stores.routines.triggers(routineId);
        yield* stores.routines.insertTrigger(ready);
        const made: TriggerWithSecret =
          kind === "webhook"
            ? yield* giveSecret(stores, cipher, signing, ready, at)
            : { trigger: ready, secret: null };
        yield* keepRevision(stores, ids, routine, [...earlier, ready], {
          summary: `Added a ${kind} trigger`,
          by,
          at,
        });
        yield* stores.activity.append({
          companyId: routine.companyId,
          by,
          at,
          action: "routine.trigger_created",
          entityId: routineId,
          details: { triggerId: id, kind },
        });
        return made;
      }),
    );

export const updateTrigger =
  (transactor: Transactor, clock: Clock, ids: Ids, calendar: Calendar) =>
  ({ triggerId, by, ...fields }: ChangeTrigger) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { routine, trigger: before, triggers } = yield* lockTrigger(stores, triggerId, by);
        const at = clock.now();
        const edited = yield* Effect.fromResult(changeTrigger(before, fields, at));
        const changed = changedTriggerFields(before, edited);
        if (changed.length === 0) return before;
        const isRescheduled = changed.some(
          (name) => name === "cronExpression" || name === "timezone" || name === "enabled",
        );
        yield* checkSchedule(calendar, edited);
        const after = isRescheduled ? scheduled(calendar, edited, routine.status, at) : edited;
        yield* stores.routines.saveTrigger(after);
        yield* keepRevision(
          stores,
          ids,
          routine,
          triggers.map((each) => (each.id === triggerId ? after : each)),
          { summary: `Changed ${changed.join(", ")} of a ${after.kind} trigger`, by, at },
        );
        yield* stores.activity.append({
          companyId: routine.companyId,
          by,
          at,
          action: "routine.trigger_updated",
          entityId: routine.id,
          details: { triggerId, changed },
        });
        return after;
      }),
    );

export const deleteTrigger =
  (transactor: Transactor, clock: Clock, ids: Ids) =>
  ({ triggerId, by }: { readonly triggerId: TriggerId; readonly by: Actor }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
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
        yield* stores.activity.append({
          companyId: routine.companyId,
          by,
          at,
          action: "routine.trigger_deleted",
          entityId: routine.id,
          details: { triggerId, kind: trigger.kind },
        });
      }),
    );

/** A new signing secret. The old one is good for nothing from that moment. */
export const rotateTriggerSecret =
  (transactor: Transactor, clock: Clock, ids: Ids, cipher: SecretCipher, signing: WebhookSigning) =>
  ({ triggerId, by }: { readonly triggerId: TriggerId; readonly by: Actor }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { routine, trigger, triggers } = yield* lockTrigger(stores, triggerId, by);
        if (trigger.kind !== "webhook") yield* Effect.fail(new NotAWebhook());
        const at = clock.now();
        const rotated = yield* giveSecret(stores, cipher, signing, trigger, at);
        yield* keepRevision(stores, ids, routine, triggers, {
          summary: "Rotated the secret of a webhook trigger",
          by,
          at,
        });
        yield* stores.activity.append({
          companyId: routine.companyId,
          by,
          at,
          action: "routine.secret_rotated",
          entityId: routine.id,
          details: { triggerId },
        });
        return rotated;
      }),
    );

const lockForChange = (stores: Stores, routineId: RoutineId, by: Actor) =>
  Effect.flatMap(stores.routines.lock(routineId), (routine) => Effect.fromResult(mayChange(routine, by)));

/** The trigger as it is once its routine is held. */
const lockTrigger = Effect.fnUntraced(function* (stores: Stores, triggerId: TriggerId, by: Actor) {
  const { routineId } = yield* stores.routines.findTrigger(triggerId);
  const routine = yield* Effect.orDie(stores.routines.lock(routineId)).pipe(
    Effect.flatMap((found) => Effect.fromResult(mayChange(found, by))),
  );
  const triggers = yield* stores.routines.triggers(routineId);
  const trigger =
    triggers.find(({ id }) => id === triggerId) ?? (yield* stores.routines.findTrigger(triggerId));
  return { routine, trigger, triggers };
});

const keepRevision = Effect.fnUntraced(function* (
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
