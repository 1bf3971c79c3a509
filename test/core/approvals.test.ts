import * as Result from "effect/Result";
import { describe, expect, test } from "vitest";
import { type Approval, callOff, resubmit } from "../../core/model/approvals/approval.ts";
import {
  type ApprovalStatus,
  approvalMoves,
  approvalStatuses,
  decisions,
  type StoredApprovalStatus,
} from "../../core/model/approvals/approval-status.ts";
import { PermissionMissing } from "../../core/model/approvals/authority.ts";
import { decide } from "../../core/model/approvals/decision.ts";
import type { ApprovalId } from "../../core/model/shared/ids.ts";
import { mayMove } from "../../core/model/shared/moves.ts";
import { acme, ada, id, now, theBoard } from "../support/nouns.ts";

const anApproval = (status: StoredApprovalStatus): Approval => ({
  id: id<ApprovalId>(0xa9),
  companyId: acme,
  type: "approve_ceo_strategy",
  status,
  payload: {},
  payloadRevision: 1,
  proposedVariables: [],
  grantedPaths: [],
  agentId: ada,
  requestedByAgentId: ada,
  requestedByUserId: null,
  decisionNote: null,
  chosenOwner: null,
  offListReason: null,
  decidedByAgentId: null,
  decidedByUserId: null,
  decidedAt: null,
  createdAt: now,
  updatedAt: now,
});

describe("An approval", () => {
  // Its draft is terminated only while it is open; a decided hire has no draft.
  const open: readonly StoredApprovalStatus[] = ["pending", "revision_requested"];
  const stored: readonly StoredApprovalStatus[] = [...open, "approved", "rejected"];
  const seen = new Set<string>(
    stored.flatMap((status) => {
      const approval = anApproval(status);
      const decided = decisions.flatMap((decision) => {
        const verdict = { decision, note: null, chosenOwner: null, offListReason: null };
        const result = decide(approval, verdict, { refusal: null }, theBoard, now);
        return Result.isSuccess(result) ? [`${status} ${result.success.status}`] : [];
      });
      const off = callOff(approval, theBoard, now);
      const again = resubmit(approval, now);
      return [
        ...decided,
        ...(Result.isSuccess(again) ? [`${status} resubmitted`, `resubmitted ${again.success.status}`] : []),
        ...(Result.isSuccess(off) ? [`${status} ${off.success.status}`] : []),
      ];
    }),
  );

  test.each(approvalStatuses.flatMap((from) => approvalStatuses.map((to) => [from, to] as const)))(
    "goes from %s to %s exactly where the table says so",
    (from: ApprovalStatus, to: ApprovalStatus) =>
      expect(seen.has(`${from} ${to}`)).toBe(mayMove(approvalMoves, from, to)),
  );

  test("cannot be decided by a caller whose authority check failed", () => {
    const refusal = new PermissionMissing();
    const verdict = { decision: "approve", note: null, chosenOwner: null, offListReason: null } as const;
    expect(decide(anApproval("pending"), verdict, { refusal }, theBoard, now)).toEqual(Result.fail(refusal));
  });
});
