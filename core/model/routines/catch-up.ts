import type { Instant } from "../shared/instant.ts";
import type { CatchUpPolicy } from "./routine.ts";

/** The maximum number of missed ticks that are fired later. */
const catchUpCap = 25;
/** The polling interval of the scheduler; a tick delayed by no more than this is late, not missed. */
export const schedulerIntervalSec = 30;
/** Missed ticks beyond this number are not counted. */
const countedTicks = 10_000;

export interface DueTicks {
  /** The oldest first. */
  readonly fire: readonly Instant[];
  readonly missed: number;
  readonly madeUpFor: number;
  readonly dropped: number;
  /** There were too many to count. */
  readonly isAtLeast: boolean;
}

export interface DueFacts {
  readonly policy: CatchUpPolicy;
  /** The earliest tick that has not been fired. */
  readonly first: Instant;
  readonly at: Instant;
  /** When the scheduler began to run: a tick before that was missed, one after it is late. */
  readonly lateSince: Instant;
  /** Returns the tick after an instant, or null. */
  readonly next: (after: Instant) => Instant | null;
}

/** Chooses the due ticks to fire: each late one, and as many missed ones as the policy allows. */
export const decideTicks = ({ policy, first, at, lateSince, next }: DueFacts): DueTicks => {
  const cap = policy === "enqueue_missed_with_cap" ? catchUpCap : 0;
  const fire: Instant[] = [];
  let missed = 0;
  let tick: Instant | null = first;
  while (tick !== null && tick < lateSince && tick <= at && missed < countedTicks) {
    if (missed < cap) fire.push(tick);
    missed += 1;
    tick = next(tick);
  }
  const isAtLeast = tick !== null && tick < lateSince && tick <= at;
  const madeUpFor = fire.length;
  // Strictly after the instant before, so that a tick at that very instant counts.
  if (isAtLeast) tick = next(new Date(Date.parse(lateSince) - 1).toISOString());
  for (; tick !== null && tick <= at; tick = next(tick)) fire.push(tick);
  return { fire, missed, madeUpFor, dropped: missed - madeUpFor, isAtLeast };
};
