import * as Effect from "effect/Effect";
import type { Transactor } from "../../ports/transactor.ts";
import type { AgentCaller, BoardCaller } from "../access/caller.ts";
import type { ApprovalId } from "../shared/ids.ts";
import { evaluateAuthority } from "./authority.ts";

export interface ReportAuthority {
  readonly approvalId: ApprovalId;
  readonly caller: BoardCaller | AgentCaller;
}

/**
 * Reports whether the caller could decide the approval, and why not: the evaluation that the decisions use, without
 * effects.
 */
export const reportAuthority =
  (transactor: Transactor) =>
  ({ approvalId, caller }: ReportAuthority) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const approval = yield* stores.approvals.find(approvalId);
        const grants = caller.kind === "agent" ? yield* stores.grants.heldBy(caller.agentId) : [];
        return evaluateAuthority({ approval, caller, grants, asked: null });
      }),
    );
