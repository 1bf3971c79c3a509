import { z } from "zod";
import { issueStatuses, priorities } from "../../core/issues/issue-status.ts";
import { id, Timestamp, when } from "./values.ts";

export const LabelShape = z.object({
  id,
  companyId: id,
  name: z.string(),
  color: z.string().nullable().describe("#rrggbb."),
  createdAt: Timestamp,
});

export const IssueShape = z.object({
  id,
  companyId: id,
  identifier: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  status: z.enum(issueStatuses),
  priority: z.enum(priorities),
  assigneeAgentId: id.nullable(),
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
  cancelledAt: when,
  lastActivityAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  labels: z
    .array(LabelShape)
    .readonly()
    .optional()
    .describe("In lists, of one issue, and where a call has named some."),
  started_at: when.describe("The same as startedAt."),
  completed_at: when.describe("The same as completedAt."),
});

export const CommentShape = z.object({
  id,
  companyId: id,
  issueId: id,
  body: z.string().describe("Markdown."),
  authorAgentId: id.nullable(),
  authorUserId: id.nullable(),
  createdByRunId: id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
