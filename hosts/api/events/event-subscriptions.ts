import * as Effect from "effect/Effect";
import { z } from "zod";
import { deliveryStates, EventDeliveryNotFound } from "../../../core/model/events/event-delivery.ts";
import { eventFormats } from "../../../core/model/events/event-format.ts";
import {
  EventSubscriptionDisabled,
  EventSubscriptionHasNoSecret,
  EventSubscriptionNotFound,
} from "../../../core/model/events/event-subscription.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import { ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { EventDeliveryId, EventSubscriptionId } from "../../../core/model/shared/ids.ts";
import type { EventSubscriptionView } from "../../../ports/views/event-views.ts";
import { acting, boardInCompany, boardInCompanyOf, verified } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Done, Moment, upTo } from "../endpoint/values.ts";
import {
  EventDeliveryShape,
  EventSubscriptionShape,
  EventSubscriptionWithSecretShape,
} from "./event-shapes.ts";

const events = z
  .array(upTo(100).min(1))
  .min(1)
  .max(50)
  .describe("`*`, all events about one kind of record such as `issue.*`, or one such as `approval.created`.");

const shown = ({ secretVersion: _, failures: __, ...subscription }: EventSubscriptionView) => subscription;

const view = ({ views }: App, id: EventSubscriptionId) => Effect.map(views.events.get(id), shown);

const manage = acting("company", "manageEventSubscriptions", "eventSubscription");

