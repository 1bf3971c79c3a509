import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import { StaggeredInterval } from "./staggered-interval.ts";

/** The interval of access checks of open streams. */
const recheckMs = 2_000;
/** Checks of one slot share a packet to the database. */
const slots = 4;

interface Group {
  readonly ends: Set<() => void>;
  readonly stillAllowed: Effect.Effect<unknown, unknown>;
  readonly leave: () => void;
}

/** Rechecks access of open streams: once for all streams that one credential opened at one address. */
export class StreamChecks {
  readonly #groups = new Map<string, Group>();
  readonly #interval = new StaggeredInterval<Omit<Group, "leave">>(
    recheckMs,
    slots,
    (group) => void check(group),
  );

  /** Calls `end` when `stillAllowed` refuses. Returns the function that removes the stream. */
  add(key: string, stillAllowed: Effect.Effect<unknown, unknown>, end: () => void): () => void {
    const group = this.#groups.get(key) ?? this.#open(key, stillAllowed);
    group.ends.add(end);
    return () => {
      group.ends.delete(end);
      if (group.ends.size > 0 || this.#groups.get(key) !== group) return;
      this.#groups.delete(key);
      group.leave();
    };
  }

  #open(key: string, stillAllowed: Effect.Effect<unknown, unknown>): Group {
    const checked = { ends: new Set<() => void>(), stillAllowed };
    const group = { ...checked, leave: this.#interval.add(checked) };
    this.#groups.set(key, group);
    return group;
  }
}

const check = async ({ ends, stillAllowed }: Omit<Group, "leave">): Promise<void> => {
  const exit = await Effect.runPromiseExit(stillAllowed);
  // A refusal ends the streams; a short outage of the database does not.
  if (Exit.isFailure(exit) && Result.isSuccess(Cause.findError(exit.cause)))
    for (const end of [...ends]) end();
};
