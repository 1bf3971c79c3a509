import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import postgres, { type Sql } from "postgres";
import { within } from "./answers.ts";
import { connectionLost, isOfConnection } from "./database-failure.ts";

/** How long a connection that nobody needs stays open, and how long any does. */
const idleMs = 60_000;
const lifetimeMs = 30 * 60_000;
/** Lanes that were given up while they connected are closed by the client itself, long after ours would have been. */
const forgottenSec = 15 * 60;
/**
 * A lane that still connects may finish that first: the client asks the database about its types then, and where its
 * connection is destroyed meanwhile nobody is there for the failure, which would end the process.
 */
const closingSec = 3;

/**
 * One connection, in the hands of one user at a time. A lane whose connection closes is given up for good, because the
 * client's own way of renewing it is not safe: the next user would be handed the last one's error, or the statements of
 * a transaction whose beginning is lost.
 */
export interface Lane {
  readonly sql: Sql;
  /** Told when the connection closes while the lane is in use. */
  onClose: ((error: Error) => void) | null;
  /** Whoever finds that it cannot be used any more says so; then it is closed instead of given on. */
  broken: boolean;
}

/** The pool's connections for transactions and reads; as many as the pool may have. */
export interface Lanes {
  /** Waits for a free lane, first come, first served. */
  use<A, E>(work: (lane: Lane) => Effect.Effect<A, E>): Effect.Effect<A, E>;
  /**
   * Sends on one lane that all share: what many send in one turn leaves in one packet, which is most of what a small
   * statement costs. Only for statements that wait for nobody; whoever comes behind a slow one waits for it.
   */
  share<A>(send: (sql: Sql) => Promise<A>): Promise<A>;
  /** Closes them when they are free, at the latest after the time given. */
  end(withinMs: number): Promise<void>;
}

interface OwnLane extends Lane {
  readonly openedAt: number;
  freeSince: number;
}

interface SharedLane {
  readonly lane: OwnLane;
  /** Told where it is lost. */
  readonly unanswered: Set<(error: Error) => void>;
}

const isOld = (lane: OwnLane): boolean => performance.now() - lane.openedAt > lifetimeMs;

export const lanesOf = (pool: Sql): Lanes => {
  const seats = Semaphore.makeUnsafe(pool.options.max);
  const free: OwnLane[] = [];
  const inUse = new Set<OwnLane>();
  let ended = false;

  const open = (): OwnLane => {
    const options: object = {
      ...pool.options,
      max: 1,
      idle_timeout: forgottenSec,
      max_lifetime: null,
      onclose: () => {
        lane.broken = true;
        lane.onClose?.(new Error("The connection was closed."));
      },
    };
    const lane: OwnLane = {
      sql: postgres(options) as unknown as Sql,
      onClose: null,
      broken: false,
      openedAt: performance.now(),
      freeSince: 0,
    };
    return lane;
  };

  const closing = new Set<Promise<void>>();
  const close = (lane: OwnLane): void => {
    const closed: Promise<void> = lane.sql
      .end({ timeout: closingSec })
      .catch(() => {})
      .finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const take = (): OwnLane => {
    let lane = free.pop();
    while (lane?.broken) {
      close(lane);
      lane = free.pop();
    }
    lane ??= open();
    inUse.add(lane);
    return lane;
  };

  const giveBack = (lane: OwnLane): void => {
    inUse.delete(lane);
    lane.onClose = null;
    lane.freeSince = performance.now();
    if (ended || lane.broken || isOld(lane)) close(lane);
    else free.push(lane);
  };

  let shared: SharedLane | null = null;
  const giveUpShared = (): void => {
    if (shared !== null) close(shared.lane);
    shared = null;
  };
  const openShared = (): SharedLane => {
    const lane = open();
    const unanswered = new Set<(error: Error) => void>();
    // The client forgets a statement that it had not put on the wire when its connection closed.
    lane.onClose = (error) => {
      // What the client does tell says more.
      setImmediate(() => {
        for (const reject of unanswered) reject(connectionLost(error));
      });
    };
    return { lane, unanswered };
  };
  const takeShared = (): SharedLane => {
    if (shared !== null && (shared.lane.broken || isOld(shared.lane))) giveUpShared();
    shared ??= openShared();
    return shared;
  };

  const sweep = setInterval(() => {
    const before = performance.now() - idleMs;
    // The longest idle come first: what is given back goes on top and is taken from there.
    while (free[0] !== undefined && (free[0].broken || free[0].freeSince < before)) close(free.shift()!);
    if (shared !== null && shared.unanswered.size === 0 && shared.lane.freeSince < before) giveUpShared();
  }, idleMs / 4).unref();

  return {
    use: (work) =>
      seats.withPermit(
        Effect.acquireUseRelease(Effect.sync(take), work, (lane) =>
          Effect.sync(() => giveBack(lane as OwnLane)),
        ),
      ),
    share: (send) =>
      new Promise((resolve, reject) => {
        const { lane, unanswered } = takeShared();
        unanswered.add(reject);
        send(lane.sql)
          .then(resolve, (error) => {
            lane.broken ||= isOfConnection(error);
            reject(error);
          })
          .finally(() => {
            unanswered.delete(reject);
            lane.freeSince = performance.now();
            if (ended && unanswered.size === 0) giveUpShared();
          });
      }),
    end: async (withinMs) => {
      ended = true;
      clearInterval(sweep);
      const deadline = performance.now() + withinMs;
      while (inUse.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10));
      for (const lane of [...free.splice(0), ...inUse]) close(lane);
      giveUpShared();
      // Those given up before, too: their database may be gone when we return.
      await within(Promise.all(closing), Math.max(0, deadline - performance.now()));
    },
  };
};
