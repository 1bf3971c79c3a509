import * as Effect from "effect/Effect";
import type { RunId } from "../../../core/model/shared/ids.ts";
import type { RunInbox } from "../../../ports/run-inbox.ts";
import type { RunViews } from "../../../ports/views/run-views.ts";

/** The runs of this process that wait for messages of people. */
export interface OpenRunInbox extends RunInbox {
  /** Checks once whether there is a message for any of them; without a read where none waits. */
  readonly check: Effect.Effect<void>;
}

export const openRunInbox = (runs: Pick<RunViews, "messagesFor">): OpenRunInbox => {
  const open = new Map<RunId, (kind: "message" | "interrupt" | null) => void>();
  const check = (ids: readonly RunId[]) =>
    Effect.map(runs.messagesFor(ids), (found) => {
      for (const { id, kind } of found) open.get(id)?.(kind);
    });
  const called = (id: RunId, stop: AbortSignal) =>
    Effect.callback<"message" | "interrupt" | null>((resume) => {
      const leave = () => {
        stop.removeEventListener("abort", end);
        open.delete(id);
      };
      const done = (kind: "message" | "interrupt" | null) => {
        leave();
        resume(Effect.succeed(kind));
      };
      const end = () => done(null);
      stop.addEventListener("abort", end, { once: true });
      open.set(id, done);
      if (stop.aborted) end();
      return Effect.sync(leave);
    });
  return {
    // A message that arrived before the wait was announced earlier, so it is read at once. The next check repeats a failed read.
    wait: (id, stop) =>
      Effect.raceFirst(
        called(id, stop),
        Effect.andThen(Effect.ignoreCause(Effect.suspend(() => check([id]))), Effect.never),
      ),
    check: Effect.suspend(() => (open.size === 0 ? Effect.void : check([...open.keys()]))),
  };
};
