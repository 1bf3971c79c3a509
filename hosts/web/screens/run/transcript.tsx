import { type KeyboardEvent, useMemo } from "react";
import { isLive } from "../../../../core/model/runs/run-status.ts";
import type { Run } from "../../live/records.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { locale } from "../../widgets/locale.ts";
import { Menu } from "../../widgets/menu.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { EntryRow, GoToRow, RowPosition } from "./entry-row.tsx";
import { filesOf } from "./steps.ts";
import { type Reading, useTranscript } from "./transcript-reader.ts";
import { type TranscriptView, useTranscriptView } from "./transcript-view.ts";

/** Keys that move the view. */
const upwards = new Set(["ArrowUp", "PageUp", "Home"]);
const downwards = new Set(["ArrowDown", "PageDown", "End", " "]);

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
      <Empty icon="terminal" title={live ? "No output yet" : "No output"}>
        {live ? "Output appears here live." : undefined}
      </Empty>
    ) : (
      <ErrorView error={reading.error} />
    );
  return <Entries reading={reading} bytes={run.logBytes} />;
};

const Entries = ({ reading, bytes }: { readonly reading: Reading; readonly bytes: number }) => {
  const view = useTranscriptView(reading);
  useKeys([
    { keys: "f", does: "Follow the end", run: () => view.setFollows(true) },
    { keys: "x", does: "Go to the first error", run: view.toFirstError },
    { keys: "]", does: "Next error", run: () => view.toError(1) },
    { keys: "[", does: "Previous error", run: () => view.toError(-1) },
    { keys: "/", does: "Search", run: () => document.querySelector<HTMLElement>(".run-search")?.focus() },
  ]);
  return (
    <>
      <Tools reading={reading} view={view} bytes={bytes} />
      <div className="run-view">
        <GoToRow value={reading.from === 0 ? view.toRow : null}>
          <Scroll view={view} />
        </GoToRow>
        <FailureMarks failures={view.failures} count={view.steps.length} />
      </div>
    </>
  );
};

interface ToolsProps {
  readonly reading: Reading;
  readonly view: TranscriptView;
  /** Of the whole log. */
  readonly bytes: number;
}

/** The search, the ways to the first error and to the end, and what was not read. */
const Tools = ({ reading: { from, notParsedReason, error }, view, bytes }: ToolsProps) => (
  <div className="run-tools">
    <input
      className="input run-search"
      type="search"
      aria-label="Search the transcript"
      placeholder="Search"
      value={view.query}
      onChange={(event) => view.search(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        view.toFound(event.shiftKey ? -1 : 1);
      }}
    />
    <span className="faint" role="status">
      {view.readsAll
        ? `Loading from the beginning: ${Math.floor(100 - (100 * from) / Math.max(from, bytes))} %`
        : view.found === null
          ? ""
          : `${view.found.length.toLocaleString(locale)} found`}
    </span>
    {view.found === null || view.found.length < 2 ? null : (
      <span className="row">
        <IconButton small icon="chevron-left" label="Previous match" onClick={() => view.toFound(-1)} />
        <span className="muted">
          {view.foundAt + 1} of {view.found.length.toLocaleString(locale)}
        </span>
        <IconButton small icon="chevron-right" label="Next match" onClick={() => view.toFound(1)} />
      </span>
    )}
    {view.failures.length === 0 && from === 0 ? null : (
      <Button small onClick={view.toFirstError}>
        First error
      </Button>
    )}
    {view.failures.length < 2 ? null : (
      <span className="row">
        <IconButton small icon="chevron-left" label="Previous error" onClick={() => view.toError(-1)} />
        <IconButton small icon="chevron-right" label="Next error" onClick={() => view.toError(1)} />
      </span>
    )}
    {view.follows ? null : (
      <Button small onClick={() => view.setFollows(true)}>
        Follow the end
      </Button>
    )}
    <FilesChanged view={view} />
    {notParsedReason === null ? null : <span className="faint">{notParsedReason}</span>}
    {error === null ? null : <Problem error={error} />}
  </div>
);

/** The files that the run wrote with its tools, of what has been read; each leads to where it was written last. */
const FilesChanged = ({ view: { steps, toRow } }: { readonly view: TranscriptView }) => {
  const files = useMemo(() => filesOf(steps), [steps]);
  if (files.size === 0) return null;
  return (
    <Menu
      button={
        <>
          <Icon name="file-text" /> {files.size === 1 ? "1 file changed" : `${files.size} files changed`}
        </>
      }
      label="Files changed"
      items={[...files].map(([path, row]) => ({ label: path, run: () => toRow(row) }))}
    />
  );
};

/** The entries that can be seen. A move upwards ends following. */
const Scroll = ({ view }: { readonly view: TranscriptView }) => {
  const { steps, scroller, virtual, found, foundAt, named, moveAway, moveDown, onScroll, onScrollEnd } = view;
  const matched = useMemo(() => new Set(found ?? []), [found]);
  return (
    <div
      ref={scroller}
      className="run-scroll"
      onScroll={onScroll}
      onScrollEnd={onScrollEnd}
      onWheel={(event) => {
        if (event.deltaY < 0) moveAway("up");
        else moveDown();
      }}
      onTouchMove={() => moveAway("free")}
      onKeyDown={(event: KeyboardEvent) => {
        if (upwards.has(event.key)) moveAway("up");
        if (downwards.has(event.key)) moveDown();
      }}
      onPointerDown={(event) => {
        // On the scroll bar, which lies next to what is inside.
        if (event.target === event.currentTarget) moveAway("free");
      }}
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
            className={`run-entry${matched.has(index) ? " found" : ""}${(found === null ? named : found[foundAt]) === index ? " at" : ""}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            <RowPosition value={index}>
              <EntryRow step={steps[index]!} />
            </RowPosition>
          </div>
        ))}
      </div>
    </div>
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
  const marks = useMemo(
    () => [...new Set(failures.map((index) => Math.floor((index * marksMax) / count)))],
    [failures, count],
  );
  return (
    <div className="run-marks" aria-hidden="true">
      {marks.map((mark) => (
        <span key={mark} style={{ top: `${(mark * 100) / marksMax}%` }} />
      ))}
    </div>
  );
};
