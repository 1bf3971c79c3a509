import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type { Sql } from "postgres";
import type { WorkSignals } from "../../ports/work-signals.ts";
import type { EventNews } from "./event-news.ts";

/** Named in the statements that add work, such as `pg_notify('boardroom_work', '')`. */
type Channel = "boardroom_work" | "boardroom_schedule" | "boardroom_events";

/**
 * Listens on its own connection, which the client renews after a loss; then it also calls `onWork`, because
 * notifications were missed meanwhile.
 */
export const postgresWorkSignals = (sql: Sql, news: EventNews): WorkSignals => {
  const listenOn = (channel: Channel) => (onWork: (payload?: string) => void) =>
    Effect.gen(function* () {
      let listening = true;
      const receive = (payload?: string) => {
        if (listening) onWork(payload);
      };
      yield* Effect.acquireRelease(
        Effect.tryPromise(() => sql.listen(channel, receive, () => receive())).pipe(
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
  return {
    listen: (onWork) => listenOn("boardroom_work")(() => onWork()),
    listenForSchedules: (onChange) => listenOn("boardroom_schedule")(() => onChange()),
    listenForEvents: (onNews) =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => news.listen(onNews)),
          (stop) => Effect.sync(stop),
        ),
        listenOn("boardroom_events")((sender) => {
          if (sender !== news.sender) onNews();
        }),
      ),
  };
};
