import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { ApprovalDetail, ApprovalViews } from "../../../ports/views/approval-views.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { ActionOf } from "../../model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import type { CallerMay } from "../../model/access/caller-may.ts";
import { approvalActions } from "../../model/approvals/approval-actions.ts";
import { evaluateAuthority } from "../../model/approvals/authority.ts";
import type { ApprovalId } from "../../model/shared/ids.ts";
import { refusalOfHire } from "./refusal-of-hire.ts";

/** An approval as one reader sees it. */
export type ShownApproval = ApprovalDetail & {
  readonly callerMay: CallerMay<ActionOf<"approval">>;
};

/** Returns an approval with the actions that the reader may take now. */
export const showApproval = (
  context: UseCaseContext,
  views: ApprovalViews,
  adapters: AdapterRegistry,
  runners: Runners,
) =>
  Effect.fnUntraced(function* (id: ApprovalId, caller: BoardCaller | AgentCaller) {
    const { approval, companyStatus, grants } = yield* views.get(id, caller);
    const authority = evaluateAuthority({ approval, caller, grants, asked: null });
    const approveRefusal =
      authority.allowed && approval.type === "hire_agent"
        ? yield* transactAsSystem(context, "approvals.show", function* (unit) {
            return yield* refusalOfHire(unit, adapters, runners, approval);
          })
        : null;
    const shown: ShownApproval = {
      ...approval,
      callerMay: approvalActions(
        { ...approval, authority, approveRefusal },
        { caller, companyId: approval.companyId, companyStatus },
      ),
    };
    return shown;
  });
