import type { AgentId, CompanyId, IssueId, RunId } from "../../shared/ids.ts";
import { type Instant, secondsBetween } from "../../shared/instant.ts";
import type { JudgedGate } from "./judge-gates.ts";

/** A run asked that its issue be done, before its gates could be judged. */
export interface DoneRequest {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  /** The comment of that request, which is posted once the issue is done. */
  readonly comment: string | null;
  readonly createdAt: Instant;
}

/** After this time another run starts anyway: a host may never report its checks. */
const longestWaitSec = 24 * 3_600;

/**
 * Decides what follows a run that ended well and left its issue in progress. "wait": the service or a host is still judging
 * a gate. "done": the run asked for that, and all gates have passed. "continue": another run has something to do.
 */
export const judgeEnd = (
  gates: readonly JudgedGate[],
  { isDoneRequested, endedAt, at }: { isDoneRequested: boolean; endedAt: Instant; at: Instant },
): "wait" | "done" | "continue" => {
  if (gates.some(({ isPending }) => isPending) && secondsBetween(endedAt, at) < longestWaitSec) return "wait";
  return isDoneRequested && gates.every(({ reason }) => reason === null) ? "done" : "continue";
};
