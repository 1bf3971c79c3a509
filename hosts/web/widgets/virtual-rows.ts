import type { Range } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useIsFirstFrame } from "./after-paint.ts";
import { useLateVirtualizer } from "./late-virtualizer.ts";

/** Shorter lists stand in the page as a whole, where the browser's own search finds every row. */
const wholeUpTo = 200;

const noMeasure = () => {};

/** As `--row` in the styles: no row is shorter. */
const minRowHeight = 36;

/** The height of the rows above, and of those below what can be seen. */
const aheadPx = 720;

/** The rows that can be seen, those around them, and those that stay. */
const rangeOf = ({ startIndex, endIndex, count, overscan }: Range, pinned: readonly number[]): number[] => {
  const first = Math.max(0, startIndex - overscan);
  const last = Math.min(count - 1, endIndex + overscan);
  const near = Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
  return [...new Set([...near, ...pinned])].sort((one, other) => one - other);
};

/** The rows of a list that are in the page, and the room of those that are not, in pixels. */
export interface VirtualRows<Row> {
  /** In their order; each with the room of those between the one before and itself. */
  readonly shown: readonly { readonly row: Row; readonly index: number; readonly gap: number }[];
  readonly after: number;
  /** The `ref` of each row, which has its index as `data-index`. */
  readonly measure: (element: Element | null) => void;
  /** Scrolls as little as shows the row. */
  readonly scrollTo: (index: number) => void;
  /** Whether some rows may be missing: then rows say their position. */
  readonly isPart: boolean;
}

const rowOf = (element: EventTarget | null): number | null => {
  const row = element instanceof Element ? element.closest<HTMLElement>("[data-index]") : null;
  return row === null ? null : Number(row.dataset.index);
};

/** The positions of rows that stay in the page: the one with the focus, and those in which a person has begun to write. */
const useKeptRows = <Row>(
  list: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): (() => readonly number[]) => {
  const written = useRef(new Set<string>());
  const keyAt = (index: number | null) => (index === null || !rows[index] ? null : keyOf(rows[index]));
  const keys = useRef(keyAt);
  keys.current = keyAt;
  useEffect(() => {
    // The list may come later.
    const note = ({ target }: Event) => {
      const key = list.current?.contains(target as Node) === true ? keys.current(rowOf(target)) : null;
      if (key !== null) written.current.add(key);
    };
    document.addEventListener("input", note);
    return () => document.removeEventListener("input", note);
  }, [list]);
  return () => {
    const { activeElement } = document;
    const focused = list.current?.contains(activeElement) === true ? rowOf(activeElement) : null;
    return [
      ...(focused !== null && focused < rows.length ? [focused] : []),
      ...(written.current.size === 0
        ? []
        : rows.flatMap((row, index) => (written.current.has(keyOf(row)) ? [index] : []))),
    ];
  };
};

/** Whether the page is being printed: paper shows every row. */
const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser lays the paper out when the listeners have returned.
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
};

/**
 * A list of any length in the scrolled part of a page: of a long one only the rows that can be seen, some around them,
 * the one with the focus, and those in which a person has begun to write. Rows may have any height.
 */
export const useVirtualRows = <Row>(
  list: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  usualHeight = minRowHeight,
): VirtualRows<Row> => {
  const isPrinting = usePrinting();
  const isLong = !isPrinting && rows.length > wholeUpTo;
  const scroller = () => list.current?.closest<HTMLElement>("[data-scrolls], .page-body") ?? null;
  const [scrollMargin, setScrollMargin] = useState(0);
  const keys = useRef(keyOf);
  keys.current = keyOf;
  const keptRows = useKeptRows(list, rows, keyOf);
  const overscan = Math.ceil(aheadPx / usualHeight);
  const virtual = useLateVirtualizer(isLong, {
    count: rows.length,
    getScrollElement: scroller,
    estimateSize: () => usualHeight,
    getItemKey: useCallback((index: number) => keys.current(rows[index]!), [rows]),
    overscan,
    scrollMargin,
    rangeExtractor: (range) => rangeOf(range, keptRows()),
  });
  // The first frame comes sooner without the rows below it. Later none is taken away, not even for a frame: somebody may write in it.
  const inFirstFrame = Math.ceil(innerHeight / minRowHeight);
  const isFirstFrame = useIsFirstFrame(!isLong && rows.length > inFirstFrame) && !isPrinting;
  const isPart = virtual !== null;
  // Banners and filters above the list come and go.
  useLayoutEffect(() => {
    const outer = scroller();
    if (!isPart || outer === null || list.current === null) return;
    const top = list.current.getBoundingClientRect().top - outer.getBoundingClientRect().top;
    setScrollMargin(Math.round(top + outer.scrollTop));
  });
  const scrollTo = (index: number) => {
    const element = list.current?.querySelector(`[data-index="${index}"]`);
    if (element) element.scrollIntoView({ block: "nearest" });
    else virtual?.scrollToIndex(index, { align: "auto" });
  };
  // Of a long list its first rows, until the code comes that shows the others.
  if (virtual === null) {
    const count = isLong ? 2 * overscan : isFirstFrame ? inFirstFrame : rows.length;
    return {
      shown: rows.slice(0, count).map((row, index) => ({ row, index, gap: 0 })),
      after: 0,
      measure: noMeasure,
      scrollTo,
      isPart: isLong,
    };
  }
  const items = virtual.getVirtualItems();
  const last = items.at(-1);
  return {
    shown: items.map(({ index, start }, nth) => ({
      row: rows[index]!,
      index,
      gap: start - (items[nth - 1]?.end ?? scrollMargin),
    })),
    after: last === undefined ? 0 : virtual.getTotalSize() - (last.end - scrollMargin),
    measure: virtual.measureElement,
    scrollTo,
    isPart,
  };
};

/** The attributes of a shown row in a list of `count` (`li`), which leaves room for those that are not in the page. */
export const rowProps = <Row>(
  { shown, after, measure, isPart }: VirtualRows<Row>,
  { index, gap }: { readonly index: number; readonly gap: number },
  count: number,
) => ({
  ref: measure,
  "data-index": index,
  ...(isPart
    ? {
        "aria-setsize": count,
        "aria-posinset": index + 1,
        style: {
          ...(gap > 0 ? { marginTop: gap } : {}),
          ...(index === shown.at(-1)?.index ? { marginBottom: after } : {}),
        },
      }
    : {}),
});
