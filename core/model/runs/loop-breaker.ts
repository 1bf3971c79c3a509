import type { Actor } from "../access/caller.ts";
import { actingRun } from "../access/caller.ts";
import type { RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";
import { type WakeReason, wakeReasons } from "./wake-reason.ts";

/** Recent runs since a person last acted on the issue, except those of timers. */
export interface RecentRuns {
  /** Of the same agent and issue, woken by the same reason. */
  readonly ofCause: number;
  /** By any agent on the issue; 0 where the run has no issue. */
  readonly ofIssue: number;
  /**
   * Of the agent on any issue, caused by agents alone, since a person last acted on the agent or one of these issues; 0
   * where the run itself has another cause.
   */
  readonly byAgents: number;
}

const windowSec = 10 * 60;
const mostOfCause = 5;
const mostOfIssue = 15;

/** The number of runs that agents alone may cause for an agent in the window, unless its company says otherwise. */
export const defaultAgentCausedRunLimit = 30;

/** Earlier runs do not count. */
export const loopWindowStart = (at: Instant): Instant => addSeconds(at, -windowSec);

const isOfTimer = (reason: WakeReason): boolean => wakeReasons[reason].source === "timer";

/** A timer is meant to repeat: its runs are neither counted nor quarantined. */
export const uncountedReasons = (Object.keys(wakeReasons) as WakeReason[]).filter(isOfTimer);

/** Why a run is quarantined: the same work repeats, or agents cause too many runs of its agent. */
export const loopKinds = ["loop", "agents"] as const;
export type LoopKind = (typeof loopKinds)[number];

/** Whether one more run would continue a loop without a person's attention. `limit`: 0 for none. */
export const loopOf = (
  reason: WakeReason,
  { ofCause, ofIssue, byAgents }: RecentRuns,
  limit: number,
): LoopKind | null => {
  if (isOfTimer(reason)) return null;
  if (ofCause >= mostOfCause || ofIssue >= mostOfIssue) return "loop";
  return limit > 0 && byAgents >= limit ? "agents" : null;
};

/** The cause of a wake, apart from its reason. */
export interface WakeOrigin {
  readonly by: Actor;
  /** The run that it follows, if the service causes it. */
  readonly after?: RunId;
  /** Whether a webhook or a schedule caused it. */
  readonly isTriggered?: boolean;
  readonly at: Instant;
}

/**
 * The chain of causes that a wake continues. `of` is the run that caused it, whose last trigger is also the wake's. A wake is
 * caused by agents alone if no trigger is in its chain within the window.
 */
export interface CauseChain {
  readonly of: RunId | null;
  readonly triggeredAt: Instant | null;
  readonly isByAgent: boolean;
}

export const chainOf = (reason: WakeReason, { by, after, isTriggered, at }: WakeOrigin): CauseChain => {
  const isOfTrigger = isTriggered === true || isOfTimer(reason);
  const of = after ?? actingRun(by);
  return {
    of,
    triggeredAt: isOfTrigger ? at : null,
    isByAgent: !isOfTrigger && (by.kind === "agent" || after !== undefined),
  };
};
