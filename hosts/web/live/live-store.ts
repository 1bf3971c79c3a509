import type { QueryClient } from "@tanstack/react-query";
import type { LiveEvent, LiveState, LiveTab } from "./live-event.ts";
import { TabStream } from "./tab-stream.ts";

/** How news reaches this tab, and what of it is shown. The page has one. */
class LiveStore implements LiveTab {
  state: LiveState = "idle";
  /** Whether the person has tried to connect since the connection was lost. */
  hasTried = false;
  /** The run that is shown: pieces of all other logs stay where they are. */
  shownRunId: string | null = null;
  #stream: TabStream | null = null;
  readonly #onState = new Set<() => void>();
  readonly #onEvent = new Set<(event: LiveEvent) => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#onState.add(listener);
    return () => this.#onState.delete(listener);
  };

  enter(next: LiveState): void {
    if (this.state === next) return;
    this.state = next;
    if (next !== "lost") this.hasTried = false;
    this.#changed();
  }

  listen(listener: (event: LiveEvent) => void): () => void {
    this.#onEvent.add(listener);
    return () => void this.#onEvent.delete(listener);
  }

  hear(event: LiveEvent): void {
    for (const each of this.#onEvent) each(event);
  }

  show(runId: string | null): void {
    if (this.shownRunId === runId) return;
    this.shownRunId = runId;
    this.#stream?.showRun();
  }

  /** Whether this tab follows the stream for all tabs of the browser. */
  followsForAll(): boolean {
    return this.#stream?.isFollowing ?? false;
  }

  /** Connects without waiting for the next attempt. */
  tryNow(): void {
    this.hasTried = this.state === "lost";
    this.#changed();
    this.#stream?.tryNow();
  }

  /** Follows all companies of the person until the returned function is called. */
  follow(queries: QueryClient, userId: string): () => void {
    const stream = new TabStream(this, queries, userId);
    this.#stream = stream;
    return () => {
      stream.stop();
      this.#stream = null;
      this.enter("idle");
    };
  }

  #changed(): void {
    for (const each of this.#onState) each();
  }
}

export const live = new LiveStore();
