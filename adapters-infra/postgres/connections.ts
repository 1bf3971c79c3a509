import { setTimeout as sleep } from "node:timers/promises";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import type { Sql } from "postgres";
import { within } from "./answers.ts";
import { closeOwnConnection, isUsable, type OwnConnection, openOwnConnection } from "./own-connection.ts";
import { sharedConnection } from "./shared-connection.ts";

/** How long a connection that nobody needs stays open. */
const idleMs = 60_000;

/** The connections for transactions and reads: as many as the pool may have, and a shared one for look-ups. */
export interface Connections {
  /** Waits for a free connection, first come, first served, and has it alone. */
  withOwn<A, E>(work: (connection: OwnConnection) => Effect.Effect<A, E>): Effect.Effect<A, E>;
  /**
   * Sends on one connection that all share: what many send in one turn leaves in one packet, which is most of what a
   * small statement costs. Only for statements that wait for no lock; what is sent behind a slow one waits for it.
   */
  onShared<A>(statement: (sql: Sql) => Promise<A>): Promise<A>;
  /** Closes them when they are free, at the latest after the time given. */
  end(withinMs: number): Promise<void>;
}

/**
 * Not Effect's `Pool`: its end waits for borrowers without a bound, and turns away those who come during it, while a
 * service that stops has to finish its runs with a database that may have stopped answering.
 */
export const connectionsOf = (pool: Sql): Connections => {
  const permits = Semaphore.makeUnsafe(pool.options.max);
  /** The longest idle come first: what is given back goes to the end and is taken from there. */
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
    if (ended || !isUsable(connection)) close(connection);
    else free.push(connection);
  };
  const shared = sharedConnection(pool, close);
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
    end: async (withinMs) => {
      ended = true;
      clearInterval(sweep);
      const deadline = performance.now() + withinMs;
      while (inUse.size > 0 && performance.now() < deadline) await sleep(10);
      for (const connection of [...free.splice(0), ...inUse]) close(connection);
      shared.end();
      // Those given up before, too: their database may be gone when this returns.
      await within(Promise.all(closing), Math.max(0, deadline - performance.now()));
    },
  };
};
