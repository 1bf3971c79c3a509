import * as Effect from "effect/Effect";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { NotAWebhook } from "../model/routines/trigger.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { lockTrigger } from "./lock-trigger.ts";
import { saveRevision } from "./save-revision.ts";
import { giveSecret } from "./webhook-secret.ts";

export interface RotateTriggerSecret {
  readonly triggerId: TriggerId;
  readonly by: Actor;
}

/** Creates a new signing secret. The old one becomes invalid at once. */
export const rotateTriggerSecret = (cipher: SecretCipher, signing: WebhookSigning) =>
  useCase("routines.rotateSecret", function* (unit, { triggerId }: RotateTriggerSecret) {
    const { routine, trigger, triggers } = yield* lockTrigger(unit, triggerId);
    if (trigger.kind !== "webhook") yield* Effect.fail(new NotAWebhook());
    const rotated = yield* giveSecret(unit, cipher, signing, trigger);
    yield* saveRevision(unit, routine, triggers, { summary: "Rotated the secret of a webhook trigger" });
    yield* unit.log("routine.secret_rotated", routine, { triggerId });
    return rotated;
  });
