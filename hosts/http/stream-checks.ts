import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";

/** How often it is looked whether a stream is still allowed. */
const recheckMs = 2_000;

interface Group {
  readonly ends: Set<() => void>;
  readonly timer: NodeJS.Timeout;
}

/** Looks again whether streams are still allowed: once for all streams that one credential opened at one address. */
export class StreamChecks {
  readonly #groups = new Map<string, Group>();

  /** Calls `end` when `stillAllowed` refuses. Answers with what takes the stream out. */
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
      // A refusal ends the streams; a database that is away for a moment does not.
      if (Exit.isFailure(exit) && Result.isSuccess(Cause.findError(exit.cause)))
        for (const end of [...ends]) end();
    }, recheckMs);
    const group = { ends, timer };
    this.#groups.set(key, group);
    return group;
  }
}
