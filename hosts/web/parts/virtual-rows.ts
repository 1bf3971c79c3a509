import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** Shorter lists stand in the page as a whole, where the browser's own search finds every row. */
const wholeUpTo = 200;

/** The rows of a list that are in the page, and the room of those that are not, in pixels. */
export interface VirtualRows<Row> {
  readonly shown: readonly { readonly row: Row; readonly index: number }[];
  readonly before: number;
  readonly after: number;
  /** The `ref` of each row, which has its index as `data-index`. */
  readonly measure: (element: Element | null) => void;
  /** Scrolls as little as shows the row. */
  readonly scrollTo: (index: number) => void;
  /** Whether some rows may be missing: then rows say their position. */
  readonly isPart: boolean;
}

/**
 * A list of any length in the scrolled part of a page: of a long one only the rows that can be seen, and some around
 * them. Rows may have any height.
 */
export const useVirtualRows = <Row>(
  list: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  usualHeight = 36,
): VirtualRows<Row> => {
  const isPart = rows.length > wholeUpTo;
  const scroller = () => list.current?.closest<HTMLElement>(".page-body") ?? null;
  const [scrollMargin, setScrollMargin] = useState(0);
  const keys = useRef(keyOf);
  keys.current = keyOf;
  const virtual = useVirtualizer<HTMLElement, Element>({
    count: isPart ? rows.length : 0,
    getScrollElement: scroller,
    estimateSize: () => usualHeight,
    getItemKey: useCallback((index: number) => keys.current(rows[index]!), [rows]),
    overscan: 20,
    scrollMargin,
  });
  // Banners and filters above the list come and go.
  useLayoutEffect(() => {
    const outer = scroller();
    if (!isPart || outer === null || list.current === null) return;
    const top = list.current.getBoundingClientRect().top - outer.getBoundingClientRect().top;
    setScrollMargin(Math.round(top + outer.scrollTop));
  });
  const items = virtual.getVirtualItems();
  const [first] = items;
  const last = items.at(-1);
  return {
    shown: isPart
      ? items.map(({ index }) => ({ row: rows[index]!, index }))
      : rows.map((row, index) => ({ row, index })),
    before: first === undefined ? 0 : first.start - scrollMargin,
    after: last === undefined ? 0 : virtual.getTotalSize() - (last.end - scrollMargin),
    measure: virtual.measureElement,
    scrollTo: (index) => {
      const element = list.current?.querySelector(`[data-index="${index}"]`);
      if (element) element.scrollIntoView({ block: "nearest" });
      else virtual.scrollToIndex(index, { align: "auto" });
    },
    isPart,
  };
};

/** The attributes of row `index` in a list of `count` (`li`), which leaves room for those that are not in the page. */
export const rowProps = <Row>(
  { shown, before, after, measure, isPart }: VirtualRows<Row>,
  index: number,
  count: number,
) => ({
  ref: measure,
  "data-index": index,
  ...(isPart
    ? {
        "aria-setsize": count,
        "aria-posinset": index + 1,
        style: {
          ...(index === shown[0]?.index ? { marginTop: before } : {}),
          ...(index === shown.at(-1)?.index ? { marginBottom: after } : {}),
        },
      }
    : {}),
});
