import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { EntityType } from "../../../core/activity/activity-entry.ts";
import { BoardroomError, ServiceSilent } from "../../library/client-error.ts";
import { isBelowAny, readAgain } from "./calls.ts";
import { client } from "./client.ts";
import { noteOpened } from "./opened.ts";
import { afterWrites, readAfterWriteOf } from "./own-writes.ts";
import { type Session, sessionKey } from "./session.ts";
import { keysTouchedByEvent, keysTouchedByRunEvent } from "./touched.ts";

/** live: news arrives. lost: it does not, and the page tries again. idle: nothing to follow. */
export type LiveState = "idle" | "opening" | "live" | "lost";

export interface LiveEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The data of `activity.logged`, as far as the page reads it. */
interface LoggedActivity {
  readonly action: string;
  readonly actorId: string | null;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly details: unknown;
  readonly createdAt: string;
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

/** The run that is shown: pieces of all other logs stay where they are. */
let shownRunId: string | null = null;
const show = (runId: string | null): void => {
  if (shownRunId === runId) return;
  shownRunId = runId;
  // The next connection continues after the last event of this one, so that none is missed.
  connection?.abort();
};
let connection: AbortController | null = null;

/** Follows the log and the events of a run while the component is there, for it and those below it. null: of no run. */
export const useShownRun = (runId: string | null): void => {
  useEffect(() => {
    if (runId === null) return;
    show(runId);
    return () => show(null);
  }, [runId]);
};

/**
 * Hears the pieces of the shown run's log while the component is there, and `stream.opened` where some may have been
 * missed. What is read after this effect and what is heard leave no gap between them. null: of no run.
 */
export const useRunLog = (runId: string | null, listener: (event: LiveEvent) => void): void => {
  useEffect(() => {
    if (runId === null) return;
    const hear = (event: LiveEvent) => {
      const isOfLog = event.event === "heartbeat.run.log" && event.data.runId === runId;
      if (event.event === "stream.opened" || isOfLog) listener(event);
    };
    listeners.add(hear);
    return () => void listeners.delete(hear);
  }, [runId, listener]);
};

/** A hidden page closes its stream after this long: a browser has six connections for all of its tabs. */
const hiddenMs = 15_000;
const longestPauseMs = 15_000;
/** A clock that jumps further than this between two checks: the machine slept, and its connections may be gone. */
const pollMs = 5_000;
const jumpMs = 15_000;

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** The events that the page follows; pieces of logs only of the run that is shown. */
const eventsFor = (runId: string | null) =>
  runId === null
    ? { types: ["activity.logged" as const] }
    : {
        types: ["activity.logged" as const, "heartbeat.run.event" as const, "heartbeat.run.log" as const],
        logOfRunId: runId,
      };

interface Touched {
  readonly prefixes: readonly string[];
  /** The calls that were read again since. */
  readonly except: readonly string[];
}

/** Reads lists again that events touch; many events at once, as of a run that begins, read each list again once. */
const rereading = (queries: QueryClient) => {
  let pending: Touched[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  return {
    touch: (touched: Touched): void => {
      pending.push(touched);
      flushing ??= setTimeout(() => {
        flushing = undefined;
        const all = pending;
        pending = [];
        readAgain(queries, ({ queryKey }) =>
          all.some(({ prefixes, except }) => isBelowAny(queryKey, prefixes) && !isBelowAny(queryKey, except)),
        );
      }, 60);
    },
    stop: (): void => clearTimeout(flushing),
  };
};

/**
 * Reads on connections that are gone would wait for many minutes, and take the connections that a browser may have:
 * they are made again.
 */
const readStuckAgain = (queries: QueryClient): void => {
  const stuck = queries.getQueryCache().findAll({ fetchStatus: "fetching" });
  void queries.cancelQueries({ fetchStatus: "fetching" }).then(() => {
    for (const { queryKey } of stuck) void queries.refetchQueries({ queryKey, exact: true });
  });
};

interface PageSignals {
  readonly onShown: () => void;
  /** It is hidden for long. */
  readonly onHidden: () => void;
  /** Connections may be gone without a word. */
  readonly onMaybeLost: () => void;
}

/** Tells what the browser and the clock say of the page, until it is stopped. */
const watchPage = ({ onShown, onHidden, onMaybeLost }: PageSignals): (() => void) => {
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    if (document.visibilityState === "visible") {
      clearTimeout(hiding);
      hiding = undefined;
      onShown();
    } else hiding ??= setTimeout(onHidden, hiddenMs);
  };
  check();
  document.addEventListener("visibilitychange", check);
  window.addEventListener("online", onMaybeLost);
  let checkedAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - checkedAt > jumpMs) onMaybeLost();
    checkedAt = Date.now();
  }, pollMs);
  return () => {
    document.removeEventListener("visibilitychange", check);
    window.removeEventListener("online", onMaybeLost);
    clearInterval(timer);
    clearTimeout(hiding);
  };
};

