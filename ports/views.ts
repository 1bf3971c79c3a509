import type { AccessViews } from "./views/access-views.ts";
import type { ActivityViews } from "./views/activity-views.ts";
import type { AgentViews } from "./views/agent-views.ts";
import type { CompanyViews } from "./views/company-views.ts";
import type { IssueViews } from "./views/issue-views.ts";
import type { OperationsViews } from "./views/operations-views.ts";
import type { PlanningViews } from "./views/planning-views.ts";
import type { RunViews } from "./views/run-views.ts";
import type { SecretViews } from "./views/secret-views.ts";
import type { StreamViews } from "./views/stream-views.ts";

/** What can be read: lists and joined pages, one query each. Nothing here decides anything. */
export interface Views {
  readonly access: AccessViews;
  readonly activity: ActivityViews;
  readonly agents: AgentViews;
  readonly companies: CompanyViews;
  readonly issues: IssueViews;
  readonly operations: OperationsViews;
  readonly planning: PlanningViews;
  readonly runs: RunViews;
  readonly secrets: SecretViews;
  readonly stream: StreamViews;
}
