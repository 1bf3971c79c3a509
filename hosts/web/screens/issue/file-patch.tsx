import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { call } from "../../live/calls.ts";
import type { IssueChanges } from "../../live/records.ts";
import { type ChangedFile, pathText } from "../../nouns/code/changed-files.tsx";
import { type LineNotes, Patch } from "../../nouns/code/patch.tsx";
import type { ChosenLines } from "../../nouns/code/patch-choice.tsx";
import { hasLine, readPatch } from "../../nouns/code/patch-lines.ts";
import type { ReviewDraft } from "../../nouns/issues/review-draft.ts";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { useIssueMay } from "./issue-shown.ts";
import { type LineComment, LineComments, LineComposer } from "./line-comments.tsx";
import { PendingComments } from "./pending-comments.tsx";

/** Whether the lines of a comment are in a file: of the one that the issue has, or that it began from. */
export const isOn = ({ now, location: { side } }: LineComment, { oldPath, path }: ChangedFile): boolean =>
  now?.path === (side === "old" ? (oldPath ?? path) : path);

interface FilePatchProps {
  readonly issueId: string;
  readonly changes: IssueChanges;
  readonly file: ChangedFile;
  readonly layout: "unified" | "sides";
  readonly review: ReviewDraft;
  /** Those whose lines are in the file. */
  readonly comments: readonly LineComment[];
}

/** The lines of a file that an issue changes, with the comments on them. */
export const FilePatch = ({ issueId, changes, file, layout, review, comments }: FilePatchProps) => {
  const { repositoryId, base, head } = changes;
  const { path, oldPath } = file;
  const mayComment = useIssueMay("comment").allowed;
  const [chosen, setChosen] = useState<ChosenLines | null>(null);
  const room = useRef<HTMLDivElement>(null);
  const notes = useMemo((): LineNotes => {
    const close = () => {
      setChosen(null);
      room.current?.querySelector<HTMLElement>("button[data-side][tabindex='0']")?.focus();
    };
    return {
      onChoose: mayComment ? setChosen : null,
      below: (side, line) => {
        const here = comments.filter(({ location, now }) => location.side === side && now?.endLine === line);
        const isChosen = chosen?.side === side && chosen.endLine === line;
        const commit = side === "old" ? base : head;
        const ofSide = side === "old" ? (oldPath ?? path) : path;
        const pending = review.comments.filter(
          (each) =>
            each.repositoryId === repositoryId &&
            each.path === ofSide &&
            each.side === side &&
            each.endLine === line,
        );
        return (
          <>
            {here.length === 0 ? null : <LineComments comments={here} />}
            {pending.length === 0 ? null : <PendingComments comments={pending} onRemove={review.remove} />}
            {isChosen && commit !== null ? (
              <LineComposer
                issueId={issueId}
                location={{
                  ...chosen,
                  repositoryId,
                  commit,
                  path: ofSide,
                }}
                onAdd={review.add}
                onClose={close}
              />
            ) : null}
          </>
        );
      },
    };
  }, [issueId, repositoryId, base, head, path, oldPath, comments, review.comments, chosen, mayComment]);
  // Two commits differ in the same way always, so that no event makes it be read again.
  const patch = useQuery({
    queryKey: ["patch", repositoryId, base, head, oldPath, path],
    queryFn: ({ signal }) =>
      call(
        "issues.diff",
        { issueId, repositoryId, path, ...(oldPath === null ? {} : { oldPath }) },
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const hunks = useMemo(() => readPatch(patch.data ?? ""), [patch.data]);
  const outside = comments.filter(
    ({ now, location }) => now === null || !hasLine(hunks ?? [], location.side, now.endLine),
  );
  if (patch.isPending) return <Skeleton rows={2} />;
  if (patch.isError) return <Problem error={patch.error} />;
  return (
    <div ref={room}>
      <Patch patch={patch.data} label={`Changes of ${pathText(file)}`} layout={layout} notes={notes} />
      {outside.length === 0 ? null : <LineComments comments={outside} />}
    </div>
  );
};
