import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { EntryRow, isFailure, textOf } from "./entry-row.tsx";
import { useTranscript } from "./transcript-reader.ts";

interface TranscriptProps {
  readonly runId: string;
  readonly live: boolean;
  readonly bytes: number;
}

/** A transcript of any length: only what can be seen is there. It follows its end until somebody scrolls away. */
export const Transcript = ({ runId, live, bytes }: TranscriptProps) => {
  const { entries, notParsedReason, isPending, error, earlier } = useTranscript(runId, bytes);
  const scroller = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const [query, setQuery] = useState("");
  const shown = useMemo(
    () =>
      query === ""
        ? entries
        : entries.filter((entry) => textOf(entry).toLowerCase().includes(query.toLowerCase())),
    [entries, query],
  );
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 20,
  });
  useEffect(() => {
    if (follows && shown.length > 0) virtual.scrollToIndex(shown.length - 1, { align: "end" });
  }, [follows, shown.length, virtual]);
  const firstError = shown.findIndex(isFailure);
  const toError = () => {
    if (firstError < 0) return;
    setFollows(false);
    virtual.scrollToIndex(firstError, { align: "start" });
  };
  useKeys([
    { keys: "f", does: "Follow the end", run: () => setFollows(true) },
    { keys: "x", does: "Go to the first error", run: toError },
    { keys: "/", does: "Search", run: () => document.querySelector<HTMLElement>(".run-search")?.focus() },
  ]);
  if (isPending) return <Skeleton />;
  if (error !== null && entries.length === 0) return <ErrorView error={error} />;
  if (entries.length === 0)
    return (
      <Empty icon="terminal" title={live ? "Nothing has been said yet" : "The program said nothing"}>
        {live ? "It is shown here as soon as it is said." : undefined}
      </Empty>
    );
  return (
    <>
      <div className="run-tools">
        <input
          className="input run-search"
          type="search"
          aria-label="Search the transcript"
          placeholder="Search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {earlier === null ? null : (
          <Button small onClick={earlier}>
            Show earlier
          </Button>
        )}
        {firstError < 0 ? null : (
          <Button small onClick={toError}>
            First error
          </Button>
        )}
        {follows ? null : (
          <Button small onClick={() => setFollows(true)}>
            Follow the end
          </Button>
        )}
        {notParsedReason === null ? null : <span className="faint">{notParsedReason}</span>}
      </div>
      <div
        ref={scroller}
        className="run-scroll"
        onWheel={(event) => {
          if (event.deltaY < 0) setFollows(false);
        }}
        onTouchMove={() => setFollows(false)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        role="log"
        aria-label="Transcript"
        aria-live="off"
      >
        <div className="run-entries" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className="run-entry"
              style={{ transform: `translateY(${start}px)` }}
            >
              <EntryRow entry={shown[index]!} />
            </div>
          ))}
        </div>
      </div>
    </>
  );
};
