import * as Effect from "effect/Effect";
import { z } from "zod";
import { type AgentCaller, type BoardCaller, RunIdRequired } from "../../../core/model/access/caller.ts";
import { UserNotAssignable } from "../../../core/model/access/person.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { CompanyNotFound } from "../../../core/model/companies/company.ts";
import { TwoAssignees } from "../../../core/model/issues/assignee.ts";
import {
  type Interaction,
  InteractionAlreadyResolved,
  InteractionAnswerInvalid,
  InteractionIssueClosed,
  InteractionNotFound,
  InteractionPayloadInvalid,
  InteractionRunEnded,
  InteractionStaleTarget,
  InteractionSuperseded,
  InteractionUnanswered,
  InteractionWrongKind,
} from "../../../core/model/issues/interactions/interaction.ts";
import {
  askedKinds,
  continuationPolicies,
  interactionStatuses,
} from "../../../core/model/issues/interactions/interaction-status.ts";
import type { AskedContent } from "../../../core/model/issues/interactions/payload.ts";
import { permissionScopes } from "../../../core/model/issues/interactions/permission-rule.ts";
import {
  AssigneeRequired,
  InvalidStatusTransition,
  IssueHeldByAnother,
  IssueNotFound,
  IssueStatusUnexpected,
  UnresolvedBlockers,
} from "../../../core/model/issues/issue.ts";
import { ProjectArchived } from "../../../core/model/projects/project.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import { IdempotencyKeyReused, NotAllowed, ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { InteractionId } from "../../../core/model/shared/ids.ts";
import type { InteractionView } from "../../../ports/views/thread-views.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { missingFields, ValidationFailed, validationFailed } from "../endpoint/dispatch.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { resolveIdentifiers } from "../endpoint/issue-identifiers.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { FreeObject, listOf, Name, Text, upTo } from "../endpoint/values.ts";
import { Answers, InteractionShape, payloads, ShownInteractionShape } from "./interaction-shapes.ts";

const notPending = [
  InteractionAlreadyResolved,
  InteractionIssueClosed,
  InteractionNotFound,
  InteractionRunEnded,
  InteractionStaleTarget,
  InteractionSuperseded,
  InteractionUnanswered,
  IssueNotFound,
] as const;

/** Parses the payload by the interaction's kind. */
const contentOf = (
  kind: AskedContent["kind"],
  payload: unknown,
): Effect.Effect<AskedContent, ValidationFailed> => {
  const parsed = payloads[kind].safeParse(payload, missingFields);
  return parsed.success
    ? Effect.succeed({ kind, payload: parsed.data } as AskedContent)
    : Effect.fail(validationFailed(parsed.error, ["payload"]));
};

/** Leaves out the fields that expire an interaction by themselves: they are internal. */
const shown = (interaction: InteractionView | Interaction) => {
  const { endsByComment, targetDocumentId, companyStatus, payload, ...more } = interaction as Interaction &
    InteractionView;
  return { ...more, payload: payload as unknown as Record<string, unknown> };
};

/** With the actions that the reader may take. */
const shownTo = ({ issues }: App, caller: BoardCaller | AgentCaller, found: readonly InteractionView[]) =>
  Effect.map(issues.interactions.addActions(found, caller), (all) =>
    all.map(({ callerMay, ...interaction }) => ({ ...shown(interaction), callerMay })),
  );

