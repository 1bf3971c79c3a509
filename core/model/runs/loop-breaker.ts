import type { Actor } from "../access/caller.ts";
import { actingRun } from "../access/caller.ts";
import type { RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";
import { type WakeReason, wakeReasons } from "./wake-reason.ts";

/** Recent runs since a person last acted on the issue, without those of timers. */
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

/** Ticks of a timer are meant to repeat: their runs are neither counted nor held. */
export const uncountedReasons = (Object.keys(wakeReasons) as WakeReason[]).filter(isOfTimer);

/** Why a run waits for a person: the same work repeats, or agents make too much work for its agent. */
export const loopKinds = ["loop", "agents"] as const;
export type LoopKind = (typeof loopKinds)[number];

/** Whether one more run would continue without a person's attention what should not. `limit`: 0 for none. */
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
  /** The run that it follows, where the service makes it. */
  readonly after?: RunId;
  /** Whether a webhook or a schedule made it. */
  readonly isTriggered?: boolean;
  readonly at: Instant;
}

/**
 * The chain of causes that a wake continues. `of` is the run that caused it: that run's last trigger is the wake's too.
 * Agents alone cause a wake if no trigger stood in its chain within the window.
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
