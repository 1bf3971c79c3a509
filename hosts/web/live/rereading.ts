import type { Query, QueryClient } from "@tanstack/react-query";
import type { CallName } from "./call-name.ts";
import { isBelowAny, readAgain } from "./calls.ts";

interface Touched {
  readonly prefixes: readonly string[];
  /** The calls that were read again since. */
  readonly except: readonly string[];
}

/** The call whose answer a hidden page shows, in its title. */
const shownHidden: CallName = "inbox.counts";

const shownDelayMs = 60;
const hiddenDelayMs = 1_000;

/**
 * Reads lists again that events touch; many events at once, as of a run that begins, read each list again once. A hidden page
 * does so when it is shown: a person may have twenty.
 */
export const rereading = (queries: QueryClient) => {
  let pending: Touched[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  const isHidden = () => document.visibilityState === "hidden";
  const flush = () => {
    flushing = undefined;
    const all = pending;
    pending = [];
    const isTouched = ({ queryKey }: Query) =>
      all.some(({ prefixes, except }) => isBelowAny(queryKey, prefixes) && !isBelowAny(queryKey, except));
    if (isHidden()) {
      void queries.invalidateQueries({ predicate: isTouched, refetchType: "none" });
      readAgain(queries, (query) => query.queryKey[0] === shownHidden && isTouched(query));
    } else readAgain(queries, isTouched);
  };
  const onShown = () => {
    if (!isHidden()) readAgain(queries, ({ state }) => state.isInvalidated);
  };
  document.addEventListener("visibilitychange", onShown);
  return {
    touch: (touched: Touched): void => {
      pending.push(touched);
      flushing ??= setTimeout(flush, isHidden() ? hiddenDelayMs : shownDelayMs);
    },
    stop: (): void => {
      document.removeEventListener("visibilitychange", onShown);
      clearTimeout(flushing);
    },
  };
};

/**
 * Reads on connections that are gone would wait for many minutes, and take the connections that a browser may have:
 * they are made again.
 */
export const readStuckAgain = (queries: QueryClient): void => {
  const stuck = queries.getQueryCache().findAll({ fetchStatus: "fetching" });
  void queries.cancelQueries({ fetchStatus: "fetching" }).then(() => {
    for (const { queryKey } of stuck) void queries.refetchQueries({ queryKey, exact: true });
  });
};
