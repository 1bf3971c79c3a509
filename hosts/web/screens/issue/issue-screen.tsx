import { useState } from "react";
import { useParams } from "wouter";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useHere, useIssuePath } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { Markdown } from "../../nouns/markdown.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Page } from "../../widgets/page.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { AddArea, AddMenu } from "./add-menu.tsx";
import { Attachments } from "./attachments.tsx";
import { Composer } from "./composer.tsx";
import { Documents } from "./documents.tsx";
import { EditIssue } from "./edit-issue.tsx";
import { FailedRun } from "./failed-run.tsx";
import { IssueFacts } from "./issue-facts.tsx";
import { IssueGates } from "./issue-gates.tsx";
import { IssueHistory } from "./issue-history.tsx";
import { IssueRuns } from "./issue-runs.tsx";
import { IssueShown } from "./issue-shown.ts";
import { IssueTitle } from "./issue-title.tsx";
import { IssueViews } from "./issue-views.tsx";
import { IssueWorkspaces } from "./issue-workspaces.tsx";
import { OpenQuestions, useOpenInteractions } from "./open-questions.tsx";
import { SubIssues } from "./sub-issues.tsx";
import { Thread } from "./thread.tsx";
import { WatchIssue } from "./watch-issue.tsx";

export const IssueScreen = () => {
  const { issue: issueId = "" } = useParams<{ issue: string }>();
  const here = useHere();
  const issuePath = useIssuePath();
  const issue = useRead("issues.get", { issueId });
  useOwnCompany(issue.data);
  const interactions = useOpenInteractions(issue.data?.id);
  const [isTitleSeen, setTitleSeen] = useState(true);
  const crumbs = [{ label: "Issues", to: here("/issues") }];
  if (issue.isPending || issue.isError)
    return (
      <Page title={issueId} crumbs={crumbs}>
        <Unread read={issue} />
      </Page>
    );
  const { identifier, title, ancestors, callerMay: may } = issue.data;
  return (
    <Page
      title={`${identifier} ${title}`}
      heading={
        <>
          <span className="mono muted">{identifier}</span>
          {isTitleSeen ? null : (
            <span className="issue-head-title" aria-hidden="true">
              {title}
            </span>
          )}
        </>
      }
      crumbs={[
        ...crumbs,
        ...[...ancestors]
          .reverse()
          .map((above) => ({ label: above.identifier, to: issuePath(above.identifier) })),
      ]}
      actions={
        <>
          <WatchIssue issue={issue.data} />
          {may.update.allowed ? <EditIssue issue={issue.data} /> : null}
        </>
      }
    >
      <IssueShown value={issue.data}>
        <div className="issue">
          <article className="issue-main">
            <InOrder>
              <IssueTitle issue={issue.data} mayChange={may.update.allowed} onSeen={setTitleSeen} />
              <OpenQuestions issue={issue.data} interactions={interactions} />
              <FailedRun issue={issue.data} />
              <IssueViews issue={issue.data}>
                <InOrder>
                  <AddArea>
                    <InOrder>
                      <Attachments issue={issue.data}>
                        <InOrder>
                          <Description issue={issue.data} />
                          <SubIssues issue={issue.data} />
                          <Documents issue={issue.data} />
                        </InOrder>
                      </Attachments>
                      <IssueGates issue={issue.data} />
                      <AddMenu />
                    </InOrder>
                  </AddArea>
                  <IssueWorkspaces issue={issue.data} />
                  <IssueRuns issue={issue.data} />
                  <Thread issue={issue.data} without={interactions} />
                  {may.comment.allowed ? <Composer issue={issue.data} /> : null}
                  <IssueHistory issue={issue.data} />
                </InOrder>
              </IssueViews>
            </InOrder>
          </article>
          <IssueFacts issue={issue.data} />
        </div>
      </IssueShown>
    </Page>
  );
};

const Description = ({ issue: { description } }: { readonly issue: Issue }) => {
  const issuePath = useIssuePath();
  if (description === null || description.trim() === "") return <p className="faint">No description</p>;
  return <Markdown text={description} issuePath={issuePath} />;
};
