import * as Effect from "effect/Effect";
import type { IssueInDetail, IssueViews } from "../../../ports/views/issue-views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { IssueFacts } from "../../model/issues/issue-actions.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import { readGateFacts } from "./gates/read-gates.ts";

export interface ShownIssue extends IssueInDetail, Pick<IssueFacts, "gates"> {}

/** Returns an issue with the facts for `issueActions`. Only an open issue with gates takes more than one reading. */
export const showIssue = (context: UseCaseContext, views: IssueViews) => (id: IssueId) =>
  views.get(id).pipe(
    Effect.flatMap((found) => {
      const { issue, surroundings } = found;
      const gates =
        surroundings.hasGates && !isClosed(issue.status)
          ? context.transactor.transact((stores) => readGateFacts(stores, issue))
          : Effect.succeed(null);
      return Effect.map(gates, (gates): ShownIssue => Object.assign(found, { gates }));
    }),
  );
