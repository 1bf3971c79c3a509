import * as Effect from "effect/Effect";
import type { Transactor } from "../../ports/transactor.ts";
import type { AgentCaller, BoardCaller } from "../access/caller.ts";
import type { ApprovalId } from "../shared/ids.ts";
import { evaluateAuthority } from "./authority.ts";

export interface ReportAuthority {
  readonly approvalId: ApprovalId;
  readonly caller: BoardCaller | AgentCaller;
}

/** Whether the caller could decide it, and why not: the evaluation of the decisions, of which nothing follows. */
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
