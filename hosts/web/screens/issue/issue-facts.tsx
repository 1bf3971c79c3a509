import { useState } from "react";
import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useChangeIssue } from "../../nouns/issues/change-issues.ts";
import { type IssueField, optionsOf, useIssueFields } from "../../nouns/issues/issue-fields.tsx";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Time } from "../../widgets/time.tsx";
import { ChosenFact } from "./chosen-fact.tsx";
import { Fact } from "./fact.tsx";
import { IssueRelations } from "./issue-relations.tsx";
import { useIssueMay } from "./issue-shown.ts";
import { LinkedApprovals } from "./linked-approvals.tsx";

/** So many facts, the status first, are shown where the others wait for a press. */
const always = 3;

/**
 * The facts of an issue, each changed where it stands. Where they stand above the text, most of them are shown when they are
 * opened, so that the text begins on the first screen of a phone.
 */
export const IssueFacts = ({ issue }: { readonly issue: Issue }) => {
  const { id: companyId } = useCompany();
  const mayWork = useIssueMay("update").allowed;
  const mayLink = useIssueMay("linkApproval").allowed;
  const [isOpen, setOpen] = useState(false);
  const fields = useIssueFields(companyId);
  const { change, error } = useChangeIssue();
  const factOf = ({ label, key, shown, choices }: IssueField) => (
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
  );
  return (
    <aside className={isOpen ? "issue-facts open" : "issue-facts"} aria-label="Facts">
      {error === null ? null : <Problem error={error} />}
      {fields.slice(0, always).map(factOf)}
      <div className="issue-facts-fold">
        <Button small aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key opens one of them, whose button gets the focus back */}
      <div className="issue-facts-more" onFocus={() => setOpen(true)}>
        <InOrder>
          {fields.slice(always).map(factOf)}
          <RunFact issue={issue} />
          <IssueRelations issue={issue} mayChange={mayWork} />
          <LinkedApprovals issue={issue} mayChange={mayLink} />
          <RecordFacts issue={issue} />
        </InOrder>
      </div>
    </aside>
  );
};

const RunFact = ({ issue }: { readonly issue: Issue }) => {
  const here = useHere();
  if (issue.checkoutRunId === null) return null;
  return (
    <Fact label="Running">
      <Link href={here(`/runs/${issue.checkoutRunId}`)} className="in-text">
        {issue.heldSince === null ? (
          "View run"
        ) : (
          <>
            since <Time at={issue.heldSince} as="clock" />
          </>
        )}
      </Link>
    </Fact>
  );
};

const RecordFacts = ({ issue }: { readonly issue: Issue }) => {
  const nameOf = useNames();
  const { data: watchers = [] } = useRead("watchers.list", { issueId: issue.id });
  return (
    <>
      <Fact label="Created">
        <Time at={issue.createdAt} /> by {nameOf(issue.createdByAgentId ?? issue.createdByUserId).name}
      </Fact>
      {watchers.length === 0 ? null : (
        <Fact label="Subscribers">{watchers.map(({ name }) => name).join(", ")}</Fact>
      )}
      {issue.completedAt === null ? null : (
        <Fact label={issue.verifiedAt === null ? "Completed" : "Verified done"}>
          <Time at={issue.completedAt} />
        </Fact>
      )}
    </>
  );
};
