import { z } from "zod";
import {
  type AskedKind,
  continuationPolicies,
  interactionKinds,
  interactionStatuses,
} from "../../../core/model/issues/interactions/interaction-status.ts";
import { priorities } from "../../../core/model/issues/issue-status.ts";
import type { DocumentId, DocumentRevisionId } from "../../../core/model/shared/ids.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import {
  AgentReference,
  free,
  GoalReference,
  IssueReference,
  id,
  LabelReference,
  Name,
  ProjectReference,
  reference,
  Timestamp,
  UserReference,
  upTo,
  when,
} from "../endpoint/values.ts";

// Input ---------------------------------------------------------------------------------------------------

const text = (max: number) =>
  upTo(max)
    .min(1)
    .refine((given) => given.trim() !== "", "must not be blank");
const version = z.literal(1);

const SuggestTasksPayload = z.strictObject({
  version: version.default(1),
  defaultParentId: IssueReference.nullable().optional(),
  tasks: z
    .array(
      z.strictObject({
        clientKey: text(120).describe("The name by which other tasks of the interaction refer to it."),
        parentClientKey: text(120).nullable().optional(),
        parentId: IssueReference.nullable().optional(),
        title: Name.max(240),
        description: upTo(20_000).nullable().optional(),
        priority: z.enum(priorities).optional(),
        assigneeAgentId: AgentReference.nullable().optional(),
        assigneeUserId: UserReference.nullable().optional().describe("A person instead of an agent."),
        projectId: ProjectReference.nullable().optional(),
        goalId: GoalReference.nullable().optional(),
        billingCode: text(120).nullable().optional(),
        labels: z.array(LabelReference).max(20).optional().describe("Ids of labels of the company."),
        hiddenInPreview: z.boolean().optional().describe("Hint for clients: not listed at first."),
      }),
    )
    .min(1)
    .max(50),
});

const AskUserQuestionsPayload = z.strictObject({
  version: version.default(1),
  title: upTo(240).optional(),
  submitLabel: upTo(120).optional(),
  supersedeOnUserComment: z.boolean().optional(),
  questions: z
    .array(
      z.strictObject({
        id: text(160),
        prompt: text(4000),
        helpText: upTo(4000).optional(),
        selectionMode: z.enum(["single", "multi"]),
        required: z.boolean().optional(),
        allowOther: z.boolean().optional().describe("Whether a free-text answer is accepted."),
        options: z
          .array(
            z.strictObject({
              id: text(160),
              label: text(1000),
              description: upTo(4000).optional(),
              freeText: z.boolean().optional().describe("Whether otherText may add to this option."),
            }),
          )
          .min(1)
          .max(129),
      }),
    )
    .min(1)
    .max(64),
});

const targetFields = {
  revisionNumber: z.number().int().min(1).optional(),
  label: upTo(240).optional(),
  href: upTo(2000).optional(),
};

const RequestConfirmationPayload = z.strictObject({
  version: version.default(1),
  prompt: text(1000),
  acceptLabel: upTo(80).optional(),
  rejectLabel: upTo(80).optional(),
  rejectRequiresReason: z.boolean().optional(),
  rejectReasonLabel: upTo(160).optional(),
  allowDeclineReason: z.boolean().optional(),
  declineReasonPlaceholder: upTo(240).optional(),
  detailsMarkdown: upTo(20_000).optional(),
  supersedeOnUserComment: z
    .boolean()
    .optional()
    .describe("Default false: a comment leaves the interaction as it is."),
  target: z
    .discriminatedUnion("type", [
      z.strictObject({
        type: z.literal("issue_document"),
        issueId: IssueReference.optional(),
        documentId: reference<DocumentId>().optional(),
        // As keys are stored.
        key: text(64).trim().toLowerCase(),
        revisionId: reference<DocumentRevisionId>(),
        ...targetFields,
      }),
      z.strictObject({
        type: z.literal("custom"),
        key: text(240),
        revisionId: upTo(240).optional(),
        ...targetFields,
      }),
    ])
    .nullable()
    .optional(),
});

export const payloads = {
  suggest_tasks: SuggestTasksPayload,
  ask_user_questions: AskUserQuestionsPayload,
  request_confirmation: RequestConfirmationPayload,
} satisfies Record<AskedKind, z.ZodType>;

export const Answers = z
  .array(
    z.strictObject({
      questionId: text(160),
      optionIds: z.array(upTo(160)).max(129).default([]),
      otherText: upTo(20_000).optional(),
    }),
  )
  .max(64)
  .describe("One for each question answered: `[{questionId, optionIds, otherText?}]`.");

// Output -------------------------------------------------------------------------------------------------

export const InteractionShape = z.object({
  id,
  companyId: id,
  issueId: id,
  kind: z.enum(interactionKinds),
  status: z.enum(interactionStatuses),
  continuationPolicy: z.enum(continuationPolicies),
  idempotencyKey: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  payload: free,
  result: free.nullable().describe("Its result."),
  sourceRunId: id.nullable(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  resolvedByAgentId: id.nullable(),
  resolvedByUserId: id.nullable(),
  resolvedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

/** An interaction as it is read. */
export const ShownInteractionShape = InteractionShape.extend({ callerMay: CallerMayShape("interaction") });
