import * as Effect from "effect/Effect";
import type { InteractionId } from "../../../core/model/shared/ids.ts";
import type { Answers } from "../../../ports/answers.ts";
import type { ThreadViews } from "../../../ports/views/thread-views.ts";

/** The questions of the runs of this process that wait for people. */
export interface OpenQuestions extends Answers {
  /** Looks once whether any of them has ended; asks nothing where none is open. */
  readonly check: Effect.Effect<void>;
}

export const openQuestions = (thread: Pick<ThreadViews, "endedAmong">): OpenQuestions => {
  const open = new Map<InteractionId, () => void>();
  return {
    wait: (id, waitMs, stop) =>
      Effect.callback<void>((resume) => {
        const leave = () => {
          clearTimeout(timer);
          stop.removeEventListener("abort", done);
          open.delete(id);
        };
        const done = () => {
          leave();
          resume(Effect.void);
        };
        const timer = setTimeout(done, Math.min(waitMs, maxTimerMs));
        stop.addEventListener("abort", done, { once: true });
        open.set(id, done);
        if (stop.aborted) done();
        return Effect.sync(leave);
      }),
    check: Effect.suspend(() =>
      open.size === 0
        ? Effect.void
        : Effect.map(thread.endedAmong([...open.keys()]), (ended) => {
            for (const id of ended) open.get(id)?.();
          }),
    ),
  };
};

/** setTimeout counts in 32 bits. */
const maxTimerMs = 2 ** 31 - 1;
