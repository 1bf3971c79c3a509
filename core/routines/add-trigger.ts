import * as Effect from "effect/Effect";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
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
import { keepRevision } from "./keep-revision.ts";
import { lockForChange } from "./lock-for-change.ts";
import { checkSchedule, scheduled } from "./schedule.ts";
import { giveSecret } from "./webhook-secret.ts";

export interface AddTrigger extends TriggerFields {
  readonly id: TriggerId;
  readonly routineId: RoutineId;
  readonly kind: TriggerKind;
  readonly by: Actor;
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
    transactAs(transactor, by, function* (stores) {
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
        summary: `Added ${kind === "api" ? "an API" : `a ${kind}`} trigger`,
        by,
        at,
      });
      yield* logAction(stores, routine, by, at, "routine.trigger_created", {
        triggerId: id,
        kind,
      });
      return made;
    });
