import { useState } from "react";
import { usePages, useWrite } from "../../live/calls.ts";
import type { IssueDocument } from "../../live/records.ts";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { Problem } from "../../widgets/field.tsx";
import { OpeningRow } from "../../widgets/opening-row.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { useIssueMay } from "./issue-shown.ts";

interface DocumentRevisionsProps {
  readonly issueId: string;
  readonly document: IssueDocument;
}

/** How a document came about, newest first: who changed what. An earlier text becomes the latest again as a new revision. */
export const DocumentRevisions = ({ issueId, document }: DocumentRevisionsProps) => {
  const nameOf = useNames();
  const mayWork = useIssueMay("writeDocument").allowed;
  const say = useToasts();
  const [chosen, setChosen] = useState(document.latestRevisionId);
  const { key } = document;
  const revisions = usePages("documents.revisions", { issueId, key });
  const restore = useWrite("documents.restore");
  const rows = revisions.rows;
  const restored = (documentRevisionId: string, revisionNumber: number) => {
    const before = document.latestRevisionId;
    restore.run(
      { issueId, key, documentRevisionId },
      {
        onSuccess: () =>
          say.done(`Restored revision ${revisionNumber}`, () =>
            restore.run({ issueId, key, documentRevisionId: before }),
          ),
      },
    );
  };
  return (
    <div className="stack">
      {revisions.isPending ? <Skeleton rows={2} /> : null}
      {revisions.isError ? <Problem error={revisions.error} /> : null}
      {restore.error === null ? null : <Problem error={restore.error} />}
      <ol className="plain-list issue-revisions">
        {rows.map((revision, at) => {
          const { id, revisionNumber, changeSummary, restoredFromRevisionId } = revision;
          const isChosen = id === chosen;
          const from = rows.find((each) => each.id === restoredFromRevisionId);
          const before = rows[at + 1];
          return (
            <li key={id}>
              <div className="row">
                <OpeningRow isOpen={isChosen} onToggle={() => setChosen(isChosen ? "" : id)}>
                  <span className="number">{revisionNumber}</span>
                  <span className="grow cut">
                    {changeSummary ??
                      (from === undefined ? "" : `Restored from revision ${from.revisionNumber}`)}
                  </span>
                  <span className="faint">
                    {nameOf(revision.createdByAgentId ?? revision.createdByUserId).name},{" "}
                    <Time at={revision.createdAt} />
                  </span>
                </OpeningRow>
                {mayWork && id !== document.latestRevisionId ? (
                  <Button
                    small
                    icon="rotate-ccw"
                    busy={restore.busy}
                    aria-label={`Restore revision ${revisionNumber}`}
                    onClick={() => restored(id, revisionNumber)}
                  >
                    Restore
                  </Button>
                ) : null}
              </div>
              {/* The one before may be on the page that has not come yet. */}
              {isChosen && (before !== undefined || !revisions.hasNextPage) ? (
                <Diff before={before?.body ?? ""} after={revision.body} />
              ) : null}
            </li>
          );
        })}
      </ol>
      {revisions.hasNextPage ? (
        <Button small busy={revisions.isFetchingNextPage} onClick={revisions.more ?? undefined}>
          Show earlier revisions
        </Button>
      ) : null}
    </div>
  );
};
