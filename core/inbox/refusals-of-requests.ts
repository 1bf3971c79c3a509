import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Stores } from "../../ports/transactor.ts";
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
export const refusalsOfRequests = (context: UseCaseContext, adapters: AdapterRegistry, runners: Runners) => {
  const ofTasks = Effect.fnUntraced(function* (stores: Stores, id: InteractionId, issueId: IssueId) {
    const payload = yield* stores.interactions.findTasksOutline(id);
    return payload === null
      ? null
      : yield* refusalOfTasks(stores, { issue: yield* stores.issues.find(issueId), payload });
  });
  const refusalOf = (unit: UnitOfWork, { kind, subjectId, issueId }: InboxFact) =>
    Effect.gen(function* () {
      if (kind === "approval") {
        const hire = yield* unit.approvals.findHireOutline(subjectId as ApprovalId);
        return yield* refusalOfHire(unit, adapters, runners, hire);
      }
      if (kind === "suggested_tasks") return yield* ofTasks(unit, subjectId as InteractionId, issueId!);
      return refusalOfGates(yield* readGates(unit, yield* unit.issues.find(issueId!), null));
    }).pipe(Effect.catch((gone) => Effect.succeed(gone)));
  return Effect.fnUntraced(function* (facts: readonly InboxFact[]) {
    const refusals = new Map<string, Refusal>();
    const asked = facts.filter(dependsOnMore);
    // A transaction for each company, because some checks lock theirs.
    for (const companyId of new Set(asked.map((fact) => fact.companyId)))
      yield* transactAsSystem(context, "inbox.refusalsOfRequests", function* (unit) {
        for (const fact of asked) {
          if (fact.companyId !== companyId) continue;
          const refusal = yield* refusalOf(unit, fact);
          if (refusal !== null) refusals.set(fact.id, refusal);
        }
      });
    return refusals;
  });
};
