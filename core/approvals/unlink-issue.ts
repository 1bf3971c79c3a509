import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { logAction } from "../activity/log-action.ts";
import type { ApprovalId, CompanyId, IssueId } from "../shared/ids.ts";
import { ApprovalNotFound } from "./approval.ts";

export interface UnlinkIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly approvalId: ApprovalId;
  readonly by: Actor;
}

/** Removes the link. Repeating it changes nothing. */
export const unlinkIssue = (transactor: Transactor, clock: Clock) => (command: UnlinkIssue) =>
  transactAs(transactor, command.by, (stores) =>
    Effect.gen(function* () {
      const { issueId, companyId, by } = command;
      const [issue, approval] = yield* Effect.all(
        [stores.issues.find(issueId), stores.approvals.lock(command.approvalId)],
        { concurrency: "unbounded" },
      );
      if (approval.companyId !== companyId) yield* Effect.fail(new ApprovalNotFound());
      if (yield* stores.approvals.unlink(approval.id, issueId))
        yield* logAction(stores, approval, by, clock.now(), "approval.issue_unlinked", {
          identifier: issue.identifier,
        });
      return { ok: true as const };
    }),
  );
