import { z } from "zod";
import { locationSides } from "../../../core/model/issues/comments/comment-location.ts";
import { doneKinds } from "../../../core/model/issues/done-as.ts";
import { issueStatuses, priorities } from "../../../core/model/issues/issue-status.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import {
  GoalReference,
  IssueReference,
  id,
  LabelReference,
  Name,
  ProjectReference,
  Text,
  Timestamp,
  UserReference,
  when,
} from "../endpoint/values.ts";
import { GoalShape } from "../goals/goal-shapes.ts";
import { ProjectFactsShape } from "../projects/project-shapes.ts";
import { DocumentShape, DocumentSummaryShape } from "./document-shapes.ts";
import { LabelShape } from "./label-shapes.ts";

/** The fields of an issue that creation and change have in common. */
export const undoableSec = z
  .int()
  .min(1)
  .max(60)
  .optional()
  .describe(
    "How long you offer to undo the change: agents that it wakes start afterwards, unless it was undone.",
  );

export const issueFields = {
  description: Text.nullable().optional(),
  assigneeUserId: UserReference.nullable()
    .optional()
    .describe("A person's id: an operator or owner of the company, or an instance admin."),
  status: z.enum(issueStatuses).optional(),
  priority: z.enum(priorities).optional(),
  parentId: IssueReference.nullable().optional(),
  projectId: ProjectReference.nullable().optional(),
  goalId: GoalReference.nullable().optional(),
  billingCode: Name.nullable().optional(),
  labelIds: z.array(LabelReference).max(100).optional().describe("All labels of the issue."),
  blockedByIssueIds: z.array(IssueReference).max(100).optional().describe("Issues that block this one."),
};

export const IssueShape = z.object({
  id,
  companyId: id,
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  status: z.enum(issueStatuses),
  priority: z.enum(priorities),
  assigneeAgentId: id.nullable(),
  assigneeUserId: id.nullable().describe("The person to whom it is assigned, instead of an agent."),
  checkoutRunId: id.nullable().describe("The run that works on it now."),
  heldSince: when,
  parentId: id.nullable(),
  projectId: id.nullable(),
  goalId: id.nullable(),
  routineId: id.nullable().describe("The routine that made it."),
  billingCode: z.string().nullable(),
  createdByAgentId: id.nullable(),
  createdByUserId: id.nullable(),
  startedAt: when,
  completedAt: when,
  verifiedAt: when.describe(
    "When it was done with all its gates met. null with status done: somebody reported it so.",
  ),
  cancelledAt: when,
  lastActivityAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  labels: z
    .array(LabelShape)
    .readonly()
    .optional()
    .describe("Given in lists, for a single issue, and for calls that set labels."),
  started_at: when.describe("The same as startedAt."),
  completed_at: when.describe("The same as completedAt."),
});

export const IssueRowShape = IssueShape.extend({
  description: z.string().nullable().optional().describe("Left out where slim was asked for."),
  doneAs: z
    .enum(doneKinds)
    .nullable()
    .describe(
      "verified: done with all its gates met; reported: done by somebody's word though it has gates. null: neither.",
    ),
});

/** The result of the change of one issue among several. */
export const ChangedIssueShape = z.object({
  issueId: id,
  issue: IssueShape.nullable().describe("As it is after the change; null if it was refused."),
  refusal: z.object({ code: z.string(), error: z.string() }).nullable(),
});

const CommentLocationShape = z.object({
  repositoryId: id,
  path: z.string(),
  side: z.enum(locationSides).describe("old: the text before the changes."),
  startLine: z.number(),
  endLine: z.number(),
  commit: z.string().describe("The commit that has them."),
  lines: z.array(z.string()).readonly().describe("What they say; long ones are cut."),
});

export const CommentShape = z.object({
  id,
  companyId: id,
  issueId: id,
  body: z.string().describe("Markdown; empty once it is deleted."),
  authorAgentId: id.nullable(),
  authorUserId: id.nullable(),
  createdByRunId: id.nullable(),
  location: CommentLocationShape.nullable().describe(
    "The lines on which it was written; null: on the issue.",
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  editedAt: Timestamp.nullable().describe("When it was last edited."),
  deletedAt: Timestamp.nullable(),
});

export const NamedCommentShape = CommentShape.extend({
  authorName: z.string().describe("Of the agent or board user; Boardroom: the service itself."),
});

export const LineCommentShape = NamedCommentShape.extend({
  location: CommentLocationShape,
  now: z
    .object({ path: z.string(), startLine: z.number(), endLine: z.number() })
    .nullable()
    .describe("Where the lines are in what `changes` shows; null: not as they were, or it is not known."),
  isOutdated: z.boolean().describe("The lines are changed or gone since."),
});

export const CommentRevisionShape = z.object({
  id,
  commentId: id,
  body: z.string().describe("Markdown."),
  replacedAt: Timestamp.describe("When an edit replaced it."),
});

const IssueReferenceShape = z.object({
  id,
  identifier: z.string(),
  title: z.string(),
  status: z.enum(issueStatuses),
});

export const IssueDetailShape = IssueShape.extend({
  callerMay: CallerMayShape("issue"),
  assigneeUser: z.object({ id, name: z.string() }).nullable().describe("The person of assigneeUserId."),
  project: ProjectFactsShape.nullable(),
  goal: GoalShape.nullable(),
  ancestors: z
    .array(
      z.object({
        id,
        identifier: z.string(),
        title: z.string(),
        description: z.string().nullable(),
        status: z.enum(issueStatuses),
        priority: z.enum(priorities),
        assigneeAgentId: id.nullable(),
        assigneeUserId: id.nullable(),
        projectId: id.nullable(),
        goalId: id.nullable(),
        project: ProjectFactsShape.nullable(),
        goal: GoalShape.nullable(),
      }),
    )
    .readonly()
    .describe("Parent first, at most 50."),
  blockedBy: z.array(IssueReferenceShape).readonly(),
  blocks: z.array(IssueReferenceShape).readonly(),
  planDocument: DocumentShape.nullable().describe("The document `plan`."),
  documentSummaries: z.array(DocumentSummaryShape).readonly().describe("All documents, without texts."),
  legacyPlanDocument: z
    .object({ key: z.string(), body: z.string(), source: z.literal("issue_description") })
    .nullable()
    .describe("If there is no plan document: the `<plan>…</plan>` of the description."),
});

export const IssueHitShape = IssueShape.extend({
  rank: z.number(),
  matchedIn: z.enum(["issue", "comment", "document"]).describe("Where the best match is."),
  excerpt: z.string().describe("One line of Markdown: matches are bold, the rest is plain text."),
});

export const ProgressShape = z.object({
  id: id.describe("Of the project or the goal."),
  counts: z.record(z.enum(issueStatuses), z.number()),
  done: z
    .record(z.enum(doneKinds), z.number())
    .describe("Of those that are done, where the project of the issue has gates; see doneAs of issues."),
});