export const interactions = {
  list: pageEndpoint({
    path: "/api/issues/{issueId}/interactions",
    summary: "List the interactions of an issue",
    description: "Newest first.",
    access: inCompanyOf("issue", "viewer"),
    query: { status: listOf(interactionStatuses).optional().describe("Comma-separated statuses.") },
    limits: { default: 100, max: 500 },
    row: ShownInteractionShape,
    run: (app, { issueId, status, limit, cursor }, { caller }) =>
      Effect.gen(function* () {
        const page = yield* app.views.thread.interactions(issueId, status, { limit, cursor });
        return { ...page, items: yield* shownTo(app, caller, page.items) };
      }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/issues/{issueId}/interactions/{interactionId}",
    summary: "Show an interaction and its result",
    description:
      "`status` is pending until it ends; `result` then holds the answers, the created tasks or the reason.",
    access: inCompanyOf("issue", "viewer"),
    returns: ShownInteractionShape,
    failures: [InteractionNotFound],
    run: (app, { issueId, interactionId }, { caller }) =>
      app.views.thread.interaction(interactionId, issueId).pipe(
        Effect.flatMap((found) => shownTo(app, caller, [found])),
        Effect.map(([one]) => one!),
      ),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/interactions",
    summary: "Ask the board to choose tasks, answer questions or confirm something",
    description:
      "A board user's comment ends a pending confirmation, and so does a new revision of its target document. The same idempotencyKey with the same interaction answers with the existing interaction.",
    access: acting("issue", "createCard"),
    body: z.strictObject({
      kind: z.enum(askedKinds),
      payload: FreeObject.describe("The question; its shape depends on kind."),
      title: Name.max(240).nullable().optional(),
      summary: upTo(1000).nullable().optional(),
      idempotencyKey: upTo(255).min(1).nullable().optional(),
      continuationPolicy: z
        .enum(continuationPolicies)
        .optional()
        .describe("wake_assignee: acceptance or answer wakes the assignee; default none for a confirmation."),
    }),
    variants: { by: "kind", field: "payload", of: payloads },
    returns: InteractionShape,
    status: 201,
    failures: [
      AgentNotAssignable,
      InteractionIssueClosed,
      IdempotencyKeyReused,
      InteractionPayloadInvalid,
      IssueNotFound,
      ReferenceNotFound,
      TooManyRecords,
      TwoAssignees,
      UserNotAssignable,
      ValidationFailed,
    ],
    creates: {
      again: ({ views }, id) =>
        views.thread.interaction(id as InteractionId, null).pipe(Effect.map(shown), Effect.orDie),
      idOf: ({ id }) => id,
    },
    run: (app, { kind, payload, ...input }, { by, companyId, newId }) =>
      contentOf(kind, payload).pipe(
        Effect.flatMap((interaction) => resolveIdentifiers(app, companyId, interaction)),
        Effect.flatMap((interaction) =>
          app.issues.interactions.create({ ...input, ...interaction, id: newId<InteractionId>(), by }),
        ),
        Effect.map(shown),
      ),
  }),
  accept: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/interactions/{interactionId}/accept",
    summary: "Accept a confirmation, allow a permission, or create suggested tasks",
    description: "Creates the chosen issues with their nesting, all or none, and wakes the assignee once.",
    access: acting("interaction", "accept", "issue"),
    body: z.strictObject({
      selectedClientKeys: z
        .array(upTo(120))
        .min(1)
        .max(50)
        .optional()
        .describe("Suggested tasks to create; all of them if omitted."),
      always: z
        .enum(permissionScopes)
        .optional()
        .describe(
          "Of a permission whose payload is repeatable: allows the same tool with the same command and path again without a question, until the run ends, or in all runs of the agent (runtimeConfig.alwaysAllow, where it is revoked). Omitted: once.",
        ),
    }),
    returns: InteractionShape,
    failures: [
      ...notPending,
      AgentNotAssignable,
      AssigneeRequired,
      CompanyNotFound,
      InteractionAnswerInvalid,
      InteractionWrongKind,
      InvalidStatusTransition,
      IssueHeldByAnother,
      IssueStatusUnexpected,
      NotAllowed,
      ProjectArchived,
      ReferenceNotFound,
      RunIdRequired,
      TwoAssignees,
      UnresolvedBlockers,
      UserNotAssignable,
    ],
    run: ({ issues }, input, { by }) => issues.interactions.accept({ ...input, by }).pipe(Effect.map(shown)),
  }),
  reject: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/interactions/{interactionId}/reject",
    summary: "Reject a confirmation, what a program asks, or suggested tasks",
    description:
      "Stores the reason in `result` and wakes no agent: add a comment to say more. A program that waits for permission gets the reason.",
    access: acting("interaction", "reject", "issue"),
    body: z.strictObject({ reason: Text.max(4000).optional() }),
    returns: InteractionShape,
    failures: [...notPending, InteractionAnswerInvalid, InteractionWrongKind],
    run: ({ issues }, input, { by }) => issues.interactions.reject({ ...input, by }).pipe(Effect.map(shown)),
  }),
  respond: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/interactions/{interactionId}/respond",
    summary: "Answer the questions of an interaction",
    description:
      "Takes the answers to all required questions in one call, by questionId with optionIds or otherText; an incomplete set is a 422. Only for kind ask_user_questions. Wakes the assignee if the interaction's continuationPolicy is wake_assignee.",
    access: acting("interaction", "respond", "issue"),
    body: z.strictObject({ answers: Answers, summaryMarkdown: Text.max(20_000).optional() }),
    returns: InteractionShape,
    failures: [...notPending, InteractionAnswerInvalid, InteractionWrongKind],
    run: ({ issues }, input, { by }) => issues.interactions.respond({ ...input, by }).pipe(Effect.map(shown)),
  }),
  cancel: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/interactions/{interactionId}/cancel",
    summary: "Withdraw an interaction",
    description: "For its author and the board.",
    access: acting("interaction", "cancel", "issue"),
    returns: InteractionShape,
    failures: [...notPending, NotAllowed],
    run: ({ issues }, input, { by }) => issues.interactions.cancel({ ...input, by }).pipe(Effect.map(shown)),
  }),
};
