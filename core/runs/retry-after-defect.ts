import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";

/**
 * Retries for a minute, through a restart of the database. A write whose answer was lost is repeated, which changes
 * nothing more; only an event may then be stored twice.
 */
export const retryAfterDefect = <A>(what: Effect.Effect<A>): Effect.Effect<A> =>
  what.pipe(
    Effect.catchDefect((defect) => Effect.fail({ defect })),
    Effect.retry({ schedule: Schedule.spaced("500 millis"), times: 119 }),
    Effect.catch(({ defect }) => Effect.die(defect)),
  );
