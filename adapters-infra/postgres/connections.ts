import { setTimeout as sleep } from "node:timers/promises";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { Sql } from "postgres";
import { within } from "./answers.ts";
import {
  closeOwnConnection,
  expire,
  isUsable,
  type OwnConnection,
  openOwnConnection,
} from "./own-connection.ts";
import { sharedConnection } from "./shared-connection.ts";

/** How long an idle connection stays open. */
const idleMs = 60_000;

/** The connections for transactions and reads, and a shared one for look-ups: together at most the pool's maximum. */
export interface Connections {
  /** Waits for a free connection in order of arrival and uses it exclusively. */
  withOwn<A, E>(work: (connection: OwnConnection) => Effect.Effect<A, E>): Effect.Effect<A, E>;
  /**
   * Sends on one shared connection: statements of one turn leave in one packet, which saves most of the cost of a small
   * statement. Use it only for statements that wait for no lock; a slow one delays those behind it.
   */
  onShared<A>(statement: (sql: Sql) => Promise<A>): Promise<A>;
  /** Uses each connection that is open now for nothing new. */
  renew(): void;
  /** Closes connections as they become free, at the latest after the given time. */
  end(withinMs: number): Promise<void>;
}

/**
 * Effect's `Pool` does not fit: its end waits for borrowers without a bound and rejects new ones, while a stopping
 * service must finish its runs with a database that may not answer.
 */
export const connectionsOf = (pool: Sql): Connections => {
  // The other two of the maximum: the shared one, and the one that listens.
  const permits = Semaphore.makeUnsafe(Math.max(1, pool.options.max - 2));
  /** The longest idle come first: connections are returned to the end and taken from there. */
  const free: OwnConnection[] = [];
  const inUse = new Set<OwnConnection>();
  const closing = new Set<Promise<void>>();
  let ended = false;

  const close = (connection: OwnConnection): void => {
    const closed: Promise<void> = closeOwnConnection(connection).finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const take = (): OwnConnection => {
    let connection = free.pop();
    while (connection?.broken) {
      close(connection);
      connection = free.pop();
    }
    connection ??= openOwnConnection(pool);
    inUse.add(connection);
    return connection;
  };
  const giveBack = (connection: OwnConnection): void => {
    inUse.delete(connection);
    connection.onClose = null;
    connection.freeSince = performance.now();
    if (connection.isReadOnly) renew();
    if (ended || !isUsable(connection)) close(connection);
    else free.push(connection);
  };
  const renew = (): void => {
    for (const connection of free.splice(0)) close(connection);
    for (const connection of inUse) expire(connection);
    shared.renew();
  };
  const shared = sharedConnection(pool, close, () => renew());
  const sweep = setInterval(() => {
    const since = performance.now() - idleMs;
    while (free[0] !== undefined && (free[0].broken || free[0].freeSince < since)) close(free.shift()!);
    shared.closeIdle(since);
  }, idleMs / 4).unref();

  return {
    withOwn: (work) =>
      permits.withPermit(
        Effect.acquireUseRelease(Effect.sync(take), work, (connection) =>
          Effect.sync(() => giveBack(connection)),
        ),
      ),
    onShared: shared.send,
    renew,
    end: async (withinMs) => {
      ended = true;
      clearInterval(sweep);
      const deadline = performance.now() + withinMs;
      while (inUse.size > 0 && performance.now() < deadline) await sleep(10);
      for (const connection of [...free.splice(0), ...inUse]) close(connection);
      shared.end();
      // Includes connections discarded before: their database may be gone when this returns.
      await within(Promise.all(closing), Math.max(0, deadline - performance.now()));
    },
  };
};
