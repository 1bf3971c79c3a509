import { z } from "zod";
import {
  type IssueStatus,
  issueStatuses,
  type Priority,
  priorities,
} from "../../../core/issues/issue-status.ts";
import type { AgentId } from "../../../core/shared/ids.ts";
import type { IssueFilter } from "../../../ports/views/issue-views.ts";
import {
  AgentReference,
  GoalReference,
  IssueReference,
  LabelReference,
  listOf,
  Moment,
  ProjectReference,
  Word,
} from "../endpoint/values.ts";

/** The query of lists and counts of issues. */
export const issueFilters = {
  status: listOf(issueStatuses).optional().describe("Comma-separated statuses."),
  assigneeAgentId: z
    .union([z.literal("null"), AgentReference], "must be a UUID or null")
    .optional()
    .describe("An agent's id, or `null` for unassigned issues."),
  projectId: ProjectReference.optional(),
  goalId: GoalReference.optional(),
  parentId: IssueReference.optional().describe("Its children."),
  labelIds: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(LabelReference).min(1).max(20))
    .meta({ items: { type: "string", format: "uuid" } })
    .optional()
    .describe("Comma-separated ids of labels; issues must have all of them."),
  priority: listOf(priorities).optional().describe("Comma-separated priorities."),
  updatedSince: Moment.optional().describe(
    "Issues whose lastActivityAt is then or later: changed, or commented on.",
  ),
  q: Word.optional().describe("Words in title, description, comments or documents; or an identifier."),
};

/** The filter that a query asks for. */
export const filterOf = ({
  status,
  priority,
  assigneeAgentId,
  ...filter
}: Omit<IssueFilter, "statuses" | "priorities" | "assigneeAgentId"> & {
  readonly status?: readonly IssueStatus[] | undefined;
  readonly priority?: readonly Priority[] | undefined;
  readonly assigneeAgentId?: string | undefined;
}): IssueFilter => ({
  ...filter,
  statuses: status,
  priorities: priority,
  assigneeAgentId: assigneeAgentId === "null" ? null : (assigneeAgentId as AgentId | undefined),
});
