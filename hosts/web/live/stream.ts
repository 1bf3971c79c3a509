import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { EntityType } from "../../../core/model/activity/activity-entry.ts";
import { BoardroomError, ServiceSilent } from "../../library/client-error.ts";
import { readAgain } from "./calls.ts";
import { baseUrl, client } from "./client.ts";
import type { HeardEvent, LiveEvent, LiveState } from "./live-event.ts";
import { takeTurns } from "./one-follower.ts";
import { noteOpened } from "./opened.ts";
import { afterWrites, readAfterWriteOf } from "./own-writes.ts";
import { readStuckAgain, rereading } from "./rereading.ts";
import { type Session, sessionKey } from "./session.ts";
import { type Message, tabChannel } from "./tab-channel.ts";
import { keysTouchedByEvent, keysTouchedByRunEvent } from "./touched.ts";

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

let isFollowing = false;
/** Whether this tab follows for all tabs of the browser. */
export const followsForAll = (): boolean => isFollowing;

let connectNow: () => void = () => {};
/** Connects without waiting for the next attempt. */
export const tryNow = (): void => connectNow();

const listeners = new Set<(event: LiveEvent) => void>();

/** The run that is shown: pieces of all other logs stay where they are. */
let shownRunId: string | null = null;
/** In place of a run: the lengths of the logs of all runs are followed, without their text. */
const everyRun = "every";
let onShownRun: () => void = () => {};
const show = (runId: string | null): void => {
  if (shownRunId === runId) return;
  shownRunId = runId;
  onShownRun();
};

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

/** Hears how long the logs of runs are now while the component is there; pieces that were missed are not made up for. */
export const useRunOutput = (listener: (runId: string, logBytes: number) => void): void => {
  useShownRun(everyRun);
  useEffect(() => {
    const hear = ({ event, data }: LiveEvent) => {
      if (event === "heartbeat.run.output") listener(String(data.runId), Number(data.logBytes));
    };
    listeners.add(hear);
    return () => void listeners.delete(hear);
  }, [listener]);
};

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

/** The events that the page follows; pieces of logs only of the runs that are shown. */
const eventsFor = (shown: readonly string[]) => {
  const logOfRunId = shown.filter((runId) => runId !== everyRun);
  const output = shown.includes(everyRun) ? ["heartbeat.run.output" as const] : [];
  return logOfRunId.length === 0
    ? { types: ["activity.logged" as const, ...output] }
    : {
        types: [
          "activity.logged" as const,
          "heartbeat.run.event" as const,
          "heartbeat.run.log" as const,
          ...output,
        ],
        logOfRunId,
      };
};

interface PageSignals {
  /** Connections may be gone without a word. */
  readonly onMaybeLost: () => void;
  readonly onVisibility: () => void;
  readonly onLeave: () => void;
}

/** Reports the signals of the browser and the clock, until it is stopped. */
const watchPage = ({ onMaybeLost, onVisibility, onLeave }: PageSignals): (() => void) => {
  const watched = [
    [window, "online", onMaybeLost],
    [window, "offline", onMaybeLost],
    [window, "pagehide", onLeave],
    [document, "visibilitychange", onVisibility],
  ] as const;
  for (const [target, event, listener] of watched) target.addEventListener(event, listener);
  let checkedAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - checkedAt > jumpMs) onMaybeLost();
    checkedAt = Date.now();
  }, pollMs);
  return () => {
    for (const [target, event, listener] of watched) target.removeEventListener(event, listener);
    clearInterval(timer);
    onLeave();
  };
};

/** Reads again what an event touches. */
const hearing = (queries: QueryClient) => {
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
  const hear = ({ event, data }: LiveEvent) => {
    if (event === "activity.logged") hearActivity(data as unknown as LoggedActivity);
    if (event === "heartbeat.run.event" && data.runId === shownRunId)
      touch({ prefixes: keysTouchedByRunEvent, except: [] });
    for (const each of listeners) each({ event, data });
  };
  return { hear, stop };
};

interface Following {
  /** A connection begins: the runs whose logs it brings, and the event after which. */
  readonly next: (connection: AbortController) => {
    readonly runIds: readonly string[];
    readonly lastEventId: string | undefined;
  };
  readonly onOpen: (runIds: readonly string[]) => void;
  readonly onEvent: (event: HeardEvent) => void;
  readonly onLost: () => void;
  /** The connection was silent: others of before may be gone, too. */
  readonly onSilent: () => void;
}

