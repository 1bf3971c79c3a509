import type * as Effect from "effect/Effect";
import type { InteractionId } from "../core/model/shared/ids.ts";

/** Tells the process that carries out a run that people have answered what its program asked. */
export interface Answers {
  /**
   * Resolves when the interaction has ended, after `waitMs`, or when `stop` fires. Whatever woke it: the table has the
   * answer.
   */
  wait(id: InteractionId, waitMs: number, stop: AbortSignal): Effect.Effect<void>;
}
