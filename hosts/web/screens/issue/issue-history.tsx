import { lazy, Suspense, useState } from "react";
import type { Issue } from "../../live/records.ts";
import { Skeleton } from "../../widgets/skeleton.tsx";

const HistoryEntries = lazy(async () => ({
  default: (await import("./history-entries.tsx")).HistoryEntries,
}));

/** Everything that was done to an issue, newest first; read when it is opened. */
export const IssueHistory = ({ issue }: { readonly issue: Issue }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="issue-section" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="issue-history">History</summary>
      {isOpen ? (
        <Suspense fallback={<Skeleton rows={3} />}>
          <HistoryEntries issueId={issue.id} />
        </Suspense>
      ) : null}
    </details>
  );
};