export const eventSubscriptions = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/event-subscriptions",
    summary: "List where the events of a company are sent",
    description: "The oldest first; without secrets.",
    access: boardInCompany("viewer"),
    returns: z.array(EventSubscriptionShape).readonly(),
    run: ({ views }, { companyId }) =>
      Effect.map(views.events.list(companyId), (subscriptions) => subscriptions.map(shown)),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/event-subscriptions",
    summary: "Send the events of a company to an address",
    description:
      "From the next event on, at least once, in the order of each record, signed as Standard Webhooks 1: the secret is shown only in this answer. The formats slack, discord, teams and mattermost send a sentence and a link to the address of an incoming webhook. An address on this machine or in a private network needs SERVICE_OUTBOUND_PRIVATE_HOSTS.",
    access: acting("company", "manageEventSubscriptions"),
    body: z.strictObject({
      url: upTo(2_000).min(1).meta({
        // A chat's, and many a webhook's, is a credential: the command line takes a file or standard input alone.
        writeOnly: true,
        description: "http or https. Of a chat it is a credential, which is never shown again.",
      }),
      events,
      format: z.enum(eventFormats).default("webhook"),
    }),
    returns: EventSubscriptionWithSecretShape,
    status: 201,
    failures: [EventSubscriptionNotFound, TooManyRecords, ValidationFailed],
    creates: {
      again: (app, id) =>
        Effect.map(view(app, id as EventSubscriptionId), (made) => ({ ...made, secret: null })),
      showsSecret: true,
    },
    run: (app, input, { by, newId }) =>
      Effect.gen(function* () {
        const { subscription, secret } = yield* app.events.add({
          ...input,
          id: newId<EventSubscriptionId>(),
          by,
        });
        return { ...(yield* view(app, subscription.id)), secret };
      }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/event-subscriptions/{eventSubscriptionId}",
    summary: "Show an event subscription",
    access: boardInCompanyOf("eventSubscription", "viewer"),
    returns: EventSubscriptionShape,
    failures: [EventSubscriptionNotFound],
    run: (app, { eventSubscriptionId }) => view(app, eventSubscriptionId),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/event-subscriptions/{eventSubscriptionId}",
    summary: "Change which events are sent, or disable or enable a subscription",
    description:
      "Omitted fields stay unchanged. Disabled, it gives up what it has not sent; enabled again, it begins with the next event.",
    access: manage,
    body: z.strictObject({ events: events.optional(), enabled: z.boolean().optional() }),
    returns: EventSubscriptionShape,
    failures: [EventSubscriptionNotFound, ValidationFailed],
    run: (app, input, { by }) =>
      Effect.flatMap(app.events.update({ ...input, by }), ({ id }) => view(app, id)),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/event-subscriptions/{eventSubscriptionId}",
    summary: "Remove an event subscription",
    description: "With its secret and its deliveries; cannot be undone. What was not sent yet is not sent.",
    access: verified(manage),
    returns: Done,
    failures: [EventSubscriptionNotFound],
    run: ({ events }, input, { by }) =>
      events.remove({ ...input, by }).pipe(Effect.as({ ok: true as const })),
  }),
  rotateSecret: endpoint({
    method: "POST",
    path: "/api/event-subscriptions/{eventSubscriptionId}/rotate-secret",
    summary: "Give an event subscription a new secret",
    description:
      "The new one is shown only in this answer. For a day, events are signed by both. Of a chat, whose messages are not signed, a 422.",
    access: manage,
    returns: EventSubscriptionWithSecretShape,
    // A repetition makes another secret: the first answer, which showed it, may have been lost.
    creates: { again: null, showsSecret: true, idOf: ({ id }) => id },
    failures: [EventSubscriptionHasNoSecret, EventSubscriptionNotFound],
    run: (app, input, { by }) =>
      Effect.gen(function* () {
        const { subscription, secret } = yield* app.events.rotateSecret({ ...input, by });
        return { ...(yield* view(app, subscription.id)), secret };
      }),
  }),
  test: endpoint({
    method: "POST",
    path: "/api/event-subscriptions/{eventSubscriptionId}/test",
    summary: "Send a test event to a subscription",
    description: "Its delivery, with the answer soon after, is the first of the list.",
    access: manage,
    returns: EventDeliveryShape,
    failures: [EventSubscriptionDisabled, EventSubscriptionNotFound],
    run: ({ events }, input, { by, newId }) => events.test({ ...input, id: newId<EventDeliveryId>(), by }),
  }),
  deliveries: pageEndpoint({
    path: "/api/event-subscriptions/{eventSubscriptionId}/deliveries",
    summary: "List the events that were sent to a subscription, and the answers",
    description: "Newest first. Deliveries that ended 14 days ago are deleted.",
    access: boardInCompanyOf("eventSubscription", "viewer"),
    query: { state: z.enum(deliveryStates).optional() },
    limits: { default: 100, max: 500 },
    row: EventDeliveryShape,
    run: ({ views }, { eventSubscriptionId, state, limit, cursor }) =>
      views.events.deliveries(eventSubscriptionId, state, { limit, cursor }),
  }),
  redeliver: endpoint({
    method: "POST",
    path: "/api/event-deliveries/{eventDeliveryId}/redeliver",
    summary: "Send an event again",
    description: "At once, with the same webhook-id, and for another day if it fails.",
    access: acting("company", "manageEventSubscriptions", "eventDelivery"),
    returns: EventDeliveryShape,
    failures: [EventDeliveryNotFound, EventSubscriptionDisabled],
    run: ({ events }, input, { by }) => events.redeliver({ ...input, by }),
  }),
  redeliverAll: endpoint({
    method: "POST",
    path: "/api/event-subscriptions/{eventSubscriptionId}/redeliver",
    summary: "Send the events of a period again",
    description: "In their order, at most 10,000 in one request. Pending ones are not touched.",
    access: manage,
    body: z.strictObject({
      from: Moment.describe("Queued then or later."),
      to: Moment.describe("Queued before then."),
      states: z
        .array(z.enum(["delivered", "undelivered"]))
        .min(1)
        .max(2)
        .default(["undelivered"]),
    }),
    returns: z.object({ deliveries: z.int().describe("How many are sent again.") }),
    failures: [EventSubscriptionDisabled, EventSubscriptionNotFound],
    run: ({ events }, input, { by }) => events.redeliverRange({ ...input, by }),
  }),
};
