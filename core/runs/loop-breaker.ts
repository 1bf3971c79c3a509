import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";

/** Runs that started lately, and since a person last did something about the issue. */
export interface RecentRuns {
  /** Of the same agent and issue, woken by the same reason. */
  readonly ofCause: number;
  /** Of any agents on the issue; 0 where the run has none. */
  readonly ofIssue: number;
}

const windowSec = 10 * 60;
const mostOfCause = 5;
const mostOfIssue = 15;

/** Runs that started before do not count. */
export const loopWindowStart = (at: Instant): Instant => addSeconds(at, -windowSec);

/** Whether one more run would repeat itself at somebody's cost while no person looks at it. */
export const isLoop = ({ ofCause, ofIssue }: RecentRuns): boolean =>
  ofCause >= mostOfCause || ofIssue >= mostOfIssue;
