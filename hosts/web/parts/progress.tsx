import { isClosed, issueStatuses } from "../../../core/issues/issue-status.ts";
import type { AnswerOf } from "../live/calls.ts";

type Counts = AnswerOf<"issues.progress">[number]["counts"];

/** How many of the issues of a project or a goal are done; cancelled ones are no part of it. */
export const Progress = ({
  name,
  counts,
}: {
  readonly name: string;
  readonly counts: Counts | undefined;
}) => {
  const total =
    counts === undefined
      ? 0
      : issueStatuses.reduce((sum, each) => sum + (each === "cancelled" ? 0 : counts[each]), 0);
  if (counts === undefined || total === 0) return <span className="faint">No issue</span>;
  const open = issueStatuses.reduce((sum, each) => sum + (isClosed(each) ? 0 : counts[each]), 0);
  return (
    <span className="progress">
      <progress aria-label={`Progress of ${name}`} max={total} value={counts.done} />
      <span className="muted" title={`${open} open`}>
        {counts.done} of {total} done
      </span>
    </span>
  );
};
