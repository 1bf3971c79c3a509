import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  PushNeedsSession,
  PushNotAccepted,
  PushServiceRefused,
  PushSubscriptionNotFound,
  TooManyPushSubscriptions,
} from "../../../core/model/notices/push-subscription.ts";
import { ValidationFailed } from "../../../core/model/shared/failure.ts";
import { boardOnly } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, upTo } from "../endpoint/values.ts";
import { PushSubscriptionShape } from "./session-shapes.ts";

const Endpoint = upTo(2_000).min(1).describe("The https address of the browser at its push service.");

/** The years that PostgreSQL and browsers know. */
const lastTime = Date.UTC(9999, 0);

/** Notices on browsers of the person who calls. */
export const pushSubscriptions = {
  key: endpoint({
    method: "GET",
    path: "/api/session/push-key",
    summary: "Show the key for push subscriptions",
    description:
      "The `applicationServerKey` of `PushManager.subscribe`, in base64url. It is the same for all services of an installation, and doesn't change.",
    access: boardOnly,
    returns: z.object({ publicKey: z.string() }),
    run: ({ pushSubscriptions: { publicKey } }) => Effect.succeed({ publicKey }),
  }),
  list: endpoint({
    method: "GET",
    path: "/api/session/push-subscriptions",
    summary: "List the browsers that show you notices",
    description: "Oldest first, 20 at most. Nobody else sees them, and no answer has their keys.",
    access: boardOnly,
    returns: z.array(PushSubscriptionShape).readonly(),
    run: ({ pushSubscriptions }, _, { caller }) => pushSubscriptions.show(caller),
  }),
  save: endpoint({
    method: "POST",
    path: "/api/session/push-subscriptions",
    summary: "Show notices on this browser",
    description:
      "For web sessions. Send what `PushSubscription.toJSON()` gives. Repeating it is safe. The subscription ends when its session is ended or its person is disabled, 30 days after the session has ended by time, and when the browser ends it.",
    access: boardOnly,
    body: z
      .strictObject({
        endpoint: Endpoint,
        expirationTime: z.number().min(0).max(lastTime).nullish().describe("Milliseconds since 1970."),
        keys: z.strictObject({
          p256dh: z.string().regex(/^B[\w-]{86}$/, "must be 65 bytes in base64url, the first of them 4"),
          auth: z.string().regex(/^[\w-]{22}$/, "must be 16 bytes in base64url"),
        }),
      })
      .describe("A `PushSubscription` of the browser."),
    returns: PushSubscriptionShape,
    failures: [PushNeedsSession, PushServiceRefused, TooManyPushSubscriptions, ValidationFailed],
    run: ({ pushSubscriptions }, { endpoint: address, keys, expirationTime = null }, { caller }) =>
      pushSubscriptions.save({
        caller,
        target: { endpoint: address, ...keys },
        expiresAt: expirationTime === null ? null : new Date(expirationTime).toISOString(),
      }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/session/push-subscriptions",
    summary: "Stop notices on this browser",
    description: "On the browser of the session that calls, or on the one with that `endpoint`.",
    access: boardOnly,
    query: z.strictObject({ endpoint: Endpoint.optional() }),
    returns: Done,
    failures: [PushSubscriptionNotFound],
    run: ({ pushSubscriptions }, { endpoint: address }, { caller }) =>
      pushSubscriptions.remove({
        caller,
        which: address === undefined ? { sessionId: caller.tokenId } : { endpoint: address },
      }),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/session/push-subscriptions/{pushSubscriptionId}",
    summary: "Stop notices on a browser of yours",
    access: boardOnly,
    returns: Done,
    failures: [PushSubscriptionNotFound],
    run: ({ pushSubscriptions }, { pushSubscriptionId }, { caller }) =>
      pushSubscriptions.remove({ caller, which: { id: pushSubscriptionId } }),
  }),
  test: endpoint({
    method: "POST",
    path: "/api/session/push-subscriptions/{pushSubscriptionId}/test",
    summary: "Send a test notice to a browser of yours",
    description: "Waits until the push service has accepted it.",
    access: boardOnly,
    returns: Done,
    failures: [PushSubscriptionNotFound, PushNotAccepted],
    run: ({ pushSubscriptions }, { pushSubscriptionId }, { caller }) =>
      pushSubscriptions.sendTest({ caller, pushSubscriptionId }),
  }),
};
