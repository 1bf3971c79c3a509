import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";

/** Recent runs since a person last acted on the issue. */
export interface RecentRuns {
  /** Of the same agent and issue, woken by the same reason. */
  readonly ofCause: number;
  /** By any agent on the issue; 0 where the run has no issue. */
  readonly ofIssue: number;
}

const windowSec = 10 * 60;
const mostOfCause = 5;
const mostOfIssue = 15;

/** Earlier runs do not count. */
export const loopWindowStart = (at: Instant): Instant => addSeconds(at, -windowSec);

/** Whether one more run would repeat the same work without a person's attention. */
export const isLoop = ({ ofCause, ofIssue }: RecentRuns): boolean =>
  ofCause >= mostOfCause || ofIssue >= mostOfIssue;
