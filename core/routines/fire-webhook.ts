import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { transact } from "../access/transact-as.ts";
import { bySystem, Unauthenticated } from "../model/access/caller.ts";
import { CompanyNotActive, takesWrites } from "../model/companies/company.ts";
import { companyStatus } from "../model/companies/company-status.ts";
import { firingLimit, refuseTooMany } from "../model/routines/firing-limit.ts";
import { RoutineNotActive } from "../model/routines/routine.ts";
import { TriggerDisabled, TriggerNotFound } from "../model/routines/trigger.ts";
import { payloadOf } from "../model/routines/trigger-payload.ts";
import { proofIn, type WebhookHeaders } from "../model/routines/webhook-request.ts";
import { refusal } from "../model/shared/failure.ts";
import type { RoutineRunId } from "../model/shared/ids.ts";
import { fire } from "./fire.ts";
import { proveWebhook } from "./prove-webhook.ts";

export class WebhookReplayed extends refusal(
  "webhook_replayed",
  "conflict",
  "That signed request has been received before.",
) {}

export interface FireWebhook {
  readonly id: RoutineRunId;
  readonly publicId: string;
  /** Names in lower case. */
  readonly headers: WebhookHeaders;
  /** The bytes as received; the signature covers them. */
  readonly body: Uint8Array;
}

/** Fires a routine for an external system that has the trigger's secret. */
export const fireWebhook =
  (transactor: Transactor, clock: Clock, ids: Ids, cipher: SecretCipher, signing: WebhookSigning) =>
  (command: FireWebhook) =>
    transact(transactor, function* (stores) {
      const { headers, body, publicId } = command;
      const at = clock.now();
      const found = yield* stores.routines.findTriggerByPublicId(publicId);
      const proof = proofIn(headers, found, at);
      if (proof === null) return yield* Effect.fail(new Unauthenticated());
      const proven = yield* proveWebhook(stores, cipher, signing, found, proof, body);
      if (proven === null) return yield* Effect.fail(new Unauthenticated());

      // An unverified request locks nothing: the routine is locked only now, and the trigger read again.
      const routine = yield* Effect.mapError(
        stores.routines.lock(found.routineId),
        () => new TriggerNotFound(),
      );
      const trigger = yield* stores.routines.findTriggerByPublicId(publicId);
      if (trigger.secretVersion !== proven.secretVersion || trigger.signingMode !== found.signingMode)
        yield* Effect.fail(new Unauthenticated());
      const replayed =
        proven.replayKey !== null && (yield* stores.routines.isReplay(trigger.id, proven.replayKey));
      if (replayed) yield* Effect.fail(new WebhookReplayed());
      if (!trigger.enabled) yield* Effect.fail(new TriggerDisabled());
      if (routine.status !== "active") yield* Effect.fail(new RoutineNotActive({ status: routine.status }));
      const company = yield* Effect.orDie(stores.companies.status(routine.companyId));
      yield* Effect.fromResult(takesWrites(company.status));
      if (companyStatus(company, at).status !== "active") yield* Effect.fail(new CompanyNotActive());
      const tooMany = refuseTooMany(
        yield* stores.routines.firedBefore(routine.id, trigger.id, firingLimit.firings),
        at,
      );
      if (tooMany !== null) yield* Effect.fail(tooMany);
      return yield* fire(stores, ids, {
        id: command.id,
        routine,
        trigger,
        source: "webhook",
        payload: payloadOf(body),
        idempotencyKey: headers["idempotency-key"] ?? null,
        replayKey: proven.replayKey,
        scheduledFor: null,
        by: bySystem,
        at,
      });
    });
