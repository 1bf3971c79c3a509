import * as Effect from "effect/Effect";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { useCase } from "../access/unit-of-work.ts";
import { Unauthenticated } from "../model/access/caller.ts";
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
  "This signed request was already received.",
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
export const fireWebhook = (cipher: SecretCipher, signing: WebhookSigning) =>
  useCase("routines.fireWebhook", function* (unit, command: FireWebhook) {
    const { headers, body, publicId } = command;
    const found = yield* unit.routines.findTriggerByPublicId(publicId);
    const proof = proofIn(headers, found, unit.at);
    if (proof === null) return yield* Effect.fail(new Unauthenticated());
    const proven = yield* proveWebhook(unit, { cipher, signing }, found, proof, body);
    if (proven === null) return yield* Effect.fail(new Unauthenticated());

    // An unverified request locks nothing: the routine is locked only now, and the trigger read again.
    const routine = yield* Effect.mapError(unit.routines.lock(found.routineId), () => new TriggerNotFound());
    const trigger = yield* unit.routines.findTriggerByPublicId(publicId);
    if (trigger.secretVersion !== proven.secretVersion || trigger.signingMode !== found.signingMode)
      yield* Effect.fail(new Unauthenticated());
    const replayed =
      proven.replayKey !== null && (yield* unit.routines.isReplay(trigger.id, proven.replayKey));
    if (replayed) yield* Effect.fail(new WebhookReplayed());
    if (!trigger.enabled) yield* Effect.fail(new TriggerDisabled());
    if (routine.status !== "active") yield* Effect.fail(new RoutineNotActive({ status: routine.status }));
    const company = yield* Effect.orDie(unit.companies.status(routine.companyId));
    yield* Effect.fromResult(takesWrites(company.status));
    if (companyStatus(company, unit.at).status !== "active") yield* Effect.fail(new CompanyNotActive());
    const tooMany = refuseTooMany(
      yield* unit.routines.firedBefore(routine.id, trigger.id, firingLimit.firings),
      unit.at,
    );
    if (tooMany !== null) yield* Effect.fail(tooMany);
    return yield* fire(unit, {
      id: command.id,
      routine,
      trigger,
      source: "webhook",
      payload: payloadOf(body, headers["content-type"]),
      idempotencyKey: headers["idempotency-key"] ?? (proof.kind === "bearer" ? null : proof.messageId),
      replayKey: proven.replayKey,
      scheduledFor: null,
    });
  });
