import * as Effect from "effect/Effect";
import { z } from "zod";
import type { AgentCaller, BoardCaller } from "../../../core/model/access/caller.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { CompanyNotActive } from "../../../core/model/companies/company.ts";
import { ProjectArchived } from "../../../core/model/projects/project.ts";
import {
  RevisionIsLatest,
  RoutineArchived,
  RoutineNotFound,
  StaleRevision,
} from "../../../core/model/routines/routine.ts";
import {
  CronInvalid,
  TimezoneInvalid,
  type Trigger,
  TriggerDisabled,
  TriggerNotOfRoutine,
} from "../../../core/model/routines/trigger.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import {
  IdempotencyKeyReused,
  NotAllowed,
  ReferenceNotFound,
  RevisionNotFound,
} from "../../../core/model/shared/failure.ts";
import type { RevisionId, RoutineId, RoutineRunId, TriggerId } from "../../../core/model/shared/ids.ts";
import { acting, inCompany, inCompanyOf } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { withCallerMay } from "../endpoint/caller-may.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { FreeObject, reference, Timestamp, upTo } from "../endpoint/values.ts";
import {
  CompanyNextFireShape,
  NextFireShape,
  optionalRoutineFields,
  RestoredShape,
  RoutineDetailShape,
  RoutineRevisionShape,
  RoutineRunShape,
  RoutineShape,
  requiredRoutineFields,
  triggerFields,
} from "./routine-shapes.ts";
import { triggers, webhookUrl } from "./triggers.ts";

const fireCount = z.coerce.number().int().min(1).max(100).default(10);

const shown = ({ routines }: App, id: RoutineId, caller: BoardCaller | AgentCaller) =>
  routines.show(id, caller);

const named = ({ id, kind, label }: Trigger) => ({ triggerId: id, kind, label });

export const routines = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/routines",
    summary: "List the routines of a company",
    description: "Lists all of them with their triggers, last changed first.",
    access: inCompany("viewer"),
    query: withCallerMay,
    returns: z.array(RoutineShape).readonly(),
    run: ({ routines }, { companyId, callerMay }, { caller }) =>
      callerMay ? routines.listFor(companyId, caller) : routines.list(companyId),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/routines/{routineId}",
    summary: "Show a routine with its triggers",
    description: "Webhook secrets are not shown; a trigger's nextFireAt is its next due time.",
    access: inCompanyOf("routine", "viewer"),
    returns: RoutineDetailShape,
    failures: [RoutineNotFound],
    run: (app, { routineId }, { caller }) => shown(app, routineId, caller),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/routines",
    summary: "Create a routine",
    description:
      "An agent creates routines only for itself. Add triggers by `POST /api/routines/{routineId}/triggers`.",
    access: acting("company", "createRoutine"),
    body: z.strictObject({ ...requiredRoutineFields, ...optionalRoutineFields }),
    returns: RoutineDetailShape,
    status: 201,
    failures: [AgentNotAssignable, NotAllowed, ProjectArchived, ReferenceNotFound, TooManyRecords],
    creates: { again: (app, id, { caller }) => shown(app, id as RoutineId, caller).pipe(Effect.orDie) },
    run: (app, input, { by, caller, newId }) =>
      app.routines
        .create({ ...input, id: newId<RoutineId>(), by })
        .pipe(Effect.flatMap(({ id }) => shown(app, id, caller).pipe(Effect.orDie))),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/routines/{routineId}",
    summary: "Change, pause, activate or archive a routine",
    description:
      "With baseRevisionId, refused if another revision is the latest. An agent changes its own routines and keeps them assigned to itself.",
    access: acting("routine", "update"),
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
    run: (app, input, { by, caller }) =>
      app.routines.update({ ...input, by }).pipe(Effect.flatMap(({ id }) => shown(app, id, caller))),
  }),
  revisions: pageEndpoint({
    path: "/api/routines/{routineId}/revisions",
    summary: "List the revisions of a routine",
    description: "Newest first. They hold no secrets.",
    access: inCompanyOf("routine", "viewer"),
    limits: { default: 100, max: 500 },
    row: RoutineRevisionShape,
    run: ({ views }, { routineId, limit, cursor }) => views.routines.revisions(routineId, { limit, cursor }),
  }),
  restore: endpoint({
    method: "POST",
    path: "/api/routines/{routineId}/revisions/{revisionId}/restore",
    summary: "Restore a routine and its triggers from a revision",
    description:
      "Makes a new latest revision, and names the triggers it removed, changed and restored; the status stays. Restored webhook triggers keep their addresses and get new secrets, shown only in this answer.",
    access: acting("routine", "update"),
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
      keeps: ({ secretMaterials }) => secretMaterials.length === 0,
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
    run: (app, input, { by, caller, newId }) =>
      Effect.gen(function* () {
        const { routine, revision, restoredFrom, secrets, ...triggers } = yield* app.routines.restore({
          ...input,
          id: newId<RevisionId>(),
          by,
        });
        return {
          routine: yield* shown(app, routine.id, caller),
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
    run: ({ routines }, { routineId, limit, cursor }) => routines.runs(routineId, { limit, cursor }),
  }),
  run: endpoint({
    method: "POST",
    path: "/api/routines/{routineId}/run",
    summary: "Fire a routine now",
    description:
      "Fires outside its schedule, even while it is paused; the concurrency policy applies. The same idempotencyKey gives the same run, and is refused with another payload.",
    access: acting("routine", "run"),
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
      IdempotencyKeyReused,
      NotAllowed,
      ProjectArchived,
      RoutineArchived,
      RoutineNotFound,
      TriggerDisabled,
      TriggerNotOfRoutine,
    ],
    creates: {
      again: ({ routines }, id) => routines.showRun(id as RoutineRunId).pipe(Effect.orDie),
      idOf: ({ id }) => id,
    },
    run: ({ routines }, input, { by, newId }) =>
      routines
        .run({ ...input, id: newId<RoutineRunId>(), by })
        .pipe(Effect.flatMap(({ id }) => routines.showRun(id).pipe(Effect.orDie))),
  }),
  ...triggers,
};
