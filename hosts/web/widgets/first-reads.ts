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
    const finish = () => setReadScreen(screen);
    let frame = 0;
    // After the effects of the screen around this component, which begin its reads.
    queueMicrotask(() => {
      if (!isWaiting(queries)) finish();
    });
    // An answer may show parts that read more: two frames later they have begun to.
    const check = () => {
      cancelAnimationFrame(frame);
      if (isWaiting(queries)) return;
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          if (!isWaiting(queries)) finish();
        });
      });
    };
    const stop = queries.getQueryCache().subscribe(check);
    const longest = setTimeout(finish, longestMs);
    return () => {
      stop();
      cancelAnimationFrame(frame);
      clearTimeout(longest);
    };
  }, [screen, queries]);
  return readScreen === screen;
};
