import { isClosed, issueStatuses } from "../../../../core/model/issues/issue-status.ts";
import type { AnswerOf } from "../../live/calls.ts";

type Found = AnswerOf<"issues.progress">[number];

/** How many of the issues of a project or a goal are done; cancelled ones are no part of it. */
export const Progress = ({ name, of }: { readonly name: string; readonly of: Found | undefined }) => {
  const counts = of?.counts;
  const total =
    counts === undefined
      ? 0
      : issueStatuses.reduce((sum, each) => sum + (each === "cancelled" ? 0 : counts[each]), 0);
  if (of === undefined || counts === undefined || total === 0) return <span className="faint">No issue</span>;
  const open = issueStatuses.reduce((sum, each) => sum + (isClosed(each) ? 0 : counts[each]), 0);
  const { done } = of;
  return (
    <span className="progress">
      <progress aria-label={`Progress of ${name}`} max={total} value={counts.done} />
      <span className="muted" title={`${open} open`}>
        {counts.done} of {total} done
        {done.verified + done.reported === 0
          ? null
          : ` (${done.verified} verified, ${done.reported} reported)`}
      </span>
    </span>
  );
};
