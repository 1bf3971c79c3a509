import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { WebhookSigning } from "../../ports/webhook-signing.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { NotAWebhook } from "../model/routines/trigger.ts";
import type { TriggerId } from "../model/shared/ids.ts";
import { keepRevision } from "./keep-revision.ts";
import { lockTrigger } from "./lock-trigger.ts";
import { giveSecret } from "./webhook-secret.ts";

/** Creates a new signing secret. The old one becomes invalid at once. */
export const rotateTriggerSecret =
  (transactor: Transactor, clock: Clock, ids: Ids, cipher: SecretCipher, signing: WebhookSigning) =>
  ({ triggerId, by }: { readonly triggerId: TriggerId; readonly by: Actor }) =>
    transactAs(transactor, by, function* (stores) {
      const { routine, trigger, triggers } = yield* lockTrigger(stores, triggerId, by);
      if (trigger.kind !== "webhook") yield* Effect.fail(new NotAWebhook());
      const at = clock.now();
      const rotated = yield* giveSecret(stores, cipher, signing, trigger, at);
      yield* keepRevision(stores, ids, routine, triggers, {
        summary: "Rotated the secret of a webhook trigger",
        by,
        at,
      });
      yield* logAction(stores, routine, by, at, "routine.secret_rotated", { triggerId });
      return rotated;
    });
