import { useState } from "react";
import { type RowOf, usePages, useWrite } from "../../live/calls.ts";
import type { Routine } from "../../live/records.ts";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { type ShownSecret, ShownSecrets } from "./shown-secrets.tsx";

type Revision = RowOf<"routines.revisions">;

/** How the routine and its triggers were before, each to be brought back. */
export const Revisions = ({
  routine,
  mayChange,
}: {
  readonly routine: Routine;
  readonly mayChange: boolean;
}) => {
  const { rows, more } = usePages("routines.revisions", { routineId: routine.id, limit: 20 });
  const nameOf = useNames();
  const say = useToasts();
  const [asked, setAsked] = useState<Revision | null>(null);
  const [secrets, setSecrets] = useState<readonly ShownSecret[]>([]);
  const restore = useWrite("routines.restore", {
    onDone: ({ restoredFromRevisionNumber, secretMaterials }) => {
      setAsked(null);
      setSecrets(secretMaterials);
      say.done(`Restored revision ${restoredFromRevisionNumber}`);
    },
  });
  return (
    <section aria-labelledby="routine-revisions" className="stack">
      <h2 id="routine-revisions">Revisions</h2>
      <ul className="routine-list">
        {rows.map((revision) => (
          <li key={revision.id} className="routine-revision">
            <span className="muted">{revision.revisionNumber}</span>
            <span className="grow">
              {revision.changeSummary}{" "}
              <span className="muted">
                · {nameOf(revision.createdByAgentId ?? revision.createdByUserId).name},{" "}
                <Time at={revision.createdAt} />
              </span>
            </span>
            {revision.id === routine.latestRevisionId ? (
              <span className="muted">Latest</span>
            ) : mayChange ? (
              <Button
                small
                icon="rotate-ccw"
                aria-label={`Restore revision ${revision.revisionNumber}`}
                onClick={() => setAsked(revision)}
              >
                Restore
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {more === null ? null : (
        <Button small onClick={more}>
          Show more
        </Button>
      )}
      {asked === null ? null : (
        <ConfirmDialog
          title={`Restore revision ${asked.revisionNumber}?`}
          verb="Restore"
          busy={restore.busy}
          onConfirm={() => restore.run({ routineId: routine.id, revisionId: asked.id })}
          onClose={() => setAsked(null)}
        >
          <div className="stack">
            <p>
              “{asked.snapshot.routine.title}” with {asked.snapshot.triggers.length} triggers. Newer triggers
              are removed. The routine stays {routine.status}.
            </p>
            {restore.error === null ? null : <Problem error={restore.error} />}
          </div>
        </ConfirmDialog>
      )}
      {secrets.length === 0 ? null : <ShownSecrets secrets={secrets} onClose={() => setSecrets([])} />}
    </section>
  );
};
