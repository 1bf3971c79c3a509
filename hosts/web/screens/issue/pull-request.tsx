import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { visible } from "../../nouns/visible-text.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Time } from "../../widgets/time.tsx";
import { useIssueMay } from "./issue-shown.ts";

type Pull = AnswerOf<"issues.pullRequests">[number];

interface PullRequestsProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
}

/** The pull requests of the issue in a repository; one is opened where its host is known. */
export const PullRequests = ({ issueId, changes }: PullRequestsProps) => {
  const { repositoryId, mergedAt, hostKind } = changes;
  const pulls = useRead("issues.pullRequests", { issueId });
  const may = useIssueMay("merge");
  const open = useWrite("issues.openPullRequest");
  if (pulls.isError) return <Problem error={pulls.error} />;
  const ofThis = (pulls.data ?? []).filter((pull) => pull.repositoryId === repositoryId);
  const current = ofThis.find(({ state }) => state === "opening" || state === "open");
  const mayOpen = hostKind !== null && mergedAt === null && may.allowed;
  if (ofThis.length === 0 && !mayOpen) return null;
  return (
    <>
      {open.error === null ? null : <Problem error={open.error} />}
      {ofThis.length === 0 ? null : (
        <ul className="plain-list" aria-label="Pull requests">
          {ofThis.map((pull) => (
            <li key={pull.id} className="row-wrap list-row">
              <State pull={pull} />
            </li>
          ))}
        </ul>
      )}
      {mayOpen ? (
        <div className="row-wrap">
          <Button
            small={current !== undefined}
            busy={open.busy}
            onClick={() => open.run({ issueId, repositoryId })}
          >
            {current === undefined ? "Open a pull request" : "Check now"}
          </Button>
        </div>
      ) : null}
    </>
  );
};

const checkLabels: Readonly<Record<Pull["checks"], string>> = {
  none: "no checks reported",
  pending: "checks run",
  passed: "checks passed",
  failed: "checks failed",
};

const State = ({ pull }: { readonly pull: Pull }) => {
  const { number, url, state, checks, failedChecks, problem, handedOverAt, polledAt } = pull;
  const name = number === null ? "Pull request" : `Pull request #${number}`;
  return (
    <>
      {url === null ? (
        name
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {name}
        </a>
      )}
      <span>
        {state} · {checkLabels[checks]}
        {failedChecks.length === 0 ? "" : `: ${failedChecks.map(visible).join(", ")}`}
      </span>
      {polledAt === null ? null : (
        <span className="muted">
          polled <Time at={polledAt} />
        </span>
      )}
      {handedOverAt === null ? null : <span role="status">Waiting for you.</span>}
      {problem === null ? null : <span role="status">{visible(problem)}</span>}
    </>
  );
};
