import { randomUUID } from "node:crypto";
import type { Sql } from "postgres";

/** Other services are told at most this often. */
const gapMs = 50;

/** Word that there may be something new in the stream of events: never what, and lost where the process dies. */
export interface EventNews {
  /** Says so, after the commit: to listeners of this process at once, to other services by a notification. */
  note(): void;
  /** Answers with what ends the listening. */
  listen(onNews: () => void): () => void;
  /** What notifications of this process carry, so that it does not hear itself. */
  readonly sender: string;
  end(): void;
}

/**
 * The notification is no part of the transaction that it tells of: transactions that notify are committed one after the
 * other, which would cost every write more than followers are worth. Many of them share one.
 */
export const eventNews = (pool: Sql): EventNews => {
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
    // Followers look by themselves, too, where they are told nothing.
    pool.notify("boardroom_events", sender).catch(() => {});
  };
  return {
    note: () => {
      for (const each of listeners) each();
      isDue = true;
      if (timer === null && !ended) send();
    },
    listen: (onNews) => {
      // Two who listen with one function are two.
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
