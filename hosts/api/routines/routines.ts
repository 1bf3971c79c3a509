import * as Effect from "effect/Effect";
import { z } from "zod";
import { Unauthenticated } from "../../../core/access/caller.ts";
import { AgentNotAssignable } from "../../../core/agents/named-agent.ts";
import { CompanyArchived, CompanyNotActive } from "../../../core/companies/company.ts";
import { ProjectArchived } from "../../../core/projects/project.ts";
import { WebhookReplayed } from "../../../core/routines/fire-webhook.ts";
import { TooManyFirings } from "../../../core/routines/firing-limit.ts";
import {
  RevisionIsLatest,
  RoutineArchived,
  RoutineNotActive,
  RoutineNotFound,
  StaleRevision,
} from "../../../core/routines/routine.ts";
import {
  CronInvalid,
  NotAWebhook,
  TimezoneInvalid,
  type Trigger,
  TriggerDisabled,
  TriggerFieldsInvalid,
  TriggerNotFound,
  TriggerNotOfRoutine,
  triggerKinds,
} from "../../../core/routines/trigger.ts";
import { NotAllowed, ReferenceNotFound, RevisionNotFound } from "../../../core/shared/failure.ts";
import type { RevisionId, RoutineId, RoutineRunId, TriggerId } from "../../../core/shared/ids.ts";
import { inCompany, inCompanyOf, open } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint, pageEndpoint } from "../endpoint/endpoint.ts";
import { rawEndpoint } from "../endpoint/raw-endpoint.ts";
import { FreeObject, reference, Timestamp, upTo } from "../endpoint/values.ts";
import {
  CompanyNextFireShape,
  FiredShape,
  NextFireShape,
  optionalRoutineFields,
  RestoredShape,
  RoutineDetailShape,
  RoutineRevisionShape,
  RoutineRunShape,
  RoutineShape,
  requiredRoutineFields,
  TriggerShape,
  TriggerWithSecretShape,
  triggerFields,
} from "./routine-shapes.ts";

const fireCount = z.coerce.number().int().min(1).max(100).default(10);

const shown = ({ views, clock }: App, id: RoutineId) => views.routines.get(id, clock.now());

const trigger = ({ secretVersion: _, ...shown }: Trigger) => shown;

const named = ({ id, kind, label }: Trigger) => ({ triggerId: id, kind, label });

const webhookUrl = ({ service }: App, publicId: string | null) =>
  publicId === null ? null : `${service.address()}/api/routine-triggers/public/${publicId}/fire`;

