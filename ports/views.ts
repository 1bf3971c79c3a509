import type { AccessViews } from "./views/access-views.ts";
import type { ActivityViews } from "./views/activity-views.ts";
import type { AgentViews } from "./views/agent-views.ts";
import type { ApprovalViews } from "./views/approval-views.ts";
import type { CompanyViews } from "./views/company-views.ts";
import type { CostViews } from "./views/cost-views.ts";
import type { EventViews } from "./views/event-views.ts";
import type { FileViews } from "./views/file-views.ts";
import type { InboxViews } from "./views/inbox-views.ts";
import type { IssueViews } from "./views/issue-views.ts";
import type { IssueWorkspaceViews } from "./views/issue-workspace-views.ts";
import type { McpServerViews } from "./views/mcp-server-views.ts";
import type { OperationsViews } from "./views/operations-views.ts";
import type { PlanningViews } from "./views/planning-views.ts";
import type { RoutineViews } from "./views/routine-views.ts";
import type { RunViews } from "./views/run-views.ts";
import type { SearchViews } from "./views/search-views.ts";
import type { SecretViews } from "./views/secret-views.ts";
import type { StreamViews } from "./views/stream-views.ts";
import type { ThreadViews } from "./views/thread-views.ts";
import type { VolumeViews } from "./views/volume-views.ts";

/** Read access: lists and joined pages, one query each. Views decide nothing. */
export interface Views {
  readonly access: AccessViews;
  readonly activity: ActivityViews;
  readonly agents: AgentViews;
  readonly approvals: ApprovalViews;
  readonly companies: CompanyViews;
  readonly costs: CostViews;
  readonly events: EventViews;
  readonly files: FileViews;
  readonly inbox: InboxViews;
  readonly issues: IssueViews;
  readonly mcpServers: McpServerViews;
  readonly operations: OperationsViews;
  readonly planning: PlanningViews;
  readonly routines: RoutineViews;
  readonly runs: RunViews;
  readonly search: SearchViews;
  readonly secrets: SecretViews;
  readonly stream: StreamViews;
  readonly thread: ThreadViews;
  readonly issueWorkspaces: IssueWorkspaceViews;
  readonly volumes: VolumeViews;
}
