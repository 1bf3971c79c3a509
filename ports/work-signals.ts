import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";

/**
 * Signals between service processes that there is work, without its contents. A signal may be lost; the tables have the
 * work.
 */
export interface WorkSignals {
  /** Calls back when runs were queued or received a stop request, and after every reconnect. */
  listen(onWork: () => void): Effect.Effect<void, never, Scope.Scope>;
  /** Calls back when a schedule has an earlier next tick than before, and after every reconnect. */
  listenForSchedules(onChange: () => void): Effect.Effect<void, never, Scope.Scope>;
  /** Calls back when the event stream may have new events, and after every reconnect. */
  listenForEvents(onNews: () => void): Effect.Effect<void, never, Scope.Scope>;
}
