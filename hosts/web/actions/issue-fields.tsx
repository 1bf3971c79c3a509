import type { ReactNode } from "react";
import { issueStatuses, priorities } from "../../../core/issues/issue-status.ts";
import { Actor, Avatar } from "../parts/avatar.tsx";
import type { MenuItem } from "../parts/menu.tsx";
import { useNames } from "../parts/names.ts";
import { displayOf, PriorityMark, priorityDisplays, Status } from "../parts/status.tsx";
import { assigneeOf, unassigned, useAssignablesOf } from "./assignees.ts";
import { type Changeable, type Changes, mayGo } from "./change-issues.ts";

/** A value that a field of an issue can get. */
export interface IssueChoice extends Required<Pick<MenuItem, "label" | "icon">>, Pick<MenuItem, "mark"> {
  readonly changes: Changes;
  readonly isOf: (issue: Changeable) => boolean;
  /** Whether an issue may get it now. Without it: always. */
  readonly isOpenTo?: (issue: Changeable) => boolean;
  /** Several issues cannot get it at once. */
  readonly onlySingle?: boolean;
  /** "Move ABC-1 to Done" */
  readonly does: (identifier: string) => string;
  /** "ABC-1 is done." */
  readonly done: (identifier: string) => string;
}

export interface IssueField {
  readonly label: string;
  /** Its value in an issue. */
  readonly shown: (issue: Changeable) => ReactNode;
  readonly choices: readonly IssueChoice[];
}

const status: IssueField = {
  label: "Status",
  shown: (issue) => <Status of="issue" status={issue.status} />,
  choices: issueStatuses.map((to) => {
    const { word, icon } = displayOf("issue", to);
    return {
      label: word,
      icon,
      changes: { status: to },
      isOf: (issue) => issue.status === to,
      isOpenTo: (issue) => mayGo(issue, to),
      onlySingle: to === "in_progress",
      does: (identifier) => `Move ${identifier} to ${word}`,
      done: (identifier) => `${identifier} is ${word.toLowerCase()}.`,
    };
  }),
};

const priority: IssueField = {
  label: "Priority",
  shown: (issue) => <PriorityMark priority={issue.priority} />,
  choices: priorities.map((to) => {
    const { word, icon } = priorityDisplays[to];
    return {
      label: word,
      icon,
      changes: { priority: to },
      isOf: (issue) => issue.priority === to,
      does: (identifier) => `Give ${identifier} ${word.toLowerCase()} priority`,
      done: (identifier) => `${identifier} has ${word.toLowerCase()} priority.`,
    };
  }),
};

const nobody: IssueChoice = {
  label: "Nobody",
  icon: "user",
  changes: unassigned,
  isOf: (issue) => assigneeOf(issue) === null,
  does: (identifier) => `Assign ${identifier} to nobody`,
  done: (identifier) => `Nobody has ${identifier} now.`,
};

const Assignee = ({ id }: { readonly id: string | null }) => {
  const nameOf = useNames();
  return id === null ? <span className="faint">Nobody</span> : <Actor {...nameOf(id)} />;
};

/**
 * The fields of an issue that are changed by choosing a value: on the issue's page, for several issues at once, and in the
 * palette.
 */
export const useIssueFields = (companyId: string, enabled = true): readonly IssueField[] => {
  const assignables = useAssignablesOf(companyId, enabled);
  const assignee: IssueField = {
    label: "Assignee",
    shown: (issue) => <Assignee id={assigneeOf(issue)} />,
    choices: [
      nobody,
      ...assignables.map(
        ({ id, kind, name, fields }): IssueChoice => ({
          label: name,
          icon: kind === "person" ? "user" : "bot",
          mark: <Avatar kind={kind} name={name} />,
          changes: fields,
          isOf: (issue) => assigneeOf(issue) === id,
          does: (identifier) => `Assign ${identifier} to ${name}`,
          done: (identifier) => `${name} has ${identifier} now.`,
        }),
      ),
    ],
  };
  return [status, assignee, priority];
};
