import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import type { InboxFact } from "../model/inbox/inbox-entry.ts";
import { refusalOfGates } from "../model/issues/gates/judge-gates.ts";
import type { Refusal } from "../model/shared/failure.ts";
import type { ApprovalId, InteractionId, IssueId } from "../model/shared/ids.ts";
import { refusalOfHire } from "../staff/approvals/refusal-of-hire.ts";
import { readGates } from "../work/issues/gates/read-gates.ts";
import { refusalOfTasks } from "../work/issues/interactions/create-tasks.ts";

/** Whether its main action depends on more than the facts that are listed with the entry. */
const dependsOnMore = ({ kind, detail, state }: InboxFact): boolean =>
  (kind === "approval" && detail.approvalType === "hire_agent") ||
  kind === "suggested_tasks" ||
  (kind === "review" && state?.hasGates === true);

/**
 * Returns by entry why approving its hire, accepting its tasks or finishing its issue is refused now. Entries without a refusal
 * are omitted.
 */
export const refusalsOfRequests = (
  context: UseCaseContext,
  views: Pick<Views, "thread">,
  adapters: AdapterRegistry,
  runners: Runners,
) => {
  const ofTasks = Effect.fnUntraced(function* (stores: Stores, id: InteractionId, issueId: IssueId) {
    const { kind, payload } = yield* views.thread.interaction(id, issueId);
    if (kind !== "suggest_tasks" || !("tasks" in payload)) return null;
    return yield* refusalOfTasks(stores, { issue: yield* stores.issues.find(issueId), payload });
  });
  const refusalOf = (unit: UnitOfWork, { kind, subjectId, issueId }: InboxFact) =>
    Effect.gen(function* () {
      if (kind === "approval") {
        const approval = yield* unit.approvals.find(subjectId as ApprovalId);
        return yield* refusalOfHire(unit, adapters, runners, approval);
      }
      if (kind === "suggested_tasks") return yield* ofTasks(unit, subjectId as InteractionId, issueId!);
      return refusalOfGates(yield* readGates(unit, yield* unit.issues.find(issueId!), null));
    }).pipe(Effect.catch((gone) => Effect.succeed(gone)));
  return Effect.fnUntraced(function* (facts: readonly InboxFact[]) {
    const refusals = new Map<string, Refusal>();
    // Each in a transaction of its own: some checks lock their company, and an inbox has several.
    for (const fact of facts.filter(dependsOnMore)) {
      const no = yield* transactAsSystem(context, "inbox.refusalsOfRequests", function* (unit) {
        return yield* refusalOf(unit, fact);
      });
      if (no !== null) refusals.set(fact.id, no);
    }
    return refusals;
  });
};
