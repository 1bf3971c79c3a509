import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { NotAWebhook } from "../model/routines/trigger.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { lockTrigger } from "./lock-trigger.ts";
import { saveRevision } from "./save-revision.ts";
import { giveOrStoreSecret } from "./webhook-secret.ts";

export interface RotateTriggerSecret {
  readonly triggerId: TriggerId;
  /** The secret that the sender has made; omitted: the answer has a new one. */
  readonly secret?: Redacted.Redacted<string> | undefined;
  readonly by: Actor;
}

/** Gives the trigger a new signing secret, or that of its sender. The old one becomes invalid at once. */
export const rotateTriggerSecret = (cipher: SecretCipher, signing: WebhookSigning) =>
  useCase("routines.rotateSecret", function* (unit, { triggerId, secret }: RotateTriggerSecret) {
    const { routine, trigger, triggers } = yield* lockTrigger(unit, triggerId);
    if (trigger.kind !== "webhook") yield* Effect.fail(new NotAWebhook());
    const rotated = yield* giveOrStoreSecret(unit, { cipher, signing }, trigger, secret);
    yield* saveRevision(unit, routine, triggers, { summary: "Rotated a webhook trigger's secret" });
    yield* unit.log("routine.secret_rotated", routine, { triggerId });
    return rotated;
  });
