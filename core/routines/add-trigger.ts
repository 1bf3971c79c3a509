import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { Calendar } from "../../ports/calendar.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { requireRoom } from "../access/require-room.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import {
  changeTrigger,
  replayWindow,
  type Trigger,
  type TriggerFields,
  TriggerFieldsInvalid,
  type TriggerKind,
  type TriggerWithSecret,
} from "../model/routines/trigger.ts";
import type { RoutineId, TriggerId } from "../model/shared/ids.ts";
import { lockForChange } from "./lock-for-change.ts";
import { saveRevision } from "./save-revision.ts";
import { checkSchedule, scheduled } from "./schedule.ts";
import { giveOrStoreSecret } from "./webhook-secret.ts";

export interface AddTrigger extends TriggerFields {
  readonly id: TriggerId;
  readonly routineId: RoutineId;
  readonly kind: TriggerKind;
  /** The secret that the sender has made; omitted: the answer has a new one. */
  readonly secret?: Redacted.Redacted<string> | undefined;
  readonly by: Actor;
}

export const addTrigger = (calendar: Calendar, cipher: SecretCipher, signing: WebhookSigning) =>
  useCase(
    "routines.addTrigger",
    function* (unit, { id, routineId, kind, secret, by: _, ...fields }: AddTrigger) {
      const routine = yield* lockForChange(unit, routineId);
      yield* requireRoom(unit, "triggers", routine.companyId, routineId);
      if (kind === "schedule" && fields.cronExpression === undefined)
        yield* Effect.fail(
          new TriggerFieldsInvalid(
            { path: ["cronExpression"] },
            "A schedule trigger needs a cronExpression.",
          ),
        );
      if (kind !== "webhook" && secret !== undefined)
        yield* Effect.fail(
          new TriggerFieldsInvalid({ path: ["secret"] }, `A trigger of kind ${kind} has no secret.`),
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
        publicId: kind === "webhook" ? signing.mintPublicId() : null,
        signingMode: kind === "webhook" ? "bearer" : null,
        replayWindowSec: kind === "webhook" ? replayWindow.defaultSec : null,
        secretVersion: 0,
        lastRotatedAt: null,
        createdAt: unit.at,
        updatedAt: unit.at,
      };
      const trigger = yield* Effect.fromResult(changeTrigger(bare, fields, unit.at));
      yield* checkSchedule(calendar, trigger);
      const ready = scheduled(calendar, trigger, routine.status, unit.at);
      const earlier = yield* unit.routines.triggers(routineId);
      yield* unit.routines.insertTrigger(ready);
      const made: TriggerWithSecret =
        kind === "webhook"
          ? yield* giveOrStoreSecret(unit, { cipher, signing }, ready, secret)
          : { trigger: ready, secret: null };
      yield* saveRevision(unit, routine, [...earlier, ready], {
        summary: `Added ${kind === "api" ? "an API" : `a ${kind}`} trigger`,
      });
      yield* unit.log("routine.trigger_created", routine, { triggerId: id, kind });
      return made;
    },
  );
