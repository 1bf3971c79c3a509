import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useOverscan } from "../../widgets/after-paint.ts";
import { useToasts } from "../../widgets/toasts.tsx";
import { isFailure, rowInAddress, textOf } from "./entry-row.tsx";
import { type Step, stepsOf } from "./steps.ts";
import type { Reading } from "./transcript-reader.ts";

/** Where the end is followed again, and where more of the beginning is read: pixels and rows from there. */
const nearEndPx = 8;
const nearBeginRows = 40;

/** The state of a transcript on the screen: its search, whether it follows its end, and what is scrolled to. */
export interface TranscriptView {
  /** The rows. */
  readonly steps: readonly Step[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
  readonly follows: boolean;
  readonly setFollows: (follows: boolean) => void;
  /** Ends following, because the person moves: up, until they move down again, or freely, to wherever they drag it. */
  readonly moveAway: (direction: "up" | "free") => void;
  /** The person moves down, perhaps to the end. */
  readonly moveDown: () => void;
  readonly query: string;
  readonly search: (text: string) => void;
  /** The positions of rows with an error. */
  readonly failures: readonly number[];
  readonly toFirstError: () => void;
  /** To the next error from what can be seen, or to the one before. */
  readonly toError: (by: 1 | -1) => void;
  readonly toRow: (row: number) => void;
  /** The row that the address names, or that was gone to; null: none. */
  readonly named: number | null;
  /** The positions of the rows that the search has found; null without a search. */
  readonly found: readonly number[] | null;
  /** Which of them is shown, and what shows the next one, or the one before. */
  readonly foundAt: number;
  readonly toFound: (by: 1 | -1) => void;
  /** Whether it is being read to its beginning. */
  readonly readsAll: boolean;
  readonly onScroll: () => void;
  readonly onScrollEnd: () => void;
}

/** The positions of rows with an error, and of those that a search finds; null without a search. */
const usePositions = (steps: readonly Step[], query: string) => {
  const failures = useMemo(() => steps.flatMap((step, index) => (isFailure(step) ? [index] : [])), [steps]);
  const found = useMemo(() => {
    const wanted = query.toLowerCase();
    return wanted === ""
      ? null
      : steps.flatMap((step, index) => (textOf(step).toLowerCase().includes(wanted) ? [index] : []));
  }, [steps, query]);
  return { failures, found };
};

interface Anchored {
  readonly steps: readonly Step[];
  readonly firstKey: number;
  /** Whether it does not follow its end. */
  readonly holds: boolean;
  readonly virtual: TranscriptView["virtual"];
}

/** Remembers the first row that can be seen: earlier lines go above it, and it does not move. */
const useAnchor = ({ steps, firstKey, holds, virtual }: Anchored) => {
  const anchor = useRef({ key: firstKey, offset: 0, firstKey });
  useLayoutEffect(() => {
    const { key, offset } = anchor.current;
    if (firstKey !== anchor.current.firstKey && holds) {
      const start = virtual.measurementsCache[steps.findIndex((step) => step.key === key)]?.start;
      if (start !== undefined) virtual.scrollToOffset(start + offset);
    }
    anchor.current.firstKey = firstKey;
  }, [firstKey, holds, virtual, steps]);
  return anchor;
};

/** The usual height of a row, in pixels. */
const usualHeight = 28;

/** The rows; the first ones drawn are those that are seen then, so that none is drawn in vain. */
const useRows = (scroller: RefObject<HTMLDivElement | null>, steps: readonly Step[], beginsAtEnd: boolean) =>
  useVirtualizer<HTMLDivElement, Element>({
    count: steps.length,
    getScrollElement: () => scroller.current,
    initialRect: { width: innerWidth, height: innerHeight },
    initialOffset: beginsAtEnd ? Math.max(0, steps.length * usualHeight - innerHeight) : 0,
    estimateSize: () => usualHeight,
    getItemKey: useCallback((index: number) => steps[index]!.key, [steps]),
    overscan: useOverscan(20),
  });

/** Goes from one row that the search has found to the next, once all is read that may have it. */
const useFound = (found: readonly number[] | null, isWhole: boolean, virtual: TranscriptView["virtual"]) => {
  const [foundAt, setFoundAt] = useState(0);
  const row = found?.[foundAt];
  useEffect(() => {
    if (isWhole && row !== undefined) virtual.scrollToIndex(row, { align: "center" });
  }, [isWhole, row, virtual]);
  const toFound = (by: 1 | -1) => {
    const count = found?.length ?? 0;
    if (count > 0) setFoundAt((foundAt + by + count) % count);
  };
  return { foundAt, setFoundAt, toFound };
};

/** Scrolls to the first error once all is read that may have one: it may stand before what has been read. */
const useFirstError = (row: number | undefined, from: number, virtual: TranscriptView["virtual"]) => {
  const say = useToasts();
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isWanted || from > 0) return;
    setWanted(false);
    if (row === undefined) say.done("No errors");
    else virtual.scrollToIndex(row, { align: "start" });
  }, [isWanted, from, row, virtual, say]);
  return { isWanted, want: () => setWanted(true) };
};

interface NamedRow {
  readonly from: number;
  readonly all: () => void;
  readonly virtual: TranscriptView["virtual"];
  /** Ends what else moves the view. */
  readonly leave: () => void;
}

