import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";

/** The interval of access checks of open streams. */
const recheckMs = 2_000;

interface Group {
  readonly ends: Set<() => void>;
  readonly timer: NodeJS.Timeout;
}

/** Rechecks access of open streams: once for all streams that one credential opened at one address. */
export class StreamChecks {
  readonly #groups = new Map<string, Group>();

  /** Calls `end` when `stillAllowed` refuses. Returns the function that removes the stream. */
  add(key: string, stillAllowed: Effect.Effect<unknown, unknown>, end: () => void): () => void {
    const group = this.#groups.get(key) ?? this.#open(key, stillAllowed);
    group.ends.add(end);
    return () => {
      group.ends.delete(end);
      if (group.ends.size > 0 || this.#groups.get(key) !== group) return;
      clearInterval(group.timer);
      this.#groups.delete(key);
    };
  }

  #open(key: string, stillAllowed: Effect.Effect<unknown, unknown>): Group {
    const ends = new Set<() => void>();
    const timer = setInterval(async () => {
      const exit = await Effect.runPromiseExit(stillAllowed);
      // A refusal ends the streams; a short outage of the database does not.
      if (Exit.isFailure(exit) && Result.isSuccess(Cause.findError(exit.cause)))
        for (const end of [...ends]) end();
    }, recheckMs);
    const group = { ends, timer };
    this.#groups.set(key, group);
    return group;
  }
}
