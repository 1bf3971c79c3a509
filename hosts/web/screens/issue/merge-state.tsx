import { use } from "react";
import { isClosed } from "../../../../core/model/issues/issue-status.ts";
import { useWrite } from "../../live/calls.ts";
import type { Issue, IssueChanges } from "../../live/records.ts";
import { useNames } from "../../nouns/names.ts";
import { visible } from "../../nouns/visible-text.ts";
import { ActionButton } from "../../widgets/action-button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { IssueShown } from "./issue-shown.ts";

const shownMost = 50;

/** The last merge of the issue in a repository, its conflicts, and the files that no merge gets in. */
export const MergeState = ({ changes }: { readonly changes: IssueChanges }) => {
  const issue = use(IssueShown);
  const { lastMerge, mergedAt, conflicts, defaultBranch, uncommitted } = changes;
  return (
    <>
      {lastMerge === null ? null : (
        <p role="status">
          Merged {countOf(lastMerge.commits)}into {defaultBranch} as{" "}
          <span className="mono">{lastMerge.commit.slice(0, 7)}</span>, <Time at={lastMerge.at} />.
        </p>
      )}
      {issue !== null && mergedAt !== null && !isClosed(issue.status) ? <Complete issue={issue} /> : null}
      {conflicts === null ? null : (
        <div role="status">
          <p>
            This branch has conflicts with {defaultBranch}
            {conflicts.files.length === 0 ? `: ${conflicts.messages}` : ":"}
          </p>
          <Paths paths={conflicts.files} />
          {issue === null ? null : <AskToResolve issue={issue} changes={changes} />}
        </div>
      )}
      {uncommitted.length === 0 ? null : (
        <div>
          <p>Not committed, so a merge leaves them out:</p>
          <Paths paths={uncommitted} />
        </div>
      )}
    </>
  );
};

const countOf = (commits: number | null): string =>
  commits === null ? "" : `${commits} ${commits === 1 ? "commit" : "commits"} `;

const Paths = ({ paths }: { readonly paths: readonly string[] }) => (
  <ul>
    {paths.slice(0, shownMost).map((path) => (
      <li key={path} className="mono">
        {visible(path)}
      </li>
    ))}
  </ul>
);

const Complete = ({ issue }: { readonly issue: Issue }) => {
  const say = useToasts();
  const finish = useWrite("issues.update", { onDone: () => say.done(`${issue.identifier} completed`) });
  return (
    <div className="row-wrap">
      <ActionButton
        kind="main"
        may={issue.callerMay.update}
        busy={finish.busy}
        onClick={() => finish.run({ issueId: issue.id, status: "done" })}
      >
        Complete issue
      </ActionButton>
      {finish.error === null ? null : <Problem error={finish.error} />}
    </div>
  );
};

interface AskProps {
  readonly issue: Issue;
  readonly changes: IssueChanges;
}

/** Asks the assignee in a comment, which wakes an agent. */
const AskToResolve = ({ issue, changes }: AskProps) => {
  const say = useToasts();
  const nameOf = useNames();
  const { name } = nameOf(issue.assigneeAgentId);
  const ask = useWrite("issues.comment", { onDone: () => say.done(`${name} will be notified`) });
  if (issue.assigneeAgentId === null) return <p className="faint">Assign an agent to resolve them.</p>;
  const comment = {
    issueId: issue.id,
    body: requestOf(changes),
    ...(isClosed(issue.status) ? { reopen: true } : {}),
  };
  return (
    <div className="row-wrap">
      <ActionButton
        kind="main"
        may={issue.callerMay.comment}
        busy={ask.busy}
        onClick={() => ask.run(comment)}
      >
        Ask {name} to resolve them
      </ActionButton>
      {ask.error === null ? null : <Problem error={ask.error} />}
    </div>
  );
};

/** An indented block, in which Markdown reads no mark and no mention in the names of files. */
const requestOf = ({ branch, defaultBranch, conflicts }: IssueChanges): string => {
  const files = conflicts?.files ?? [];
  const more = files.length > shownMost ? `\n    and ${files.length - shownMost} more` : "";
  const named = files.slice(0, shownMost).map((path) => `    ${visible(path)}`);
  return `Please merge ${defaultBranch} into ${branch}, resolve the conflicts and commit. They are in:\n\n${named.join("\n")}${more}`;
};
