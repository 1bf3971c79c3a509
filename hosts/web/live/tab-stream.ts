import type { QueryClient } from "@tanstack/react-query";
import { ServiceSilent } from "../../library/client-error.ts";
import { baseUrl, client } from "./client.ts";
import type { HeardEvent, LiveState, LiveTab } from "./live-event.ts";
import { News } from "./news.ts";
import { type Turns, takeTurns } from "./one-follower.ts";
import { readStuckAgain } from "./rereading.ts";
import { type Message, type TabChannel, tabChannel } from "./tab-channel.ts";

/** In place of a run: the lengths of the logs of all runs are followed, without their text. */
export const everyRun = "every";

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

/** This tab's part in the one stream that all tabs of the browser share: it follows for all, or hears the tab that does. */
export class TabStream {
  isFollowing = false;
  readonly #live: LiveTab;
  readonly #queries: QueryClient;
  readonly #tab = crypto.getRandomValues(new Uint32Array(2)).join();
  readonly #news: News;
  readonly #others: TabChannel;
  readonly #turns: Turns;
  readonly #unwatch: () => void;
  #connection: AbortController | null = null;
  /** The runs that other tabs show. */
  readonly #shownElsewhere = new Map<string, string>();

  constructor(live: LiveTab, queries: QueryClient, userId: string) {
    this.#live = live;
    this.#queries = queries;
    const name = `boardroom ${baseUrl} ${userId}`;
    this.#news = new News(live, queries);
    this.#others = tabChannel(name, (message) => this.#hear(message));
    this.#turns = takeTurns(name, (over) => this.#lead(over));
    if (!this.isFollowing) this.#others.post({ kind: "asks" });
    this.#unwatch = watchPage({
      onMaybeLost: () => this.#connectAgain(),
      onVisibility: () => {
        if (document.visibilityState === "hidden" && !this.isFollowing) this.#news.beginLog(false);
        this.#tellShown();
      },
      onLeave: () => this.#others.post({ kind: "shows", tab: this.#tab, runId: null }),
    });
  }

  stop(): void {
    this.#unwatch();
    this.#news.stop();
    this.#turns.stop();
    this.#others.close();
  }

  tryNow(): void {
    this.#turns.take();
    this.#connectAgain();
    void this.#queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
  }

  /** The shown run is another one. */
  showRun(): void {
    this.#tellShown();
    // The next connection continues after the last event of this one, so that none is missed.
    this.#news.beginLog(this.isFollowing);
    this.#connection?.abort();
  }

  /** Another connection, in place of one that may be gone; it continues after the last event. */
  #connectAgain(): void {
    readStuckAgain(this.#queries);
    this.#connection?.abort();
  }

  #hear(message: Message): void {
    if (message.kind === "asks") {
      this.#tellState();
      this.#tellShown();
    } else if (message.kind === "shows") {
      const { tab, runId } = message;
      if ((this.#shownElsewhere.get(tab) ?? null) === runId) return;
      if (runId === null) this.#shownElsewhere.delete(tab);
      else this.#shownElsewhere.set(tab, runId);
      this.#connection?.abort();
    } else if (!this.isFollowing) this.#news.takeFrom(message);
  }

  /** Only what can be seen is followed. */
  #tellShown(): void {
    const runId = document.visibilityState === "visible" ? this.#live.shownRunId : null;
    this.#others.post({ kind: "shows", tab: this.#tab, runId });
  }

  #tellState(): void {
    this.#tell({ kind: "state", state: this.#live.state, lastEventId: this.#news.lastEventId });
  }

  /** It is this tab's turn, until the signal. */
  #lead(over: AbortSignal): void {
    this.isFollowing = true;
    over.addEventListener("abort", () => {
      this.isFollowing = false;
      this.#connection = null;
    });
    if (this.#live.state === "idle") this.#live.enter("opening");
    this.#shownElsewhere.clear();
    this.#others.post({ kind: "asks" });
    void this.#follow(over);
  }

  /** Follows the stream until the signal. An aborted connection is replaced at once, by one that brings the logs shown then. */
  async #follow(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const connection = new AbortController();
      this.#connection = connection;
      const { shownRunId } = this.#live;
      const runIds = [
        ...new Set([...(shownRunId === null ? [] : [shownRunId]), ...this.#shownElsewhere.values()]),
      ];
      try {
        const events = client.system.allEvents(eventsFor(runIds), {
          signal: AbortSignal.any([over, connection.signal]),
          lastEventId: this.#news.lastEventId,
          reconnect: true,
          onOpen: () => this.#onOpen(runIds),
          onLost: (error) => this.#onLost(error),
        });
        for await (const event of events) this.#onEvent(event as HeardEvent);
      } catch (error) {
        if (over.aborted || connection.signal.aborted) continue;
        return this.#onLost(error);
      }
    }
  }

  #onOpen(runIds: readonly string[]): void {
    this.#enterForAll("live");
    this.#news.hearLogsOf(runIds);
    this.#tell({ kind: "logs", runIds });
  }

  #onEvent(event: HeardEvent): void {
    this.#tell({ kind: "event", event });
    this.#news.take(event);
  }

  #onLost(error: unknown): void {
    // Where it was silent, others of before may be gone, too.
    if (error instanceof ServiceSilent) readStuckAgain(this.#queries);
    this.#enterForAll("lost");
  }

  #enterForAll(next: LiveState): void {
    this.#news.enter(next);
    this.#tellState();
  }

  #tell(message: Message): void {
    if (this.isFollowing) this.#others.post(message);
  }
}

interface PageSignals {
  /** Connections may be gone without a word. */
  readonly onMaybeLost: () => void;
  readonly onVisibility: () => void;
  readonly onLeave: () => void;
}

/** A clock that jumps further than this between two checks: the machine slept, and its connections may be gone. */
const jumpMs = 15_000;
const pollMs = 5_000;

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
