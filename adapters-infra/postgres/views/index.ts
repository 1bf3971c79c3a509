import type { Clock } from "../../../ports/clock.ts";
import type { Views } from "../../../ports/views.ts";
import type { Database } from "../database.ts";
import { accessViews } from "./access-views.ts";
import { activityViews } from "./activity-views.ts";
import { agentViews } from "./agent-views.ts";
import { approvalViews } from "./approval-views.ts";
import { companyViews } from "./company-views.ts";
import { costViews } from "./cost-views.ts";
import { eventViews } from "./event-views.ts";
import { fileViews } from "./file-views.ts";
import { inboxViews } from "./inbox-views.ts";
import { issueViews } from "./issue-views.ts";
import { issueWorkspaceViews } from "./issue-workspace-views.ts";
import { mcpServerViews } from "./mcp-server-views.ts";
import { operationsViews } from "./operations-views.ts";
import { planningViews } from "./planning-views.ts";
import { routineViews } from "./routine-views.ts";
import { runViews } from "./run-views.ts";
import { searchViews } from "./search-views.ts";
import { secretViews } from "./secret-views.ts";
import { streamViews } from "./stream-views.ts";
import { threadViews } from "./thread-views.ts";
import { volumeViews } from "./volume-views.ts";

export const postgresViews = (database: Database, clock: Clock): Views => ({
  access: accessViews(database),
  activity: activityViews(database),
  agents: agentViews(database),
  approvals: approvalViews(database),
  companies: companyViews(database),
  costs: costViews(database),
  events: eventViews(database),
  files: fileViews(database),
  inbox: inboxViews(database),
  issues: issueViews(database),
  mcpServers: mcpServerViews(database),
  operations: operationsViews(database),
  planning: planningViews(database),
  routines: routineViews(database),
  runs: runViews(database, clock),
  search: searchViews(database),
  secrets: secretViews(database),
  stream: streamViews(database),
  thread: threadViews(database),
  issueWorkspaces: issueWorkspaceViews(database),
  volumes: volumeViews(database),
});
