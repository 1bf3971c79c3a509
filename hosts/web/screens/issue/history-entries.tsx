import { usePages } from "../../live/calls.ts";
import { ActivityList } from "../../nouns/activity/activity-list.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

/** The activity of an issue, newest first. */
export const HistoryEntries = ({ issueId }: { readonly issueId: string }) => {
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
