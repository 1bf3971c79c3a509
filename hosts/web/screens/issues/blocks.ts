import { type RefObject, useCallback, useEffect, useMemo, useState } from "react";

/** Blocks above and below what can be seen. */
const around = 1;

/**
 * Which of so many blocks of one height are there: those that can be seen, and one above and below. `look` is called
 * when the list is scrolled. Scrolling inside a block changes nothing.
 */
export const useBlocks = (
  scroller: RefObject<HTMLElement | null>,
  count: number,
  blockHeight: number,
): { readonly blocks: readonly number[]; readonly look: () => void } => {
  const [top, setTop] = useState(0);
  const [seen, setSeen] = useState(4);
  const look = useCallback(() => {
    if (scroller.current !== null) setTop(Math.floor(scroller.current.scrollTop / blockHeight));
  }, [scroller, blockHeight]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setSeen(Math.ceil(element.clientHeight / blockHeight) + 1);
      look();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, blockHeight, look]);
  const blocks = useMemo(() => {
    // The list may have become shorter than where it was scrolled to.
    const end = Math.min(count, top + seen + around);
    const first = Math.max(0, Math.min(top - around, end - seen - 2 * around));
    return Array.from({ length: end - first }, (_, number) => first + number);
  }, [count, top, seen]);
  return { blocks, look };
};