/** Follows the stream, connection after connection, until the signal. An aborted connection is replaced at once. */
const followStream = async (
  signal: AbortSignal,
  { next, onOpen, onEvent, onLost, onSilent }: Following,
): Promise<void> => {
  let pauseMs = 500;
  while (!signal.aborted) {
    const current = new AbortController();
    const { runIds, lastEventId } = next(current);
    const end = () => current.abort();
    signal.addEventListener("abort", end);
    const options = { signal: current.signal, lastEventId, onOpen: () => onOpen(runIds) };
    try {
      for await (const event of client.system.allEvents(eventsFor(runIds), options)) {
        pauseMs = 500;
        onEvent(event as HeardEvent);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (current.signal.aborted) continue;
      const gone = error instanceof BoardroomError && [401, 403, 404].includes(error.status);
      if (gone) return onLost();
      if (error instanceof BoardroomError && error.retryAfterSec !== null)
        pauseMs = Math.max(pauseMs, error.retryAfterSec * 1000);
      if (error instanceof ServiceSilent) {
        onSilent();
        // The browser has other connections of before, each of which it may try.
        pauseMs = 500;
      }
      onLost();
    } finally {
      signal.removeEventListener("abort", end);
    }
    // Without a failure it is the service that begins anew, as when the person gains a company.
    if (signal.aborted) return;
    await sleep(pauseMs * (0.75 + Math.random() / 2), AbortSignal.any([signal, current.signal]));
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
};

/** The news of this tab, which it or another one follows: the last event, and whether anything may have been missed. */
const newsOf = (queries: QueryClient) => {
  const { hear, stop } = hearing(queries);
  let lastEventId: string | undefined;
  let wasLost = false;
  /** Whether nothing of the shown run's log was missed since it was shown. */
  let isLogHeard = false;
  const take = ({ id, event, data }: HeardEvent) => {
    const isFirst = lastEventId === undefined;
    lastEventId = id;
    if (event === "stream.opened") {
      const wasReadBefore = noteOpened();
      // Without a last event the server cannot send what happened meanwhile.
      if (!isFirst || wasLost || wasReadBefore) readAgain(queries);
    }
    hear({ event, data });
  };
  const enter = (next: LiveState) => {
    if (next === "live" && state === "lost") {
      // Those sent meanwhile may wait on a connection that is gone.
      readStuckAgain(queries);
      void queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
    }
    if (next === "live" && lastEventId !== undefined && noteOpened()) readAgain(queries);
    if (next === "lost") wasLost = true;
    setState(next);
  };
  const hearLogsOf = (runIds: readonly string[]) => {
    const isIn = shownRunId !== null && runIds.includes(shownRunId);
    // Pieces may have come between the first read and this connection.
    if (isIn && !isLogHeard) for (const each of listeners) each({ event: "stream.opened", data: {} });
    isLogHeard = isIn;
  };
  return {
    take,
    enter,
    hearLogsOf,
    stop,
    lastEventId: () => lastEventId,
    /** Takes the news of the tab that follows. */
    takeFrom: (message: Extract<Message, { readonly kind: "event" | "logs" | "state" }>) => {
      if (message.kind === "event") take(message.event);
      else if (message.kind === "logs") hearLogsOf(message.runIds);
      else {
        lastEventId ??= message.lastEventId;
        enter(message.state);
      }
    },
    /** The shown run is another one, or may have been heard in part. */
    beginLog: (isHeard: boolean) => {
      isLogHeard = isHeard;
    },
  };
};

/** Follows all companies of the person, by one stream for all tabs of the browser, and reads again what events touch. */
const followFor = (queries: QueryClient, userId: string): (() => void) => {
  const name = `boardroom ${baseUrl} ${userId}`;
  const tab = crypto.getRandomValues(new Uint32Array(2)).join();
  const news = newsOf(queries);
  let connection: AbortController | null = null;
  /** The runs that other tabs show. */
  const shownElsewhere = new Map<string, string>();

  const others = tabChannel(name, (message) => {
    if (message.kind === "asks") {
      if (isFollowing) others.post({ kind: "state", state, lastEventId: news.lastEventId() });
      tellShown();
    } else if (message.kind === "shows") {
      const { runId } = message;
      if ((shownElsewhere.get(message.tab) ?? null) === runId) return;
      if (runId === null) shownElsewhere.delete(message.tab);
      else shownElsewhere.set(message.tab, runId);
      connection?.abort();
    } else if (!isFollowing) news.takeFrom(message);
  });
  const tell = (message: Message) => {
    if (isFollowing) others.post(message);
  };
  const enterForAll = (next: LiveState) => {
    news.enter(next);
    tell({ kind: "state", state: next, lastEventId: news.lastEventId() });
  };
  /** Only what can be seen is followed. */
  const tellShown = () => {
    const runId = document.visibilityState === "visible" ? shownRunId : null;
    others.post({ kind: "shows", tab, runId });
  };

  const following: Following = {
    next: (current) => {
      connection = current;
      const own = shownRunId === null ? [] : [shownRunId];
      return {
        runIds: [...new Set([...own, ...shownElsewhere.values()])],
        lastEventId: news.lastEventId(),
      };
    },
    onOpen: (runIds) => {
      enterForAll("live");
      news.hearLogsOf(runIds);
      tell({ kind: "logs", runIds });
    },
    onEvent: (event) => {
      tell({ kind: "event", event });
      news.take(event);
    },
    onLost: () => enterForAll("lost"),
    onSilent: () => readStuckAgain(queries),
  };

  const turns = takeTurns(name, (over) => {
    isFollowing = true;
    over.addEventListener("abort", () => {
      isFollowing = false;
      connection = null;
    });
    if (state === "idle") setState("opening");
    shownElsewhere.clear();
    others.post({ kind: "asks" });
    void followStream(over, following);
  });
  if (!isFollowing) others.post({ kind: "asks" });
  /** Another connection, in place of one that may be gone; it continues after the last event. */
  const connectAgain = () => {
    readStuckAgain(queries);
    connection?.abort();
  };
  connectNow = () => {
    turns.take();
    connectAgain();
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
  };
  onShownRun = () => {
    tellShown();
    // The next connection continues after the last event of this one, so that none is missed.
    news.beginLog(isFollowing);
    connection?.abort();
  };
  const unwatch = watchPage({
    onMaybeLost: connectAgain,
    onVisibility: () => {
      if (document.visibilityState === "hidden" && !isFollowing) news.beginLog(false);
      tellShown();
    },
    onLeave: () => others.post({ kind: "shows", tab, runId: null }),
  });
  return () => {
    unwatch();
    news.stop();
    turns.stop();
    others.close();
    [connectNow, onShownRun] = [() => {}, () => {}];
    setState("idle");
  };
};

/** Follows what happens while the component is there. */
export const useLiveStream = (userId: string): void => {
  const queries = useQueryClient();
  useEffect(() => followFor(queries, userId), [queries, userId]);
};
