import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { ApprovalId, CompanyId, IssueId } from "../../model/shared/ids.ts";

export interface LinkIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly approvalId: ApprovalId;
  readonly by: Actor;
}

/** Links an issue to an approval of its company. Repeating it changes nothing. */
export const linkIssue = (transactor: Transactor, clock: Clock) => (command: LinkIssue) =>
  transactAs(transactor, command.by, function* (stores) {
    const { issueId, companyId, by } = command;
    const [issue, approval] = yield* Effect.all(
      [
        stores.issues.find(issueId),
        stores.approvals
          .lock(command.approvalId)
          .pipe(Effect.mapError(() => ReferenceNotFound.at("approvalId"))),
      ],
      { concurrency: "unbounded" },
    );
    if (approval.companyId !== companyId) yield* Effect.fail(ReferenceNotFound.at("approvalId"));
    const linked = yield* stores.approvals.linkedIssues(approval.id);
    if (linked.some(({ id }) => id === issueId)) return approval;
    const at = clock.now();
    yield* stores.approvals.link(companyId, approval.id, [issueId], at);
    yield* logAction(stores, approval, by, at, "approval.issue_linked", {
      identifier: issue.identifier,
    });
    return approval;
  });
