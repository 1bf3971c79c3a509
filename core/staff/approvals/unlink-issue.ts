import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import { ApprovalNotFound } from "../../model/approvals/approval.ts";
import type { LinkIssue } from "./link-issue.ts";

/** Removes the link. Repeating it changes nothing. */
export const unlinkIssue = (transactor: Transactor, clock: Clock) => (command: LinkIssue) =>
  transactAs(transactor, command.by, function* (stores) {
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
  });
