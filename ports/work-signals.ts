import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";

/** News between service processes: that there is work, never what it is. May be missed; what it announces is in the tables. */
export interface WorkSignals {
  /** Calls back when runs were queued or told to stop, and after every reconnect. */
  listen(onWork: () => void): Effect.Effect<void, never, Scope.Scope>;
  /** Calls back when a schedule has an earlier tick to come than before, and after every reconnect. */
  listenForSchedules(onChange: () => void): Effect.Effect<void, never, Scope.Scope>;
  /** Calls back when there may be something new in the stream of events, and after every reconnect. */
  listenForEvents(onNews: () => void): Effect.Effect<void, never, Scope.Scope>;
}
