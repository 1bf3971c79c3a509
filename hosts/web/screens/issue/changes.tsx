import { useState } from "react";
import { useRead } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { ChangedFiles, pathText } from "../../nouns/code/changed-files.tsx";
import { Commits } from "../../nouns/code/commits.tsx";
import { MergeWork } from "../../nouns/code/merge-work.tsx";
import { ReviewButton } from "../../nouns/issues/review-button.tsx";
import { type ReviewDraft, useReviewDraft } from "../../nouns/issues/review-draft.ts";
import { Button } from "../../widgets/button.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { FilePatch, isOn } from "./file-patch.tsx";
import { useIssueMay } from "./issue-shown.ts";
import { type LineComment, LineComments, useLineComments } from "./line-comments.tsx";
import { MergeState } from "./merge-state.tsx";
import { PullRequests } from "./pull-request.tsx";
import { useViewedFiles } from "./viewed-files.ts";

/** The changes of the issue in each repository of its project. */
export const Changes = ({ issueId }: { readonly issueId: string }) => {
  const changes = useRead("issues.changes", { issueId });
  const comments = useLineComments(issueId);
  const review = useReviewDraft(issueId);
  const [layout, setLayout] = useState<Layout>("unified");
  if (changes.isPending) return <Skeleton />;
  if (changes.isError) return <ErrorView error={changes.error} retry={() => void changes.refetch()} />;
  if (changes.data.length === 0) return <p className="faint">No changes yet. They appear when a run ends.</p>;
  return (
    <>
      {changes.data.map((each) => (
        <InRepository
          key={each.repositoryId}
          issueId={issueId}
          changes={each}
          layout={layout}
          onLayout={setLayout}
          review={review}
          comments={comments.filter(({ location }) => location.repositoryId === each.repositoryId)}
        />
      ))}
    </>
  );
};

type Layout = "unified" | "sides";

interface InRepositoryProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
  readonly layout: Layout;
  readonly onLayout: (layout: Layout) => void;
  readonly review: ReviewDraft;
  readonly comments: readonly LineComment[];
}

const InRepository = ({ issueId, changes, layout, onLayout, review, comments }: InRepositoryProps) => {
  const { repositoryId, url, branch, defaultBranch, problem, files, isCut, base, head } = changes;
  const mayMerge = useIssueMay("merge").allowed;
  const mayComment = useIssueMay("comment").allowed;
  const mayJudge = useIssueMay("review").allowed;
  const viewed = useViewedFiles(repositoryId, base, head);
  const elsewhere = comments.filter((comment) => !files.some((file) => isOn(comment, file)));
  return (
    <section aria-label={`Changes in ${url}`} className="issue-changes">
      <p className="issue-changes-head">
        <span className="mono">{branch}</span> <span className="muted">into</span>{" "}
        <span className="mono">{defaultBranch}</span> <span className="muted">of {url}</span>
      </p>
      <MergeState changes={changes} />
      <div className="issue-changes-bar">
        <span className="muted" role="status">
          {files.filter(viewed.has).length} of {files.length} files viewed
        </span>
        <span className="grow" />
        <Button
          small
          aria-pressed={layout === "sides"}
          onClick={() => onLayout(layout === "sides" ? "unified" : "sides")}
        >
          Side by side
        </Button>
        {mayComment ? (
          <ReviewButton
            issueId={issueId}
            mayJudge={mayJudge}
            kind={review.comments.length === 0 ? "plain" : "main"}
            review={review}
          />
        ) : null}
        {mayMerge ? <MergeWork issueId={issueId} changes={changes} /> : null}
      </div>
      <PullRequests issueId={issueId} changes={changes} />
      {problem === null ? (
        <>
          <Commits commits={changes.commits} />
          <ChangedFiles
            files={files}
            isCut={isCut}
            note={(file) => <CommentCount count={comments.filter((comment) => isOn(comment, file)).length} />}
            tool={(file) => (
              <label className="row issue-viewed">
                <input
                  type="checkbox"
                  aria-label={`Viewed ${pathText(file)}`}
                  checked={viewed.has(file)}
                  onChange={() => viewed.toggle(file)}
                />
                Viewed
              </label>
            )}
          >
            {(file) => (
              <FilePatch
                issueId={issueId}
                changes={changes}
                file={file}
                layout={layout}
                review={review}
                comments={comments.filter((comment) => isOn(comment, file))}
              />
            )}
          </ChangedFiles>
        </>
      ) : (
        <p role="status">{problem}</p>
      )}
      {elsewhere.length === 0 ? null : (
        <section aria-label="Comments on other lines">
          <p className="muted">Comments on lines that are no longer part of these changes</p>
          <LineComments comments={elsewhere} />
        </section>
      )}
    </section>
  );
};

const CommentCount = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <span className="muted">
      {count} {count === 1 ? "comment" : "comments"}
    </span>
  );
