import { type Queries, readBefore, readPagesBefore } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";

/** So many are listed in the issue; the list of issues shows all. */
const mostSubIssues = 50;

export const subIssuesOf = ({ id: parentId, companyId }: Pick<Issue, "id" | "companyId">) =>
  ({ companyId, parentId, sort: "created", slim: true, limit: mostSubIssues }) as const;

export const runsOfIssue = ({ id: issueId }: Pick<Issue, "id">) => ({ issueId, limit: 5 });

export const threadOf = ({ id: issueId }: Pick<Issue, "id">) => ({ issueId, order: "desc" }) as const;

/**
 * Begins what the parts of an issue's screen read at first, where it isn't kept yet. The thread is first, because a browser has six
 * connections.
 */
export const readIssueBefore = (
  queries: Queries,
  issue: Pick<Issue, "id" | "companyId" | "projectId">,
): void => {
  const { id: issueId, companyId, projectId } = issue;
  void readPagesBefore(queries, "issues.comments", threadOf(issue));
  void readBefore(queries, "issues.gates", { issueId });
  void readBefore(queries, "workspaces.list", { companyId, issueId });
  void readPagesBefore(queries, "runs.ofIssue", runsOfIssue(issue));
  void readBefore(queries, "issues.list", subIssuesOf(issue));
  void readBefore(queries, "interactions.list", { issueId });
  void readPagesBefore(queries, "approvals.ofIssue", { issueId });
  void readBefore(queries, "documents.list", { issueId });
  void readBefore(queries, "attachments.list", { issueId });
  void readBefore(queries, "watchers.list", { issueId });
  if (projectId !== null) void readBefore(queries, "repositories.list", { projectId });
};
