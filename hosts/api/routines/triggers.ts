import * as Effect from "effect/Effect";
import { z } from "zod";
import { Unauthenticated } from "../../../core/model/access/caller.ts";
import { CompanyArchived, CompanyNotActive } from "../../../core/model/companies/company.ts";
import { TooManyFirings } from "../../../core/model/routines/firing-limit.ts";
import { RoutineArchived, RoutineNotActive, RoutineNotFound } from "../../../core/model/routines/routine.ts";
import {
  CronInvalid,
  NotAWebhook,
  TimezoneInvalid,
  type Trigger,
  TriggerDisabled,
  TriggerFieldsInvalid,
  TriggerNotFound,
  triggerKinds,
} from "../../../core/model/routines/trigger.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import { IdempotencyKeyReused, NotAllowed } from "../../../core/model/shared/failure.ts";
import type { RoutineRunId, TriggerId } from "../../../core/model/shared/ids.ts";
import { WebhookReplayed } from "../../../core/routines/fire-webhook.ts";
import { acting, open } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { rawEndpoint } from "../endpoint/raw-endpoint.ts";
import {
  FiredShape,
  TriggerShape,
  TriggerWithSecretShape,
  triggerFields,
  WebhookSecret,
} from "./routine-shapes.ts";

const trigger = ({ secretVersion: _, ...shown }: Trigger) => shown;

/** Where outside systems fire the trigger; null: it is not a webhook. */
export const webhookUrl = ({ service }: App, publicId: string | null) =>
  publicId === null ? null : `${service.address()}/api/routine-triggers/public/${publicId}/fire`;

export const triggers = {
  addTrigger: endpoint({
    method: "POST",
    path: "/api/routines/{routineId}/triggers",
    summary: "Add a trigger to a routine",
    description:
      "The secret of a webhook trigger is shown only in this answer, and not at all where you gave it.",
    access: acting("routine", "update"),
    body: z.strictObject({ kind: z.enum(triggerKinds), ...triggerFields, secret: WebhookSecret.optional() }),
    returns: TriggerWithSecretShape,
    status: 201,
    failures: [
      CronInvalid,
      NotAllowed,
      RoutineArchived,
      RoutineNotFound,
      TimezoneInvalid,
      TooManyRecords,
      TriggerFieldsInvalid,
      TriggerNotFound,
    ],
    creates: {
      again: (app, id) =>
        app.views.routines
          .trigger(id as TriggerId)
          .pipe(
            Effect.map((made) => ({ ...made, secret: null, webhookUrl: webhookUrl(app, made.publicId) })),
          ),
      showsSecret: true,
    },
    run: (app, input, { by, newId }) =>
      app.routines.addTrigger({ ...input, id: newId<TriggerId>(), by }).pipe(
        Effect.map((made) => ({
          ...trigger(made.trigger),
          secret: made.secret,
          webhookUrl: webhookUrl(app, made.trigger.publicId),
        })),
      ),
  }),
  updateTrigger: endpoint({
    method: "PATCH",
    path: "/api/routine-triggers/{triggerId}",
    summary: "Change, enable or disable a trigger",
    description:
      "An agent changes only triggers of its own routines. Fields that its kind does not have are a 422. A change is a revision of the routine; a changed schedule applies from now on and catches up no earlier tick.",
    access: acting("routine", "update", "trigger"),
    body: z.strictObject(triggerFields),
    returns: TriggerShape,
    failures: [
      CronInvalid,
      NotAllowed,
      RoutineArchived,
      TimezoneInvalid,
      TriggerFieldsInvalid,
      TriggerNotFound,
    ],
    run: ({ routines }, input, { by }) => routines.updateTrigger({ ...input, by }).pipe(Effect.map(trigger)),
  }),
  deleteTrigger: endpoint({
    method: "DELETE",
    path: "/api/routine-triggers/{triggerId}",
    summary: "Delete a trigger",
    description: "Its runs stay. Restoring an earlier revision brings it back.",
    access: acting("routine", "update", "trigger"),
    returns: z.void(),
    status: 204,
    failures: [NotAllowed, RoutineArchived, TriggerNotFound],
    run: ({ routines }, { triggerId }, { by }) => routines.deleteTrigger({ triggerId, by }),
  }),
  rotateSecret: endpoint({
    method: "POST",
    path: "/api/routine-triggers/{triggerId}/rotate-secret",
    summary: "Give a webhook trigger a new signing secret",
    description:
      "The old secret is invalid at once. The new one is shown only in this answer, and not at all where you gave it.",
    access: acting("routine", "update", "trigger"),
    body: z.strictObject({ secret: WebhookSecret.optional() }),
    returns: TriggerWithSecretShape,
    // A repetition makes another secret: the first answer, which showed it, may have been lost.
    creates: { again: null, showsSecret: true, idOf: ({ id }) => id },
    failures: [NotAllowed, NotAWebhook, RoutineArchived, TriggerFieldsInvalid, TriggerNotFound],
    run: (app, { triggerId, secret }, { by }) =>
      app.routines.rotateSecret({ triggerId, secret, by }).pipe(
        Effect.map((rotated) => ({
          ...trigger(rotated.trigger),
          secret: rotated.secret,
          webhookUrl: webhookUrl(app, rotated.trigger.publicId),
        })),
      ),
  }),
  fire: rawEndpoint({
    path: "/api/routine-triggers/public/{publicId}/fire",
    summary: "Fire a webhook trigger from an external system",
    description:
      "Proven in the trigger's mode: by its secret in a header, or signed by HMAC-SHA256 as the sender does it. A signed request fires once. If the body is a JSON object, the agent receives its fields. A trigger fires at most 60 times a minute.",
    access: open,
    headers: {
      Authorization: "`Bearer <secret>`, in bearer mode.",
      "X-Service-Signature": "Lower-case hex, with or without `sha256=` before it, in hmac_sha256 mode.",
      "X-Service-Timestamp": "Seconds or milliseconds since 1970; at most replayWindowSec from now.",
      "X-Hub-Signature-256": "`sha256=` and lower-case hex, in github_sha256 mode.",
      "X-Gitlab-Token": "The secret, in gitlab_token mode.",
      "Stripe-Signature": "`t=<seconds>,v1=<lower-case hex>`, in stripe mode.",
      "webhook-id":
        "The sender's id of the message, in standard_webhooks mode; the same id gives the same run.",
      "webhook-timestamp": "Seconds since 1970, in standard_webhooks mode.",
      "webhook-signature": "`v1,` and base64, in standard_webhooks mode; several are separated by blanks.",
      "Idempotency-Key": "The same key gives the same run, even with a new signature.",
    },
    returns: FiredShape,
    status: 202,
    failures: [
      CompanyArchived,
      CompanyNotActive,
      RoutineNotActive,
      TooManyFirings,
      TriggerDisabled,
      TriggerNotFound,
      Unauthenticated,
      IdempotencyKeyReused,
      WebhookReplayed,
    ],
    run: ({ routines }, { publicId, raw }, { newId }) =>
      routines.admitWebhook({ publicId, headers: raw.headers }).pipe(
        Effect.andThen(raw.body),
        Effect.flatMap((body) =>
          routines.fireWebhook({ headers: raw.headers, body, publicId, id: newId<RoutineRunId>() }),
        ),
        Effect.map(({ id, status, triggeredAt }) => ({ id, status, triggeredAt })),
      ),
  }),
};