export const routines = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/routines",
    summary: "List the routines of a company",
    description: "Lists all of them with their triggers, last changed first.",
    access: inCompany("viewer"),
    returns: z.array(RoutineShape).readonly(),
    failures: [],
    run: ({ views }, { companyId }) => views.routines.list(companyId),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/routines/{routineId}",
    summary: "Show a routine with its triggers",
    description: "Webhook secrets are not shown; a trigger's nextFireAt is its next due time.",
    access: inCompanyOf("routine", "viewer"),
    returns: RoutineDetailShape,
    failures: [RoutineNotFound],
    run: (app, { routineId }) => shown(app, routineId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/routines",
    summary: "Create a routine",
    description:
      "An agent creates routines only for itself. Add triggers by `POST /api/routines/{routineId}/triggers`.",
    access: inCompany("operator"),
    body: z.strictObject({ ...requiredRoutineFields, ...optionalRoutineFields }),
    returns: RoutineDetailShape,
    status: 201,
    failures: [AgentNotAssignable, NotAllowed, ProjectArchived, ReferenceNotFound],
    creates: { again: (app, id) => shown(app, id as RoutineId).pipe(Effect.orDie) },
    run: (app, input, { by, newId }) =>
      app.routines
        .create({ ...input, id: newId<RoutineId>(), by })
        .pipe(Effect.flatMap(({ id }) => shown(app, id).pipe(Effect.orDie))),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/routines/{routineId}",
    summary: "Change, pause, activate or archive a routine",
    description:
      "With baseRevisionId, refused if another revision is the latest. An agent changes its own routines and keeps them assigned to itself.",
    access: inCompanyOf("routine", "operator"),
    body: z.strictObject({
      title: requiredRoutineFields.title.optional(),
      assigneeAgentId: requiredRoutineFields.assigneeAgentId.optional(),
      projectId: requiredRoutineFields.projectId.optional(),
      ...optionalRoutineFields,
      baseRevisionId: reference<RevisionId>().optional(),
    }),
    returns: RoutineDetailShape,
    failures: [
      AgentNotAssignable,
      NotAllowed,
      ProjectArchived,
      ReferenceNotFound,
      RoutineArchived,
      RoutineNotFound,
      StaleRevision,
    ],
    run: (app, input, { by }) =>
      app.routines.update({ ...input, by }).pipe(Effect.flatMap(({ id }) => shown(app, id))),
  }),
  revisions: pageEndpoint({
    path: "/api/routines/{routineId}/revisions",
    summary: "List the revisions of a routine",
    description: "Newest first. They hold no secrets.",
    access: inCompanyOf("routine", "viewer"),
    limits: { default: 100, max: 500 },
    row: RoutineRevisionShape,
    failures: [],
    run: ({ views }, { routineId, limit, cursor }) => views.routines.revisions(routineId, { limit, cursor }),
  }),
  restore: endpoint({
    method: "POST",
    path: "/api/routines/{routineId}/revisions/{revisionId}/restore",
    summary: "Restore a routine and its triggers from a revision",
    description:
      "Makes a new latest revision, and names the triggers it removed, changed and restored; the status stays. Restored webhook triggers keep their addresses and get new secrets, shown only in this answer.",
    access: inCompanyOf("routine", "operator"),
    returns: RestoredShape,
    creates: {
      again: ({ views }, id, _, { routineId }) =>
        views.routines
          .revisions(routineId, { limit: 100, cursor: undefined })
          .pipe(
            Effect.flatMap(({ items }) =>
              items.some((revision) => revision.id === id)
                ? Effect.void
                : Effect.fail(new RevisionNotFound()),
            ),
          ),
      showsSecret: true,
    },
    failures: [
      AgentNotAssignable,
      NotAllowed,
      ProjectArchived,
      ReferenceNotFound,
      RevisionIsLatest,
      RevisionNotFound,
      RoutineArchived,
      RoutineNotFound,
    ],
    run: (app, input, { by, newId }) =>
      Effect.gen(function* () {
        const { routine, revision, restoredFrom, secrets, ...triggers } = yield* app.routines.restore({
          ...input,
          id: newId<RevisionId>(),
          by,
        });
        return {
          routine: yield* shown(app, routine.id),
          revision,
          restoredFromRevisionId: restoredFrom.id,
          restoredFromRevisionNumber: restoredFrom.revisionNumber,
          secretMaterials: secrets.map(({ trigger, secret }) => ({
            triggerId: trigger.id,
            webhookUrl: webhookUrl(app, trigger.publicId) ?? "",
            secret,
          })),
          removedTriggers: triggers.removed.map(named),
          changedTriggers: triggers.changed.map(({ trigger, fields }) => ({
            ...named(trigger),
            changed: fields,
          })),
          remadeTriggers: triggers.remade.map(named),
        };
      }),
  }),
  nextFires: endpoint({
    method: "GET",
    path: "/api/routines/{routineId}/next-fires",
    summary: "Preview when the schedules of a routine fire next",
    description: "Covers its enabled schedule triggers, as if the routine were active.",
    access: inCompanyOf("routine", "viewer"),
    query: z.strictObject({ count: fireCount }),
    returns: z.array(NextFireShape).readonly(),
    failures: [],
    run: ({ routines }, { routineId, count }) => routines.nextFires({ routineId, count }),
  }),
  companyNextFires: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/next-fires",
    summary: "Show when the schedules of a company fire next",
    description: "Of the enabled schedules of all active routines, earliest first.",
    access: inCompany("viewer"),
    query: z.strictObject({ count: fireCount }),
    returns: z.array(CompanyNextFireShape).readonly(),
    failures: [],
    run: ({ routines }, { companyId, count }) => routines.companyNextFires({ companyId, count }),
  }),
  previewFires: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/next-fires/preview",
    summary: "Preview when a schedule would fire",
    description: "For a schedule without a trigger. A refusal names the field.",
    access: inCompany("viewer"),
    query: z.strictObject({
      cronExpression: triggerFields.cronExpression.unwrap(),
      timezone: upTo(100).default("UTC").describe("IANA name."),
      count: fireCount,
    }),
    returns: z.array(Timestamp).readonly(),
    failures: [CronInvalid, TimezoneInvalid],
    run: ({ routines }, { cronExpression, timezone, count }) =>
      routines.previewFires({ cronExpression, timezone, count }),
  }),
  runs: pageEndpoint({
    path: "/api/routines/{routineId}/runs",
    summary: "List the runs of a routine",
    description: "Newest first.",
    access: inCompanyOf("routine", "viewer"),
    limits: { default: 50, max: 200 },
    row: RoutineRunShape,
    failures: [],
    run: ({ views }, { routineId, limit, cursor }) => views.routines.runs(routineId, { limit, cursor }),
  }),
  run: endpoint({
    method: "POST",
    path: "/api/routines/{routineId}/run",
    summary: "Fire a routine now",
    description:
      "Fires outside its schedule, even while it is paused; the concurrency policy applies. The same idempotencyKey gives the same run.",
    access: inCompanyOf("routine", "operator"),
    body: z.strictObject({
      source: z.enum(["manual", "api"]).default("manual"),
      triggerId: reference<TriggerId>().optional().describe("The trigger to which the run is attributed."),
      payload: FreeObject.optional().describe("Passed to the agent with the issue."),
      idempotencyKey: upTo(255).min(1).optional(),
    }),
    returns: RoutineRunShape,
    status: 202,
    failures: [
      CompanyNotActive,
      NotAllowed,
      RoutineArchived,
      RoutineNotFound,
      TriggerDisabled,
      TriggerNotOfRoutine,
    ],
    creates: {
      again: ({ views }, id) => views.routines.run(id as RoutineRunId).pipe(Effect.orDie),
      idOf: ({ id }) => id,
    },
    run: ({ routines, views }, input, { by, newId }) =>
      routines
        .run({ ...input, id: newId<RoutineRunId>(), by })
        .pipe(Effect.flatMap(({ id }) => views.routines.run(id).pipe(Effect.orDie))),
  }),
  addTrigger: endpoint({
    method: "POST",
    path: "/api/routines/{routineId}/triggers",
    summary: "Add a trigger to a routine",
    description: "The secret of a webhook trigger is shown only in this answer.",
    access: inCompanyOf("routine", "operator"),
    body: z.strictObject({ kind: z.enum(triggerKinds), ...triggerFields }),
    returns: TriggerWithSecretShape,
    status: 201,
    failures: [
      CronInvalid,
      NotAllowed,
      RoutineArchived,
      RoutineNotFound,
      TimezoneInvalid,
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
    access: inCompanyOf("trigger", "operator"),
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
    access: inCompanyOf("trigger", "operator"),
    returns: z.void(),
    status: 204,
    failures: [NotAllowed, RoutineArchived, TriggerNotFound],
    run: ({ routines }, { triggerId }, { by }) => routines.deleteTrigger({ triggerId, by }),
  }),
  rotateSecret: endpoint({
    method: "POST",
    path: "/api/routine-triggers/{triggerId}/rotate-secret",
    summary: "Give a webhook trigger a new signing secret",
    description: "The old secret is invalid at once. The new one is shown only in this answer.",
    access: inCompanyOf("trigger", "operator"),
    returns: TriggerWithSecretShape,
    // A repetition makes another secret: the first answer, which showed it, may have been lost.
    creates: { again: null, showsSecret: true, idOf: ({ id }) => id },
    failures: [NotAllowed, NotAWebhook, RoutineArchived, TriggerNotFound],
    run: (app, { triggerId }, { by }) =>
      app.routines.rotateSecret({ triggerId, by }).pipe(
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
      "Signed in the trigger's mode: `Authorization: Bearer <secret>`, HMAC-SHA256 in hex over `<timestamp>.<body>`, or GitHub's over the body. A signed request fires once. If the body is a JSON object, the agent receives its fields. A trigger fires at most 60 times a minute.",
    access: open,
    headers: {
      Authorization: "`Bearer <secret>`, in bearer mode.",
      "X-Service-Signature": "Lower-case hex, with or without `sha256=` before it, in hmac_sha256 mode.",
      "X-Service-Timestamp": "Seconds or milliseconds since 1970; at most replayWindowSec from now.",
      "X-Hub-Signature-256": "`sha256=` and lower-case hex, in github_sha256 mode.",
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