/** Goes to the row that the address names, once all is read that may stand before it, and to a row that is chosen. */
const useNamedRow = ({ from, all, virtual, leave }: NamedRow) => {
  const [wanted, setWanted] = useState(rowInAddress);
  const [named, setNamed] = useState<number | null>(null);
  const leaves = useRef(leave);
  leaves.current = leave;
  const toRow = useCallback(
    (row: number) => {
      leaves.current();
      setNamed(row);
      virtual.scrollToIndex(Math.min(row, virtual.options.count - 1), { align: "center" });
    },
    [virtual],
  );
  useEffect(() => {
    const want = () => setWanted(rowInAddress());
    addEventListener("hashchange", want);
    return () => removeEventListener("hashchange", want);
  }, []);
  useEffect(() => {
    if (wanted === null) return;
    leaves.current();
    if (from > 0) return all();
    setWanted(null);
    toRow(wanted);
  }, [wanted, from, all, toRow]);
  return { named, toRow };
};

/** Scrolls to the end while it is followed, and when it is called. */
const useEnd = (virtual: TranscriptView["virtual"], follows: boolean, count: number): (() => void) => {
  const toEnd = useCallback(
    () => virtual.scrollToIndex(virtual.options.count - 1, { align: "end" }),
    [virtual],
  );
  useEffect(() => {
    if (follows && count > 0) toEnd();
  }, [follows, count, toEnd]);
  return toEnd;
};

/** Reads more of what stands before, which ends at `from`, while the beginning of what is there can be seen. */
const useEarlier = (virtual: TranscriptView["virtual"], from: number, earlier: () => void) => {
  const [firstRow] = virtual.getVirtualItems();
  const atBegin = firstRow !== undefined && firstRow.index < nearBeginRows;
  useEffect(() => {
    if (atBegin && from > 0) earlier();
  }, [atBegin, from, earlier]);
};

/** The next row with an error after the first that can be seen, or the one before. */
const errorFrom = (failures: readonly number[], virtual: TranscriptView["virtual"], by: 1 | -1) => {
  const top = virtual.scrollOffset ?? 0;
  const from = virtual.getVirtualItems().find(({ end }) => end > top + 1)?.index ?? 0;
  return by === 1 ? failures.find((each) => each > from) : failures.findLast((each) => each < from);
};

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }: Element) =>
  scrollTop + clientHeight >= scrollHeight - nearEndPx;

/**
 * How the view was moved last. An event of the position from before may come afterwards: browsers animate a move by key or wheel, which
 * also overrides a position that is set meanwhile, and after a jump to a row the end would be followed again.
 */
const useMoves = (setFollows: (follows: boolean) => void) => {
  const moves = useRef<"up" | "free" | null>(null);
  const moveAway = (direction: "up" | "free") => {
    moves.current = direction;
    setFollows(false);
  };
  const moveDown = () => {
    moves.current = "free";
  };
  return { moves, moveAway, moveDown };
};

/**
 * Not `useVirtualRows`: a transcript follows its end, grows at both ends below a reader who must not lose the place, and is
 * scrolled by itself. All of that needs the virtual list's own positions, which the shared hook keeps to itself.
 */
export const useTranscriptView = ({ entries, firstKey, from, earlier, all }: Reading): TranscriptView => {
  const scroller = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(() => rowInAddress() === null);
  const [query, setQuery] = useState("");
  const steps = useMemo(() => stepsOf(entries, firstKey), [entries, firstKey]);
  const { failures, found } = usePositions(steps, query);
  const count = steps.length;
  const virtual = useRows(scroller, steps, follows);
  const { foundAt, setFoundAt, toFound } = useFound(found, from === 0, virtual);
  const firstError = useFirstError(failures[0], from, virtual);
  const toEnd = useEnd(virtual, follows, count);
  const { moves, moveAway, moveDown } = useMoves(setFollows);
  const leave = () => {
    setQuery("");
    moveAway("up");
  };
  const namedRow = useNamedRow({ from, all, virtual, leave });
  const anchor = useAnchor({ steps, firstKey, holds: !follows, virtual });
  useEarlier(virtual, follows ? 0 : from, earlier);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop } = element;
    if (found === null && moves.current !== "up" && isAtEnd(element)) setFollows(true);
    const row = virtual.getVirtualItems().find(({ end }) => end > scrollTop);
    if (row !== undefined)
      anchor.current = { ...anchor.current, key: Number(row.key), offset: scrollTop - row.start };
  };
  const onScrollEnd = () => {
    const element = scroller.current;
    if (element !== null && follows && moves.current !== null && found === null && !isAtEnd(element)) toEnd();
  };

  return {
    steps,
    scroller,
    virtual,
    follows,
    setFollows,
    moveAway,
    moveDown,
    query,
    search: (text) => {
      setQuery(text);
      setFoundAt(0);
      if (text === "") return;
      setFollows(false);
      all();
    },
    failures,
    toFirstError: () => {
      leave();
      firstError.want();
      all();
    },
    toError: (by) => {
      const row = errorFrom(failures, virtual, by);
      if (row === undefined) return;
      moveAway("up");
      virtual.scrollToIndex(row, { align: "start" });
    },
    ...namedRow,
    found,
    foundAt,
    toFound,
    readsAll: from > 0 && (firstError.isWanted || query !== ""),
    onScroll,
    onScrollEnd,
  };
};
