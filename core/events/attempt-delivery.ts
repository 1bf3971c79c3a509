import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Clock } from "../../ports/clock.ts";
import type { EventSigning } from "../../ports/event-signing.ts";
import type { OutboundPosts } from "../../ports/outbound-posts.ts";
import type { OutgoingDelivery } from "../../ports/stores/event-store.ts";
import type { Attempt } from "../model/events/event-delivery.ts";
import { bodyOf } from "../model/events/event-message.ts";
import type { EventSubscription } from "../model/events/event-subscription.ts";
import { Masking } from "../model/runs/masking/masking.ts";

/** How much of an answer is stored, in characters. */
const answerLength = 500;

export interface AttemptParts {
  readonly clock: Clock;
  readonly signing: EventSigning;
  readonly posts: OutboundPosts;
  /** The address of the service, for links. */
  readonly address: () => string;
}

/**
 * Sends one event to its subscription. `secrets` are the valid ones: they sign, or the first is the address of a chat. What
 * the receiver repeats of them in its answer isn't stored.
 */
export const attemptDelivery =
  (
    { clock, signing, posts, address }: AttemptParts,
    { url, format }: EventSubscription,
    secrets: readonly Redacted.Redacted<string>[],
  ) =>
  ({ event }: OutgoingDelivery): Effect.Effect<Attempt> =>
    Effect.gen(function* () {
      const started = clock.now();
      const body = bodyOf(event, format, address());
      const seconds = Math.floor(Date.parse(started) / 1_000);
      const isSigned = format === "webhook";
      const answer = yield* posts.post({
        url: isSigned ? url : Redacted.value(secrets[0]!),
        headers: {
          "content-type": "application/json",
          "user-agent": "Boardroom",
          ...(isSigned ? signing.sign({ id: event.eventId, seconds, body }, secrets) : {}),
        },
        body,
      });
      const text = answer.text === "" ? "" : new Masking(secrets.map(Redacted.value)).text(answer.text);
      return {
        status: answer.status,
        answer: [...text.slice(0, 2 * answerLength)].slice(0, answerLength).join(""),
        durationMs: Math.max(0, Date.parse(clock.now()) - Date.parse(started)),
      };
    });
