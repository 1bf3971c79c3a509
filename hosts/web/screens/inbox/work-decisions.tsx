import { useRead } from "../../live/calls.ts";
import { MergeWork } from "../../nouns/code/merge-work.tsx";
import { ReviewButton } from "../../nouns/issues/review-button.tsx";

/** The decisions on the work of an issue in review, without opening it: the review that a gate names, and the merges. */
export const WorkDecisions = ({ issueId }: { readonly issueId: string }) => {
  const issue = useRead("issues.get", { issueId });
  const mayReview = issue.data?.callerMay.review.allowed === true;
  const mayMerge = issue.data?.callerMay.merge.allowed === true && issue.data.projectId !== null;
  const changes = useRead("issues.changes", { issueId }, { enabled: mayMerge });
  return (
    <>
      {mayReview ? <ReviewButton issueId={issueId} mayJudge /> : null}
      {(changes.data ?? [])
        .filter(
          ({ problem, conflicts, commits }) => problem === null && conflicts === null && commits.length > 0,
        )
        .map((each) => (
          <MergeWork key={each.repositoryId} issueId={issueId} changes={each} isQuiet />
        ))}
    </>
  );
};
