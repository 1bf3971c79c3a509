import { usePages } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";

/** The events of a run: when it was queued, claimed, started, stopped and ended, and why. */
export const RunStory = ({ runId }: { readonly runId: string }) => {
  const events = usePages("runs.events", { runId });
  if (events.isPending) return <Skeleton />;
  if (events.isError) return <ErrorView error={events.error} retry={() => void events.refetch()} />;
  return (
    <div className="run-raw">
      <ol className="plain-list" aria-label="Events">
        {events.rows.map(({ seq, type, level, message, createdAt }) => (
          <li key={seq} className={level === "error" ? "run-event failure" : "run-event"}>
            <span className="faint run-time">
              <Time at={createdAt} as="clock" />
            </span>
            <span className="mono muted">{type}</span>
            <span className="run-text">{message}</span>
          </li>
        ))}
      </ol>
      {events.more === null ? null : <Button onClick={events.more}>Show more</Button>}
    </div>
  );
};
