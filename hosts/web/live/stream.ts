import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { BoardroomError } from "../../library/client-error.ts";
import { invalidate } from "./calls.ts";
import { client } from "./client.ts";
import { keysTouchedByEvent } from "./touched.ts";

/** live: news arrives. lost: it does not, and the page tries again. idle: nothing to follow. */
export type LiveState = "idle" | "opening" | "live" | "lost";

export interface LiveEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let state: LiveState = "idle";
const stateListeners = new Set<() => void>();
const setState = (next: LiveState): void => {
  if (state === next) return;
  state = next;
  for (const each of stateListeners) each();
};
const subscribe = (listener: () => void) => {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
};

/** How the connection that news comes by stands. */
export const useLiveState = (): LiveState => useSyncExternalStore(subscribe, () => state);

const listeners = new Set<(event: LiveEvent) => void>();

/** Hears every event of the company shown, such as pieces of a run's log, while the component is there. */
export const useLiveEvents = (listener: (event: LiveEvent) => void): void => {
  useEffect(() => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [listener]);
};

/** A hidden page closes its stream after this long: a browser has six connections for all of its tabs. */
const hiddenMs = 15_000;
const longestPauseMs = 15_000;
/** A connection that opens says nothing for this long before it counts as open. */
const openingMs = 400;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Follows a company while the page can be seen, and reads again what events touch. */
export const useLiveStream = (companyId: string | null): void => {
  const queries = useQueryClient();
  useEffect(() => {
    if (companyId === null) return setState("idle");
    let lastEventId: string | undefined;
    let following: AbortController | null = null;
    let hiding: ReturnType<typeof setTimeout> | undefined;
    const pending = new Set<string>();
    let flushing: ReturnType<typeof setTimeout> | undefined;
    /** Many events at once, as of a run that begins, read each list again once. */
    const touch = (prefixes: readonly string[]) => {
      for (const prefix of prefixes) pending.add(prefix);
      flushing ??= setTimeout(() => {
        flushing = undefined;
        for (const prefix of pending) invalidate(queries, prefix);
        pending.clear();
      }, 60);
    };
    const hear = ({ id, event, data }: { id: string; event: string; data: unknown }) => {
      lastEventId = id;
      const fields = data as Readonly<Record<string, unknown>>;
      if (event === "activity.logged") touch(keysTouchedByEvent(String(fields.entityType)));
      for (const each of listeners) each({ event, data: fields });
    };
    const follow = async (signal: AbortSignal) => {
      for (
        let pauseMs = 500, wasLost = false;
        !signal.aborted;
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      ) {
        const opened = setTimeout(() => {
          setState("live");
          // Without an event to go on after, what happened meanwhile is not told.
          if (wasLost && lastEventId === undefined) void queries.invalidateQueries();
          wasLost = false;
        }, openingMs);
        try {
          for await (const event of client.system.events({ companyId }, { signal, lastEventId })) {
            setState("live");
            pauseMs = 500;
            hear(event);
          }
        } catch (error) {
          if (signal.aborted) return;
          const gone = error instanceof BoardroomError && [401, 403, 404].includes(error.status);
          if (gone) return setState("lost");
          if (error instanceof BoardroomError && error.retryAfterSec !== null)
            pauseMs = Math.max(pauseMs, error.retryAfterSec * 1000);
        } finally {
          clearTimeout(opened);
        }
        if (signal.aborted) return;
        wasLost = true;
        setState("lost");
        await sleep(pauseMs * (0.75 + Math.random() / 2), signal);
      }
    };
    const begin = () => {
      clearTimeout(hiding);
      hiding = undefined;
      if (following !== null) return;
      following = new AbortController();
      setState("opening");
      void follow(following.signal);
    };
    const end = () => {
      following?.abort();
      following = null;
    };
    const look = () => {
      if (document.visibilityState === "visible") begin();
      else hiding ??= setTimeout(end, hiddenMs);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      clearTimeout(hiding);
      clearTimeout(flushing);
      end();
      setState("idle");
    };
  }, [companyId, queries]);
};
