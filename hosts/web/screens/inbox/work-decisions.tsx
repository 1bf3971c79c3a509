import { useState } from "react";
import { useRead } from "../../live/calls.ts";
import { MergeWork } from "../../nouns/code/merge-work.tsx";
import { ReviewDialog } from "../../nouns/issues/review-dialog.tsx";
import { Button } from "../../widgets/button.tsx";

/** The decisions on the work of an issue in review, without opening it: the review that a gate names, and the merges. */
export const WorkDecisions = ({ issueId }: { readonly issueId: string }) => {
  const issue = useRead("issues.get", { issueId });
  const mayReview = issue.data?.callerMay.review.allowed === true;
  const mayMerge = issue.data?.callerMay.merge.allowed === true && issue.data.projectId !== null;
  const gates = useRead("issues.gates", { issueId }, { enabled: mayReview });
  const changes = useRead("issues.changes", { issueId }, { enabled: mayMerge });
  const [isReviewing, setReviewing] = useState(false);
  return (
    <>
      {gates.data === undefined ? null : <Button onClick={() => setReviewing(true)}>Review</Button>}
      {(changes.data ?? [])
        .filter(
          ({ problem, conflicts, commits }) => problem === null && conflicts === null && commits.length > 0,
        )
        .map((each) => (
          <MergeWork key={each.repositoryId} issueId={issueId} changes={each} isQuiet />
        ))}
      {isReviewing && gates.data !== undefined ? (
        <ReviewDialog issueId={issueId} commits={gates.data.commits} onClose={() => setReviewing(false)} />
      ) : null}
    </>
  );
};
