import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";

/** The interval of access checks of open streams. */
const recheckMs = 2_000;
/** How many turns divide the interval. Checks of one turn share a packet to the database and a wake of the process. */
const turns = 4;

interface Group {
  readonly ends: Set<() => void>;
  readonly stillAllowed: Effect.Effect<unknown, unknown>;
  readonly turn: number;
}

/** Rechecks access of open streams: once for all streams that one credential opened at one address. */
export class StreamChecks {
  readonly #groups = new Map<string, Group>();
  #timer: NodeJS.Timeout | undefined;
  #opened = 0;
  #turn = 0;

  /** Calls `end` when `stillAllowed` refuses. Returns the function that removes the stream. */
  add(key: string, stillAllowed: Effect.Effect<unknown, unknown>, end: () => void): () => void {
    const group = this.#groups.get(key) ?? this.#open(key, stillAllowed);
    group.ends.add(end);
    return () => {
      group.ends.delete(end);
      if (group.ends.size > 0 || this.#groups.get(key) !== group) return;
      this.#groups.delete(key);
      if (this.#groups.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #open(key: string, stillAllowed: Effect.Effect<unknown, unknown>): Group {
    const group = { ends: new Set<() => void>(), stillAllowed, turn: this.#opened++ % turns };
    this.#groups.set(key, group);
    this.#timer ??= setInterval(() => this.#checkTurn(), recheckMs / turns);
    return group;
  }

  #checkTurn(): void {
    this.#turn = (this.#turn + 1) % turns;
    for (const group of this.#groups.values()) if (group.turn === this.#turn) void check(group);
  }
}

const check = async ({ ends, stillAllowed }: Group): Promise<void> => {
  const exit = await Effect.runPromiseExit(stillAllowed);
  // A refusal ends the streams; a short outage of the database does not.
  if (Exit.isFailure(exit) && Result.isSuccess(Cause.findError(exit.cause)))
    for (const end of [...ends]) end();
};
