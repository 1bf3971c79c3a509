import * as Effect from "effect/Effect";
import type { IssueInDetail, IssueViews } from "../../../ports/views/issue-views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import { type IssueFacts, issueActions } from "../../model/issues/issue-actions.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { readGateFacts } from "./gates/read-gates.ts";

export interface ShownIssue extends IssueInDetail, Pick<IssueFacts, "gates"> {}

/** Returns an issue with the facts for `issueActions`. Only an open issue with gates takes more than one reading. */
export const showIssue = (context: UseCaseContext, views: IssueViews) => (id: IssueId) =>
  views.get(id).pipe(
    Effect.flatMap((found) => {
      const { issue, related } = found;
      const gates =
        related.hasGates && !isClosed(issue.status)
          ? context.transactor.transact((stores) => readGateFacts(stores, issue))
          : Effect.succeed(null);
      return Effect.map(gates, (gates): ShownIssue => Object.assign(found, { gates }));
    }),
  );

/** Adds the actions that the reader may take to the issue's record, which nobody else shares, and returns it. */
export const addIssueActions = (
  { issue, related, gates }: ShownIssue,
  caller: BoardCaller | AgentCaller,
  at: Instant,
) => {
  const { companyId, blockedBy } = issue;
  const { companyHeldByBudgetAt } = related;
  const facts: IssueFacts = {
    ...related,
    issue,
    gates,
    at,
    openBlockers: blockedBy.filter(({ status }) => !isClosed(status)).map(({ id }) => id),
    reader: caller.kind === "agent" ? { ...caller.self, id: caller.agentId, companyHeldByBudgetAt } : null,
  };
  return Object.assign(issue, { callerMay: issueActions(facts, { caller, companyId, ...related }) });
};
