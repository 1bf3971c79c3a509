import type { Instant } from "../shared/instant.ts";
import type { CatchUpPolicy } from "./routine.ts";

/** How many missed ticks are made up for at most. */
const catchUpCap = 25;
/** Between two looks of a scheduler that nothing wakes; a tick no later than that is late, not missed. */
export const schedulerIntervalSec = 30;
/** Missed ticks beyond this are not counted one by one. */
const countedTicks = 10_000;

export interface DueTicks {
  /** Oldest first. */
  readonly fire: readonly Instant[];
  readonly missed: number;
  readonly madeUpFor: number;
  readonly dropped: number;
  /** There were more than could be counted. */
  readonly isAtLeast: boolean;
}

export interface DueFacts {
  readonly policy: CatchUpPolicy;
  /** The earliest tick that has not been fired. */
  readonly first: Instant;
  readonly at: Instant;
  /** Since when somebody has been at work: an earlier tick was missed, a later one is merely late. */
  readonly lateSince: Instant;
  /** The tick after an instant; null where there is none. */
  readonly next: (after: Instant) => Instant | null;
}

/** Which of the ticks that are due are fired: each late one, and of the missed ones as many as the policy makes up for. */
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
