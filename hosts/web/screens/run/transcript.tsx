import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { isLive } from "../../../../core/runs/run-status.ts";
import type { Run } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { Problem } from "../../parts/field.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { EntryRow, isFailure, textOf } from "./entry-row.tsx";
import { type Reading, useTranscript } from "./transcript-reader.ts";

/** Where the end is followed again, and where more of the beginning is read: pixels and rows from there. */
const nearEndPx = 8;
const nearBeginRows = 40;

/** Keys that move the view up. */
const upwards = new Set(["ArrowUp", "PageUp", "Home"]);

/** A transcript of any length: only what can be seen is there. It follows its end until somebody scrolls away. */
export const Transcript = ({ run }: { readonly run: Run }) => {
  const live = isLive(run.status);
  const reading = useTranscript({ ...run, isLive: live });
  if (reading.isPending)
    return (
      <div className="run-view">
        <Skeleton />
      </div>
    );
  if (reading.entries.length === 0)
    return reading.error === null ? (
      <Empty icon="terminal" title={live ? "Nothing has been said yet" : "The program said nothing"}>
        {live ? "Output appears here at once." : undefined}
      </Empty>
    ) : (
      <ErrorView error={reading.error} />
    );
  return <Entries reading={reading} bytes={run.logBytes} />;
};

const Entries = ({ reading, bytes }: { readonly reading: Reading; readonly bytes: number }) => {
  const { entries, firstKey, from, notParsedReason, error, earlier, all } = reading;
  const scroller = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const [query, setQuery] = useState("");
  /** A first error may stand before what has been read. */
  const [wantsError, setWantsError] = useState(false);
  const failures = useMemo(
    () => entries.flatMap((entry, index) => (isFailure(entry) ? [index] : [])),
    [entries],
  );
  /** The entries that are shown, by their place; null: all of them. */
  const found = useMemo(() => {
    const words = query.toLowerCase();
    return words === ""
      ? null
      : entries.flatMap((entry, index) => (textOf(entry).toLowerCase().includes(words) ? [index] : []));
  }, [entries, query]);
  const count = found === null ? entries.length : found.length;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    getItemKey: useCallback(
      (index: number) => firstKey + (found === null ? index : found[index]!),
      [firstKey, found],
    ),
    overscan: 20,
  });
  const rows = virtual.getVirtualItems();
  useEffect(() => {
    if (follows && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [follows, count, virtual]);

  // Earlier lines go above, and the visible ones do not move.
  const looked = useRef({ key: firstKey, offset: 0, firstKey });
  useLayoutEffect(() => {
    const { key, offset } = looked.current;
    if (firstKey !== looked.current.firstKey && !follows && found === null) {
      const start = virtual.measurementsCache[key - firstKey]?.start;
      if (start !== undefined) virtual.scrollToOffset(start + offset);
    }
    looked.current.firstKey = firstKey;
  }, [firstKey, follows, found, virtual]);
  const atBegin = rows[0] !== undefined && rows[0].index < nearBeginRows;
  useEffect(() => {
    if (atBegin && from > 0 && !follows && found === null) earlier();
  }, [atBegin, from, follows, found, earlier]);
  const look = () => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    if (found === null && scrollTop + clientHeight >= scrollHeight - nearEndPx) setFollows(true);
    const top = virtual.getVirtualItems().find(({ end }) => end > scrollTop);
    if (top !== undefined)
      looked.current = { ...looked.current, key: Number(top.key), offset: scrollTop - top.start };
  };

  const [firstFailure] = failures;
  useEffect(() => {
    if (!wantsError || from > 0) return;
    setWantsError(false);
    if (firstFailure !== undefined) virtual.scrollToIndex(firstFailure, { align: "start" });
  }, [wantsError, from, firstFailure, virtual]);
  const toError = () => {
    setQuery("");
    setFollows(false);
    setWantsError(true);
    all();
  };
  const search = (text: string) => {
    setQuery(text);
    if (text !== "") all();
  };
  useKeys([
    { keys: "f", does: "Follow the end", run: () => setFollows(true) },
    { keys: "x", does: "Go to the first error", run: toError },
    { keys: "/", does: "Search", run: () => document.querySelector<HTMLElement>(".run-search")?.focus() },
  ]);
  const stopFollowing = () => setFollows(false);
  const readsAll = from > 0 && (wantsError || query !== "");
  return (
    <>
      <div className="run-tools">
        <input
          className="input run-search"
          type="search"
          aria-label="Search the transcript"
          placeholder="Search"
          value={query}
          onChange={(event) => search(event.target.value)}
        />
        <span className="faint" role="status">
          {readsAll
            ? `Reading from the beginning: ${Math.floor(100 - (100 * from) / Math.max(from, bytes))} %`
            : found === null
              ? ""
              : `${found.length.toLocaleString()} found`}
        </span>
        {failures.length === 0 && from === 0 ? null : (
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
        {error === null ? null : <Problem error={error} />}
      </div>
      <div className="run-view">
        <div
          ref={scroller}
          className="run-scroll"
          onScroll={look}
          onWheel={(event) => {
            if (event.deltaY < 0) stopFollowing();
          }}
          onTouchMove={stopFollowing}
          onKeyDown={(event: KeyboardEvent) => {
            if (upwards.has(event.key)) stopFollowing();
          }}
          onPointerDown={(event) => {
            // On the scroll bar, which lies beside what is inside.
            if (event.target === event.currentTarget) stopFollowing();
          }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
          tabIndex={0}
          role="log"
          aria-label="Transcript"
          aria-live="off"
        >
          <div className="run-entries" style={{ height: virtual.getTotalSize() }}>
            {rows.map(({ index, start, key }) => (
              <div
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                className="run-entry"
                style={{ transform: `translateY(${start}px)` }}
              >
                <EntryRow entry={entries[found === null ? index : found[index]!]!} />
              </div>
            ))}
          </div>
        </div>
        {found === null ? <FailureMarks failures={failures} count={entries.length} /> : null}
      </div>
    </>
  );
};

const marksMax = 200;

/** Where in the scroll bar the errors are. */
const FailureMarks = ({
  failures,
  count,
}: {
  readonly failures: readonly number[];
  readonly count: number;
}) => {
  const places = useMemo(
    () => [...new Set(failures.map((index) => Math.floor((index * marksMax) / count)))],
    [failures, count],
  );
  return (
    <div className="run-marks" aria-hidden="true">
      {places.map((place) => (
        <span key={place} style={{ top: `${(place * 100) / marksMax}%` }} />
      ))}
    </div>
  );
};
