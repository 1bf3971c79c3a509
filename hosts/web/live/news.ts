import type { QueryClient } from "@tanstack/react-query";
import type { EntityType } from "../../../core/model/activity/activity-entry.ts";
import { readAfterWriteOf, readAgain } from "./calls.ts";
import type { HeardEvent, LiveEvent, LiveState, LiveTab } from "./live-event.ts";
import { recordOpened } from "./opened.ts";
import { readStuckAgain, rereading } from "./rereading.ts";
import { type Session, sessionKey } from "./session.ts";
import type { Message } from "./tab-channel.ts";
import { keysTouchedByEvent, keysTouchedByRunEvent } from "./touched.ts";

/** The data of `activity.logged`, as far as the page reads it. */
interface LoggedActivity {
  readonly action: string;
  readonly actorId: string | null;
  readonly entityType: EntityType;
  readonly requestId: string | null;
}

/** The news of this tab, which it or another one follows: the last event, and whether anything may have been missed. */
export class News {
  lastEventId: string | undefined;
  #wasLost = false;
  /** Whether nothing of the shown run's log was missed since it was shown. */
  #isLogHeard = false;
  readonly #live: LiveTab;
  readonly #queries: QueryClient;
  readonly #rereading: ReturnType<typeof rereading>;

  constructor(live: LiveTab, queries: QueryClient) {
    this.#live = live;
    this.#queries = queries;
    this.#rereading = rereading(queries);
  }

  take({ id, event, data }: HeardEvent): void {
    const isFirst = this.lastEventId === undefined;
    this.lastEventId = id;
    if (event === "stream.opened") {
      const wasReadBefore = recordOpened();
      // Without a last event the server cannot send what happened meanwhile.
      if (!isFirst || this.#wasLost || wasReadBefore) readAgain(this.#queries);
    }
    this.#touch({ event, data });
    this.#live.hear({ event, data });
  }

  /** Takes the news of the tab that follows. */
  takeFrom(message: Extract<Message, { readonly kind: "event" | "logs" | "state" }>): void {
    if (message.kind === "event") this.take(message.event);
    else if (message.kind === "logs") this.hearLogsOf(message.runIds);
    else {
      this.lastEventId ??= message.lastEventId;
      this.enter(message.state);
    }
  }

  enter(next: LiveState): void {
    if (next === "live" && this.#live.state === "lost") {
      // Those sent meanwhile may wait on a connection that is gone.
      readStuckAgain(this.#queries);
      void this.#queries.refetchQueries({ predicate: ({ state }) => state.status === "error" });
    }
    if (next === "live" && this.lastEventId !== undefined && recordOpened()) readAgain(this.#queries);
    if (next === "lost") this.#wasLost = true;
    this.#live.enter(next);
  }

  hearLogsOf(runIds: readonly string[]): void {
    const { shownRunId } = this.#live;
    const isIn = shownRunId !== null && runIds.includes(shownRunId);
    // Pieces may have come between the first read and this connection.
    if (isIn && !this.#isLogHeard) this.#live.hear({ event: "stream.opened", data: {} });
    this.#isLogHeard = isIn;
  }

  /** The shown run is another one, or may have been heard in part. */
  beginLog(isHeard: boolean): void {
    this.#isLogHeard = isHeard;
  }

  stop(): void {
    this.#rereading.stop();
  }

  /** Reads again what an event touches. */
  #touch({ event, data }: LiveEvent): void {
    if (event === "heartbeat.run.event" && data.runId === this.#live.shownRunId)
      this.#rereading.touch({ prefixes: keysTouchedByRunEvent, except: [] });
    if (event !== "activity.logged") return;
    const { action, actorId, entityType, requestId } = data as unknown as LoggedActivity;
    const self = this.#queries.getQueryData<Session | null>(sessionKey);
    this.#rereading.touch({
      prefixes: keysTouchedByEvent(action.startsWith("issue.interaction_") ? "interaction" : entityType),
      // Another actor's events are always news.
      except: actorId !== null && actorId === self?.userId ? readAfterWriteOf(requestId) : [],
    });
  }
}
