import { useState } from "react";
import { usePages } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { ActivityList } from "../../nouns/activity/activity-list.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

/** Everything that was done to an issue, newest first; read when it is opened. */
export const IssueHistory = ({ issue }: { readonly issue: Issue }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="issue-section" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="issue-history">History</summary>
      {isOpen ? <Entries issueId={issue.id} /> : null}
    </details>
  );
};

const Entries = ({ issueId }: { readonly issueId: string }) => {
  const entries = usePages("activity.ofIssue", { issueId, limit: 50 });
  if (entries.isPending) return <Skeleton rows={3} />;
  if (entries.isError) return <Problem error={entries.error} />;
  return (
    <>
      <ActivityList label="History of the issue" entries={entries.rows} isOfIssue />
      {entries.hasNextPage ? (
        <div>
          <Button small busy={entries.isFetchingNextPage} onClick={entries.more ?? undefined}>
            Show earlier changes
          </Button>
        </div>
      ) : null}
    </>
  );
};
