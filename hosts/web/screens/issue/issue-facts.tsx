import { Link } from "wouter";
import { useChangeIssue } from "../../actions/change-issues.ts";
import { optionsOf, useIssueFields } from "../../actions/issue-fields.tsx";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Problem } from "../../parts/field.tsx";
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
      {fields.map(({ label, key, shown, choices }) => (
        <ChosenFact
          key={label}
          label={label}
          {...(key === undefined ? {} : { opensBy: key })}
          mayChange={mayWork}
          options={optionsOf(choices, issue)}
          value={String(choices.findIndex(({ isOf }) => isOf(issue)))}
          onChoose={(at) => {
            const { changes, done } = choices[Number(at)]!;
            change(issue, changes, done(issue.identifier));
          }}
        >
          {shown(issue)}
        </ChosenFact>
      ))}
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
        <Fact label={issue.verifiedAt === null ? "Reported done" : "Verified done"}>
          <Time at={issue.completedAt} />
        </Fact>
      )}
    </aside>
  );
};
