import { issueStatuses } from "../../../../core/model/issues/issue-status.ts";
import type { RowOf } from "../../live/calls.ts";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import { useNames } from "../../nouns/names.ts";
import { displayOf } from "../../nouns/status.tsx";
import type { IssueGrouping } from "./issue-filters.tsx";

type Issue = RowOf<"issues.list">;

/** A row of the list: an issue, or the head of those below it. */
export type ListRow =
  | { readonly type: "issue"; readonly issue: Issue; readonly index: number }
  | { readonly type: "head"; readonly label: string; readonly count: number };

/** Issues that stand together, in the order of the list. */
interface Group {
  readonly label: string;
  readonly issues: Issue[];
}

/** The issues in the order in which they are shown, and the rows of the list with the heads of groups. */
export const useGroupedIssues = (issues: readonly Issue[], grouping: IssueGrouping) => {
  const nameOf = useNames();
  if (grouping === "none")
    return { issues, rows: issues.map((issue, index): ListRow => ({ type: "issue", issue, index })) };
  const order: readonly string[] = issueStatuses;
  const groups = new Map<string, Group>();
  for (const issue of issues) {
    const assigneeId = assigneeOf(issue);
    const [key, label] =
      grouping === "status"
        ? [issue.status, displayOf("issue", issue.status).word]
        : [assigneeId ?? "", assigneeId === null ? "Unassigned" : nameOf(assigneeId).name];
    const group = groups.get(key) ?? { label, issues: [] };
    group.issues.push(issue);
    groups.set(key, group);
  }
  const ordered = [...groups].sort(([one, a], [other, b]) =>
    grouping === "status"
      ? order.indexOf(one) - order.indexOf(other)
      : Number(one === "") - Number(other === "") || a.label.localeCompare(b.label),
  );
  const rows: ListRow[] = [];
  const sorted: Issue[] = [];
  for (const [, group] of ordered) {
    rows.push({ type: "head", label: group.label, count: group.issues.length });
    for (const issue of group.issues) {
      rows.push({ type: "issue", issue, index: sorted.length });
      sorted.push(issue);
    }
  }
  return { issues: sorted, rows };
};
