import { z } from "zod";
import { entityTypes } from "../../../core/model/activity/activity-entry.ts";
import { deliveryStates } from "../../../core/model/events/event-delivery.ts";
import { disabledReasons, eventFormats } from "../../../core/model/events/event-format.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

export const EventSubscriptionShape = z.object({
  id,
  companyId: id,
  url: z.string().describe("Of a chat only the host: its address is a credential."),
  format: z.enum(eventFormats),
  events: z.array(z.string()).readonly(),
  previousSecretUntil: when.describe("Until then the secret before the present one signs, too."),
  disabledAt: when,
  disabledBecause: z
    .enum(disabledReasons)
    .nullable()
    .describe("person, failing (for a day), or gone (its receiver answered 410)."),
  failingSince: when.describe("Since the first failure after the last success."),
  lastError: z.string().nullable(),
  pending: z.int().describe("Events that wait to be sent."),
  undelivered: z.int().describe("Events that couldn't be delivered. They can be sent again."),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const EventSubscriptionWithSecretShape = EventSubscriptionShape.extend({
  secret: z
    .string()
    .nullable()
    .describe("`whsec_…`, which verifies signatures; only in this answer. null: of a chat, or shown before."),
});

export const EventDeliveryShape = z.object({
  id,
  subscriptionId: id,
  eventId: id.describe("The header webhook-id; the same in each attempt."),
  type: z.string(),
  subjectType: z.enum(entityTypes).describe("Later versions may have more."),
  subjectId: id,
  state: z.enum(deliveryStates),
  attempts: z.int(),
  firstAttemptAt: when,
  lastAttemptAt: when,
  nextAttemptAt: when.describe("null: it is not pending."),
  status: z.int().nullable().describe("Of the last answer; null: there was none."),
  answer: z.string().nullable().describe("The beginning of the last answer, or why there was none."),
  durationMs: z.int().nullable(),
  createdAt: Timestamp,
});
