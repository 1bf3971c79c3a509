import { Link } from "wouter";
import { useChangeIssue } from "../../actions/change-issues.ts";
import { type IssueChoice, useIssueFields } from "../../actions/issue-fields.tsx";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Problem } from "../../parts/field.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { useNames } from "../../parts/names.ts";
import { Time } from "../../parts/time.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";
import { ChosenFact } from "./chosen-fact.tsx";
import { Fact } from "./fact.tsx";
import { IssueRelations } from "./issue-relations.tsx";
import { useIssueMay } from "./issue-shown.ts";
import { LinkedApprovals } from "./linked-approvals.tsx";

/** The facts of an issue, each changed where it stands. */
export const IssueFacts = ({ issue }: { readonly issue: Issue }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const mayWork = useIssueMay("update").allowed;
  const nameOf = useNames();
  const fields = useIssueFields(companyId);
  const { data: watchers = [] } = useRead("watchers.list", { issueId: issue.id });
  const { change, error } = useChangeIssue();
  return (
    <aside className="issue-facts" aria-label="Facts">
      {error === null ? null : <Problem error={error} />}
      {fields.map(({ label, isSearched, shown, choices }) =>
        isSearched ? (
          <ChosenFact
            key={label}
            label={label}
            mayChange={mayWork}
            options={choices.map(({ label: to }, at) => ({ value: String(at), label: to }))}
            value={String(choices.findIndex(({ isOf }) => isOf(issue)))}
            onChoose={(at) => {
              const { changes, done } = choices[Number(at)]!;
              change(issue, changes, done(issue.identifier));
            }}
          >
            {shown(issue)}
          </ChosenFact>
        ) : (
          <Fact key={label} label={label}>
            {mayWork ? (
              <Menu
                label={`Change the ${label.toLowerCase()}`}
                className="issue-choice"
                button={shown(issue)}
                items={itemsOf(choices, issue, change)}
              />
            ) : (
              shown(issue)
            )}
          </Fact>
        ),
      )}
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
      <IssueRelations issue={issue} mayChange={mayWork} />
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

/** The values that the issue may get; the present one is marked where it is among them. */
const itemsOf = (
  choices: readonly IssueChoice[],
  issue: Issue,
  change: ReturnType<typeof useChangeIssue>["change"],
): readonly MenuItem[] => {
  const open = choices.filter(({ isOpenTo }) => isOpenTo?.(issue) ?? true);
  const hasPresent = open.some(({ isOf }) => isOf(issue));
  return open.map(({ label, icon, mark, changes, isOf, done }) => ({
    label,
    ...(mark === undefined ? { icon } : { mark }),
    ...(hasPresent ? { isChosen: isOf(issue) } : {}),
    run: () => change(issue, changes, done(issue.identifier)),
  }));
};
