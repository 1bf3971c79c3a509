import type * as Effect from "effect/Effect";

/** Background work of a module. One loop in `hosts/composition` repeats it for as long as the service runs. */
export interface Job {
  /** Completes "failure while …". */
  readonly name: string;
  /** The pause after a round. */
  readonly everyMs: number;
  /** The signal that ends the pause early: new work, a leap of the clock, or events. */
  readonly on?: "work" | "clock_leap" | "events";
  /** Whether it waits for the other sequential jobs: at the start each would open a connection, which stays for a minute. */
  readonly sequential?: boolean;
  /** One round. If it returns true, work is left and the next round follows after a short pause. */
  readonly run: Effect.Effect<unknown, unknown>;
}
