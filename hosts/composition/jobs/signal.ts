import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";

/** An event without data, such as new work: several listeners wait for it, and none misses it while it is busy. */
export interface Signal {
  readonly send: () => void;
  /** Adds a listener. What it returns waits for the next signal, or ends at once if one came since the last wait. */
  readonly listen: Effect.Effect<Effect.Effect<void>>;
}

export const makeSignal = (): Signal => {
  const listeners: Queue.Enqueue<void>[] = [];
  return {
    send: () => {
      for (const queue of listeners) Queue.offerUnsafe(queue, undefined);
    },
    listen: Effect.map(Queue.sliding<void>(1), (queue) => {
      listeners.push(queue);
      return Queue.take(queue);
    }),
  };
};
