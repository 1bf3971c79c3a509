import type { AnswerOf } from "../../live/calls.ts";
import { Time } from "../../widgets/time.tsx";
import { visible } from "../visible-text.ts";

type Commit = AnswerOf<"issues.changes">[number]["commits"][number];

/** Commits, newest first, in a list that is opened. */
export const Commits = ({ commits }: { readonly commits: readonly Commit[] }) => (
  <details>
    <summary>
      {commits.length} {commits.length === 1 ? "commit" : "commits"}
    </summary>
    <ol className="plain-list" aria-label="Commits">
      {commits.map(({ commit, message, author, authoredAt }) => (
        <li key={commit} className="row list-row">
          <span className="mono muted">{commit.slice(0, 10)}</span>
          <span className="grow cut">{visible(message.split("\n", 1)[0] ?? "")}</span>
          <span className="muted">
            {visible(author)}, <Time at={authoredAt} />
          </span>
        </li>
      ))}
    </ol>
  </details>
);
