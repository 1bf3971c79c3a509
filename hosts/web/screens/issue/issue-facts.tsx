import type { ReactNode } from "react";
import { Link } from "wouter";
import { issueMoves, priorities } from "../../../../core/issues/issue-status.ts";
import { movesFrom } from "../../../../core/shared/moves.ts";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Actor, Avatar } from "../../parts/avatar.tsx";
import { Problem } from "../../parts/field.tsx";
import { Menu } from "../../parts/menu.tsx";
import { displayOf, PriorityMark, priorityWord, Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { assigneeOf, unassigned, useAssignables } from "../../shell/assignees.ts";
import { mayGo, useChangeIssue } from "../../shell/change-issues.ts";
import { useCompany, useHere } from "../../shell/company.tsx";
import { useNames } from "../../shell/names.ts";
import { Fact } from "./fact.tsx";
import { useIssueMay } from "./issue-shown.ts";
import { LinkedApprovals } from "./linked-approvals.tsx";

/** The facts of an issue, each changed where it stands. */
export const IssueFacts = ({ issue }: { readonly issue: Issue }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const mayWork = useIssueMay("update").allowed;
  const nameOf = useNames();
  const assignables = useAssignables();
  const { data: watchers = [] } = useRead("watchers.list", { issueId: issue.id });
  const { data: children } = useRead("issues.list", { companyId, parentId: issue.id, limit: 50 });
  const { change, error } = useChangeIssue();
  const { identifier, status, priority } = issue;
  const assigneeId = assigneeOf(issue);
  const assignee = assigneeId === null ? null : nameOf(assigneeId);
  const reachable = movesFrom(issueMoves, status).filter((to) => mayGo(issue, to));
  return (
    <aside className="issue-facts" aria-label="Facts">
      {error === null ? null : <Problem error={error} />}
      <Fact label="Status">
        <Choice
          label="Change the status"
          mayChange={mayWork}
          shown={<Status of="issue" status={status} />}
          items={reachable.map((to) => ({
            label: displayOf("issue", to).word,
            icon: displayOf("issue", to).icon,
            run: () =>
              change(issue, { status: to }, `${identifier} is ${displayOf("issue", to).word.toLowerCase()}.`),
          }))}
        />
      </Fact>
      <Fact label="Assignee">
        <Choice
          label="Change the assignee"
          mayChange={mayWork}
          shown={assignee === null ? <span className="faint">Nobody</span> : <Actor {...assignee} />}
          items={[
            {
              label: "Nobody",
              isChosen: assigneeId === null,
              run: () => change(issue, unassigned, `Nobody has ${identifier} now.`),
            },
            ...assignables.map(({ id, kind, name, fields }) => ({
              label: name,
              mark: <Avatar kind={kind} name={name} />,
              isChosen: id === assigneeId,
              run: () => change(issue, fields, `${name} has ${identifier} now.`),
            })),
          ]}
        />
      </Fact>
      <Fact label="Priority">
        <Choice
          label="Change the priority"
          mayChange={mayWork}
          shown={<PriorityMark priority={priority} />}
          items={priorities.map((to) => ({
            label: priorityWord(to),
            isChosen: to === priority,
            run: () =>
              change(
                issue,
                { priority: to },
                `${identifier} has ${priorityWord(to).toLowerCase()} priority.`,
              ),
          }))}
        />
      </Fact>
      {issue.checkoutRunId === null ? null : (
        <Fact label="Worked on by">
          <Link href={here(`/runs/${issue.checkoutRunId}`)} className="in-text">
            a run
          </Link>
          {issue.heldSince === null ? null : (
            <span className="muted">
              {" "}
              since <Time at={issue.heldSince} as="clock" />
            </span>
          )}
        </Fact>
      )}
      {issue.project === null ? null : <Fact label="Project">{issue.project.name}</Fact>}
      {issue.goal === null ? null : <Fact label="Goal">{issue.goal.title}</Fact>}
      {issue.labels === undefined || issue.labels.length === 0 ? null : (
        <Fact label="Labels">{issue.labels.map(({ name }) => name).join(", ")}</Fact>
      )}
      <References label="Blocked by" issues={issue.blockedBy} />
      <References label="Blocks" issues={issue.blocks} />
      <References label="Parts" issues={children?.items ?? []} />
      <LinkedApprovals issue={issue} mayChange={mayWork} />
      <Fact label="Created">
        <Time at={issue.createdAt} /> by {nameOf(issue.createdByAgentId ?? issue.createdByUserId).name}
      </Fact>
      {watchers.length === 0 ? null : (
        <Fact label="Watched by">{watchers.map(({ name }) => name).join(", ")}</Fact>
      )}
      {issue.completedAt === null ? null : (
        <Fact label="Done">
          <Time at={issue.completedAt} />
        </Fact>
      )}
    </aside>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly mayChange: boolean;
  readonly shown: ReactNode;
  readonly items: Parameters<typeof Menu>[0]["items"];
}

const Choice = ({ label, mayChange, shown, items }: ChoiceProps) =>
  mayChange ? <Menu label={label} className="issue-choice" button={shown} items={items} /> : shown;

const References = ({ label, issues }: { readonly label: string; readonly issues: Issue["blockedBy"] }) => {
  const here = useHere();
  if (issues.length === 0) return null;
  return (
    <Fact label={label}>
      <ul className="issue-references">
        {issues.map(({ id, identifier, title, status }) => (
          <li key={id} className="row">
            <Status of="issue" status={status} bare />
            <Link href={here(`/issues/${identifier}`)} className="quiet-link">
              {identifier} {title}
            </Link>
          </li>
        ))}
      </ul>
    </Fact>
  );
};
