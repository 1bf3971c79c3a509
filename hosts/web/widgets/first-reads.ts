import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useState } from "react";

/** A slow read is not waited for any longer. */
const longestMs = 2_000;

/** A read ahead of a click belongs to another screen. */
const isWaiting = (queries: QueryClient): boolean =>
  queries.getQueryCache().findAll({
    fetchStatus: "fetching",
    predicate: ({ state, meta }) => state.status === "pending" && meta?.isAhead !== true,
  }).length > 0;

/**
 * Whether what the parts of a screen read at first has come: shown together, none of them moves another. What was seen before is
 * there at once. null: it isn't known yet, which ends before the paint.
 */
export const useFirstReads = (screen: string): boolean | null => {
  const queries = useQueryClient();
  const [known, setKnown] = useState<{ readonly screen: string; readonly hasRead: boolean } | null>(null);
  useLayoutEffect(() => {
    // The reads have begun while the screen was drawn.
    const hasRead = !isWaiting(queries);
    setKnown({ screen, hasRead });
    if (hasRead) return;
    let isOver = false;
    const finish = () => {
      if (!isOver) setKnown({ screen, hasRead: true });
    };
    let frame = 0;
    // An answer may show parts that read more: two frames later they have begun to.
    let willCheck = false;
    const check = () => {
      willCheck = false;
      cancelAnimationFrame(frame);
      if (isWaiting(queries)) return;
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          if (!isWaiting(queries)) finish();
        });
      });
    };
    // Each row that reads is an event: all of one rendering are checked at once.
    const checkSoon = () => {
      if (willCheck) return;
      willCheck = true;
      queueMicrotask(check);
    };
    const stop = queries.getQueryCache().subscribe(checkSoon);
    const longest = setTimeout(finish, longestMs);
    return () => {
      isOver = true;
      stop();
      cancelAnimationFrame(frame);
      clearTimeout(longest);
    };
  }, [screen, queries]);
  return known?.screen === screen ? known.hasRead : null;
};
