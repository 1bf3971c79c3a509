import type * as Effect from "effect/Effect";
import type { RunId } from "../core/model/shared/ids.ts";

/** Tells the process that carries out a run that people have something to say to it. */
export interface RunInbox {
  /** Resolves with what waits for the run, or with null when `stop` fires. */
  wait(id: RunId, stop: AbortSignal): Effect.Effect<"message" | "interrupt" | null>;
}
