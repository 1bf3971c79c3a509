import type { ReactNode } from "react";
import { Link } from "wouter";
import { issueStatuses, priorities } from "../../../../core/model/issues/issue-status.ts";
import { useRead } from "../../live/calls.ts";
import type { Option } from "../../widgets/combobox.tsx";
import { Icon } from "../../widgets/icon.tsx";
import type { MenuItem } from "../../widgets/menu.tsx";
import { Actor, Avatar } from "../avatar.tsx";
import { useHere } from "../companies/company.tsx";
import { useNames } from "../names.ts";
import { displayOf, PriorityMark, priorityDisplays, Status } from "../status.tsx";
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
  /** A new issue does not begin with it. */
  readonly onlyLater?: boolean;
  /** "Move ABC-1 to Done" */
  readonly does: (identifier: string) => string;
  /** "ABC-1 assigned to Ken Thompson", "5 issues assigned to Ken Thompson" */
  readonly done: (subject: string) => string;
}

export interface IssueField {
  readonly label: string;
  /** Its name in the interface: refusals are found by it. */
  readonly name: string;
  /** The key that opens the choice. */
  readonly key?: string;
  /** Its value in an issue. */
  readonly shown: (issue: Changeable) => ReactNode;
  readonly choices: readonly IssueChoice[];
}

/** Whether the agent that has the issue may have it begun, where the record tells. */
const mayBegin = ({ assigneeAgentId, callerMay }: Changeable): boolean =>
  assigneeAgentId === null || callerMay === undefined || callerMay.checkout.allowed;

const status: IssueField = {
  label: "Status",
  name: "status",
  key: "s",
  shown: (issue) => <Status of="issue" status={issue.status} />,
  choices: issueStatuses.map((to) => {
    const { label, icon } = displayOf("issue", to);
    return {
      label,
      icon,
      changes: { status: to },
      isOf: (issue) => issue.status === to,
      isOpenTo: (issue) => mayGo(issue, to) && (to !== "in_progress" || mayBegin(issue)),
      onlySingle: to === "in_progress",
      onlyLater: to !== "backlog" && to !== "todo",
      does: (identifier) => `Move ${identifier} to ${label}`,
      done: (subject) => `${subject} moved to ${label}`,
    };
  }),
};

const priority: IssueField = {
  label: "Priority",
  name: "priority",
  key: "p",
  shown: (issue) => <PriorityMark priority={issue.priority} />,
  choices: priorities.map((to) => {
    const { label, icon } = priorityDisplays[to];
    return {
      label,
      icon,
      changes: { priority: to },
      isOf: (issue) => issue.priority === to,
      does: (identifier) => `Set ${identifier} to ${label.toLowerCase()} priority`,
      done: (subject) => `${subject} set to ${label.toLowerCase()} priority`,
    };
  }),
};

const nobody: IssueChoice = {
  label: "Unassigned",
  icon: "user",
  changes: unassigned,
  isOf: (issue) => assigneeOf(issue) === null,
  does: (identifier) => `Unassign ${identifier}`,
  done: (subject) => `${subject} unassigned`,
};

const Assignee = ({ id }: { readonly id: string | null }) => {
  const here = useHere();
  const nameOf = useNames();
  if (id === null) return <span className="faint">Unassigned</span>;
  const named = nameOf(id);
  const { kind, status } = named;
  if (kind !== "agent") return <Actor {...named} />;
  return (
    <>
      <Link href={here(`/agents/${id}`)} className="in-text">
        <Actor {...named} />
      </Link>
      {/* Why nothing happens: its page says more. */}
      {status === undefined || status === "idle" || status === "running" ? null : (
        <Status of="agent" status={status} />
      )}
    </>
  );
};

interface Grouping {
  readonly label: "Project" | "Goal";
  readonly name: "projectId" | "goalId";
  readonly icon: IssueChoice["icon"];
  readonly groups: readonly { readonly id: string; readonly title: string }[];
}

/** The field that puts an issue into one of the company's projects, or goals, or none. */
const groupingField = ({ label, name, icon, groups }: Grouping): IssueField => ({
  label,
  name,
  shown: (issue) => <GroupLink name={name} id={issue[name]} groups={groups} />,
  choices: [
    {
      label: `No ${label.toLowerCase()}`,
      icon,
      changes: { [name]: null },
      isOf: (issue) => issue[name] === null,
      does: (identifier) => `Remove ${identifier} from its ${label.toLowerCase()}`,
      done: (subject) => `${subject} removed from its ${label.toLowerCase()}`,
    },
    ...groups.map(
      ({ id, title }): IssueChoice => ({
        label: title,
        icon,
        changes: { [name]: id },
        isOf: (issue) => issue[name] === id,
        does: (identifier) => `Move ${identifier} to the ${label.toLowerCase()} ${title}`,
        done: (subject) => `${subject} moved to ${title}`,
      }),
    ),
  ],
});

const GroupLink = ({
  name,
  id,
  groups,
}: Pick<Grouping, "name" | "groups"> & { readonly id: string | null }) => {
  const here = useHere();
  if (id === null) return <span className="faint">None</span>;
  const { title } = groups.find((group) => group.id === id) ?? { title: "…" };
  return (
    <Link href={here(`/${name === "projectId" ? "projects" : "goals"}/${id}`)} className="in-text">
      {title}
    </Link>
  );
};

/**
 * The fields of an issue that are changed by choosing a value: in a new issue, on the issue's page, for several issues at once,
 * and in the palette.
 */
export const useIssueFields = (companyId: string, enabled = true): readonly IssueField[] => {
  const assignables = useAssignablesOf(companyId, enabled);
  const assignee: IssueField = {
    label: "Assignee",
    name: "assigneeAgentId",
    key: "a",
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
          done: (subject) => `${subject} assigned to ${name}`,
        }),
      ),
    ],
  };
  const { data: projects } = useRead("projects.list", { companyId }, { enabled });
  const { data: goals } = useRead("goals.list", { companyId }, { enabled });
  const groupings: readonly Grouping[] = [
    {
      label: "Project",
      name: "projectId",
      icon: "folder",
      groups: (projects?.items ?? []).map(({ id, name }) => ({ id, title: name })),
    },
    { label: "Goal", name: "goalId", icon: "target", groups: goals?.items ?? [] },
  ];
  return [
    status,
    assignee,
    priority,
    ...groupings.filter(({ groups }) => groups.length > 0).map(groupingField),
  ];
};

/** The value that an issue has and those that it may get, each named by its place among the choices. */
export const optionsOf = (choices: readonly IssueChoice[], issue: Changeable): readonly Option[] =>
  choices.flatMap(({ label, icon, mark, isOf, isOpenTo }, at) =>
    isOf(issue) || (isOpenTo?.(issue) ?? true)
      ? [
          {
            value: String(at),
            label,
            shown: (
              <span className="row">
                {mark ?? <Icon name={icon} />}
                <span className="cut">{label}</span>
              </span>
            ),
          },
        ]
      : [],
  );
