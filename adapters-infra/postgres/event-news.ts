import { randomUUID } from "node:crypto";
import type { Connections } from "./connections.ts";

/** Minimum gap between two notifications to other services. */
const gapMs = 50;

/**
 * Signals that the event stream may have new events, without their contents. A signal is lost when the process dies.
 */
export interface EventNews {
  /** Signals after a commit: to listeners of this process at once, to other services by a notification. */
  announce(): void;
  /** Returns a function that ends the listening. */
  listen(onNews: () => void): () => void;
  /** Identifies notifications of this process, so that it ignores its own. */
  readonly sender: string;
  end(): void;
}

/**
 * The notification is not part of the transaction that it announces: PostgreSQL commits notifying transactions one
 * after the other, which would slow down every write. Many transactions share one notification.
 */
export const eventNews = (connections: Pick<Connections, "onShared">): EventNews => {
  const sender = randomUUID();
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;
  let ended = false;

  const send = (): void => {
    isDue = false;
    timer = setTimeout(() => {
      timer = null;
      if (isDue) send();
    }, gapMs).unref();
    // Followers also poll, so a lost notification is harmless.
    connections.onShared(async (sql) => await sql.notify("boardroom_events", sender)).catch(() => {});
  };
  return {
    announce: () => {
      for (const each of listeners) each();
      isDue = true;
      if (timer === null && !ended) send();
    },
    listen: (onNews) => {
      // The same function may listen twice.
      const listener = () => onNews();
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    sender,
    end: () => {
      ended = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};