/** Follows all companies of the person while the page can be seen, and reads again what events touch. */
export const useLiveStream = (): void => {
  const queries = useQueryClient();
  useEffect(() => {
    let lastEventId: string | undefined;
    let wasLost = false;
    let following: AbortController | null = null;
    const { touch, stop } = rereading(queries);
    const hearActivity = (logged: LoggedActivity) => {
      const { actorId, entityType } = logged;
      const isAboutInteraction = logged.action.startsWith("issue.interaction_");
      const prefixes = keysTouchedByEvent(isAboutInteraction ? "interaction" : entityType);
      const self = queries.getQueryData<Session | null>(sessionKey);
      // Another actor's events are always news.
      if (actorId === null || actorId !== self?.userId) touch({ prefixes, except: [] });
      else afterWrites(() => touch({ prefixes, except: readAfterWriteOf(logged) }));
    };
    const hear = ({ id, event, data }: { id: string; event: string; data: unknown }) => {
      const isFirst = lastEventId === undefined;
      lastEventId = id;
      if (event === "stream.opened") {
        const wasReadBefore = noteOpened();
        // Without a last event the server cannot send what happened meanwhile.
        if (!isFirst || wasLost || wasReadBefore) readAgain(queries);
      }
      if (event === "activity.logged") hearActivity(data as LoggedActivity);
      if (event === "heartbeat.run.event" && (data as LiveEvent["data"]).runId === shownRunId)
        touch({ prefixes: keysTouchedByRunEvent, except: [] });
      for (const each of listeners) each({ event, data: data as LiveEvent["data"] });
    };
    const follow = async (signal: AbortSignal) => {
      let pauseMs = 500;
      while (!signal.aborted) {
        const current = new AbortController();
        connection = current;
        const end = () => current.abort();
        signal.addEventListener("abort", end);
        const onOpen = () => {
          setState("live");
          if (wasLost) void queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
        };
        const options = { signal: current.signal, lastEventId, onOpen };
        try {
          for await (const event of client.system.allEvents(eventsFor(shownRunId), options)) {
            pauseMs = 500;
            hear(event);
          }
        } catch (error) {
          if (signal.aborted) return;
          if (current.signal.aborted) continue;
          const gone = error instanceof BoardroomError && [401, 403, 404].includes(error.status);
          if (gone) return setState("lost");
          if (error instanceof BoardroomError && error.retryAfterSec !== null)
            pauseMs = Math.max(pauseMs, error.retryAfterSec * 1000);
          wasLost = true;
          if (error instanceof ServiceSilent) readStuckAgain(queries);
          setState("lost");
        } finally {
          signal.removeEventListener("abort", end);
        }
        // Without a failure it is the service that begins anew, as when the person gains a company.
        if (signal.aborted) return;
        await sleep(pauseMs * (0.75 + Math.random() / 2), signal);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    };
    const end = () => {
      following?.abort();
      following = null;
    };
    const unwatch = watchPage({
      onShown: () => {
        if (following !== null) return;
        following = new AbortController();
        setState("opening");
        void follow(following.signal);
      },
      onHidden: end,
      // Another connection, in place of one that may be gone; it continues after the last event.
      onMaybeLost: () => {
        readStuckAgain(queries);
        connection?.abort();
      },
    });
    return () => {
      unwatch();
      stop();
      end();
      setState("idle");
    };
  }, [queries]);
};
