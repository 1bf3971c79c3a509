import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** A slow read is not waited for any longer. */
const longestMs = 2_000;

const isWaiting = (queries: QueryClient): boolean =>
  queries.getQueryCache().findAll({
    fetchStatus: "fetching",
    predicate: ({ state }) => state.status === "pending",
  }).length > 0;

/**
 * Whether what the parts of a screen read at first has come: shown together, none of them moves another. What was seen
 * before is there at once.
 */
export const useFirstReads = (screen: string): boolean => {
  const queries = useQueryClient();
  const [readScreen, setReadScreen] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    const finish = () => {
      if (!isOver) setReadScreen(screen);
    };
    let frame = 0;
    // After the effects of the screen around this component, which begin its reads.
    queueMicrotask(() => {
      if (!isWaiting(queries)) finish();
    });
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
  return readScreen === screen;
};
