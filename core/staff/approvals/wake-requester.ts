import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import type { Approval } from "../../model/approvals/approval.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
import { wake } from "../../queue/wake-agent.ts";

const reasons = {
  approved: "approval_approved",
  rejected: "approval_rejected",
  revision_requested: "approval_revision_requested",
} as const;

/**
 * Wakes the requesting agent once, about the linked issue that it works on, where one exists. While its run on that
 * issue continues, the wake starts the run after it.
 */
export const wakeRequester = Effect.fnUntraced(function* (unit: UnitOfWork, approval: Approval) {
  const { requestedByAgentId, status, companyId } = approval;
  if (requestedByAgentId === null || status === "pending") return;
  const [agent, issues] = yield* Effect.all(
    [unit.agents.findInCompany(requestedByAgentId, companyId), unit.approvals.linkedIssues(approval.id)],
    { concurrency: "unbounded" },
  );
  if (agent === null || agent.lifecycleState === "terminated") return;
  const own = issues.find((issue) => issue.assigneeAgentId === requestedByAgentId && !isClosed(issue.status));
  yield* wake(unit, agent, {
    issueId: own?.id ?? null,
    reason: reasons[status],
    payload: {
      approvalId: approval.id,
      approvalStatus: status,
      issueIds: issues.map(({ id }) => id),
    },
  });
});
