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
export const useSettled = (screen: string): boolean => {
  const queries = useQueryClient();
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const settle = () => setSettled(screen);
    let frame = 0;
    // After the effects of the screen around this component, which begin its reads.
    queueMicrotask(() => {
      if (!isWaiting(queries)) settle();
    });
    // An answer may show parts that read more: two frames later they have begun to.
    const look = () => {
      cancelAnimationFrame(frame);
      if (isWaiting(queries)) return;
      frame = requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          if (!isWaiting(queries)) settle();
        });
      });
    };
    const stop = queries.getQueryCache().subscribe(look);
    const longest = setTimeout(settle, longestMs);
    return () => {
      stop();
      cancelAnimationFrame(frame);
      clearTimeout(longest);
    };
  }, [screen, queries]);
  return settled === screen;
};
