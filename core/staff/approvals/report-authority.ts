import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import { evaluateAuthority } from "../../model/approvals/authority.ts";
import type { ApprovalId } from "../../model/shared/ids.ts";
import { refusalOfHire } from "./refusal-of-hire.ts";

export interface ReportAuthority {
  readonly approvalId: ApprovalId;
  readonly caller: BoardCaller | AgentCaller;
}

/**
 * Reports whether the caller could decide the approval, and why not: the evaluation that the decisions use, without effects.
 * `approveRefusal` is why approving alone would be refused: what a hire names may have gone since it was requested.
 */
export const reportAuthority = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("approvals.reportAuthority", function* (unit, { approvalId, caller }: ReportAuthority) {
    const approval = yield* unit.approvals.find(approvalId);
    const grants = caller.kind === "agent" ? yield* unit.grants.heldBy(caller.agentId) : [];
    const authority = evaluateAuthority({ approval, caller, grants, asked: null });
    const approveRefusal =
      authority.allowed && approval.type === "hire_agent"
        ? yield* refusalOfHire(unit, adapters, runners, approval)
        : null;
    return { ...authority, approveRefusal };
  });
