import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type { Sql } from "postgres";
import type { WorkSignals } from "../../ports/work-signals.ts";

/** Named in the statements that add work, such as `pg_notify('boardroom_work', '')`. */
type Channel = "boardroom_work" | "boardroom_schedule";

/**
 * On a connection of its own, which the client renews when it is lost; then `onWork` is called too, because what was
 * announced meanwhile was not heard.
 */
export const postgresWorkSignals = (sql: Sql): WorkSignals => {
  const listenOn = (channel: Channel) => (onWork: () => void) =>
    Effect.gen(function* () {
      let listening = true;
      const hear = () => {
        if (listening) onWork();
      };
      yield* Effect.acquireRelease(
        Effect.tryPromise(() => sql.listen(channel, hear, hear)).pipe(
          Effect.retry(Schedule.spaced("1 second")),
          Effect.orDie,
        ),
        ({ unlisten }) =>
          Effect.ignoreCause(
            Effect.promise(async () => {
              listening = false;
              await unlisten();
            }),
          ),
      );
    });
  return { listen: listenOn("boardroom_work"), listenForSchedules: listenOn("boardroom_schedule") };
};
