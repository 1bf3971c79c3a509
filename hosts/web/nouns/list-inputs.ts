import type { IssueOrder } from "../../../core/model/issues/issue-order.ts";
import { openStatuses } from "../../../core/model/issues/issue-status.ts";
import type { InputOf } from "../live/calls.ts";

export const defaultIssueOrder: IssueOrder = "priority";

/** The issues that a list without filters is about. */
export const openIssuesIn = (companyId: string) => ({ companyId, status: openStatuses });

/** The rows of the list of issues. A grouped list reads the longest page there is, so that most groups are complete. */
export const issueRowsOf = (
  asked: InputOf<"issues.list">,
  { sort, isGrouped }: { readonly sort: IssueOrder; readonly isGrouped: boolean },
) => ({ ...asked, sort, slim: true, limit: isGrouped ? 1_000 : 200 }) as const;

export const runsIn = (companyId: string) => ({ companyId, limit: 100 });

/** All that waits for the person. */
export const inboxEntries = { limit: 100 } as const;

/** How many of the most expensive issues are listed. */
export const mostCostlyIssues = 10;
