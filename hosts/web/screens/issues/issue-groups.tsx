import type { ReactNode } from "react";
import { isClosed } from "../../../../core/model/issues/issue-status.ts";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany } from "../../nouns/companies/company.tsx";
import { assigneeOf, unassigned } from "../../nouns/issues/assignees.ts";
import { type IssueChoice, type IssueField, useIssueFields } from "../../nouns/issues/issue-fields.tsx";
import { useNames } from "../../nouns/names.ts";
import { Status } from "../../nouns/status.tsx";
import { Icon } from "../../widgets/icon.tsx";
import type { IssueGrouping } from "./issue-filters.tsx";

type Issue = RowOf<"issues.list">;

/** Issues with one value of a field: a column of the board, or a part of the list. */
export interface IssueGroup {
  readonly key: string;
  readonly label: string;
  readonly head: ReactNode;
  readonly issues: readonly Issue[];
  /** The value that its issues have; null: one that is given to none any more. */
  readonly choice: IssueChoice | null;
}

/** A row of the list: an issue, or the head of those below it. */
export type ListRow =
  | { readonly type: "issue"; readonly issue: Issue; readonly index: number }
  | { readonly type: "head"; readonly group: IssueGroup };

const fieldNames: Readonly<Record<IssueGrouping, string | null>> = {
  none: null,
  status: "status",
  assignee: "assigneeAgentId",
  priority: "priority",
  project: "projectId",
};

/** The field that groups the issues; null: none is chosen, or the company has no values for it. */
export const useGroupField = (grouping: IssueGrouping): IssueField | null => {
  const fields = useIssueFields(useCompany().id);
  return fields.find(({ name }) => name === fieldNames[grouping]) ?? null;
};

const headOf = ({ label, icon, mark, changes }: IssueChoice) =>
  changes.status === undefined ? (
    <>
      {mark ?? <Icon name={icon} />}
      <span className="cut">{label}</span>
    </>
  ) : (
    <Status of="issue" status={changes.status} />
  );

/** Those of agents and people who take no more work, and of things that are archived. */
const useOtherGroups = (field: IssueField | null) => {
  const nameOf = useNames();
  return (others: readonly Issue[]): readonly IssueGroup[] => {
    if (field === null || others.length === 0) return [];
    if (field.name !== "assigneeAgentId") {
      const label = `Archived ${field.label.toLowerCase()}s`;
      return [{ key: "others", label, head: label, issues: others, choice: null }];
    }
    return [...new Set(others.map(assigneeOf))].map((id): IssueGroup => {
      const named = nameOf(id);
      const head = (
        <>
          <Avatar {...named} />
          <span className="cut">{named.name}</span>
        </>
      );
      const own = others.filter((issue) => assigneeOf(issue) === id);
      return { key: id ?? "", label: named.name, head, issues: own, choice: null };
    });
  };
};

/** The groups in the order of the values of the field; those without issues, too, where `staysEmpty` says so. */
export const useIssueGroups = (
  issues: readonly Issue[],
  field: IssueField | null,
  staysEmpty: (choice: IssueChoice) => boolean,
): readonly IssueGroup[] => {
  const choices = field?.choices ?? [];
  const others = useOtherGroups(field);
  const groups = choices.flatMap((choice): IssueGroup[] => {
    const own = issues.filter(choice.isOf);
    const { label } = choice;
    return own.length === 0 && !staysEmpty(choice)
      ? []
      : [{ key: label, label, head: headOf(choice), issues: own, choice }];
  });
  return [...groups, ...others(issues.filter((issue) => !choices.some(({ isOf }) => isOf(issue))))];
};

/** Whether a column without issues is shown, because issues are dropped there. */
export const staysAsColumn = ({ changes }: IssueChoice): boolean =>
  changes.status === undefined
    ? changes === unassigned || changes.priority !== undefined || "projectId" in changes
    : !isClosed(changes.status);

const isOfNothing = ({ choice }: IssueGroup): boolean =>
  choice !== null && (choice.changes === unassigned || choice.changes.projectId === null);

/** The issues in the order in which the list shows them, and its rows with the heads of groups. */
export const useListRows = (issues: readonly Issue[], grouping: IssueGrouping) => {
  const field = useGroupField(grouping);
  const groups = useIssueGroups(issues, field, () => false);
  if (field === null)
    return { issues, rows: issues.map((issue, index): ListRow => ({ type: "issue", issue, index })) };
  // Those without a value come last.
  const ordered = [...groups.filter((group) => !isOfNothing(group)), ...groups.filter(isOfNothing)];
  const rows: ListRow[] = [];
  const sorted: Issue[] = [];
  for (const group of ordered) {
    rows.push({ type: "head", group });
    for (const issue of group.issues) {
      rows.push({ type: "issue", issue, index: sorted.length });
      sorted.push(issue);
    }
  }
  return { issues: sorted, rows };
};
