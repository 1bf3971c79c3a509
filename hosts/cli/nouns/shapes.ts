import type { z } from "zod";
import * as activityShapes from "../../api/activity/activity-shapes.ts";
import * as adapterShapes from "../../api/adapters/adapter-shapes.ts";
import * as agentShapes from "../../api/agents/agent-shapes.ts";
import * as approvalShapes from "../../api/approvals/approval-shapes.ts";
import * as grantShapes from "../../api/approvals/grant-shapes.ts";
import * as boardShapes from "../../api/board/board-shapes.ts";
import * as companyShapes from "../../api/companies/company-shapes.ts";
import * as templateShapes from "../../api/companies/template-shapes.ts";
import * as costShapes from "../../api/costs/cost-shapes.ts";
import * as eventShapes from "../../api/events/event-shapes.ts";
import * as goalShapes from "../../api/goals/goal-shapes.ts";
import * as inboxShapes from "../../api/inbox/inbox-shapes.ts";
import * as attachmentShapes from "../../api/issues/attachment-shapes.ts";
import * as changeShapes from "../../api/issues/change-shapes.ts";
import * as documentShapes from "../../api/issues/document-shapes.ts";
import * as interactionShapes from "../../api/issues/interaction-shapes.ts";
import * as issueShapes from "../../api/issues/issue-shapes.ts";
import * as pullRequestShapes from "../../api/issues/pull-request-shapes.ts";
import * as watcherShapes from "../../api/issues/watcher-shapes.ts";
import * as mcpServerShapes from "../../api/mcp-servers/mcp-server-shapes.ts";
import * as gateShapes from "../../api/projects/gate-shapes.ts";
import * as projectShapes from "../../api/projects/project-shapes.ts";
import * as repositoryShapes from "../../api/projects/repository-shapes.ts";
import * as routineShapes from "../../api/routines/routine-shapes.ts";
import * as runnerShapes from "../../api/runners/runner-shapes.ts";
import * as runShapes from "../../api/runs/run-shapes.ts";
import * as secretShapes from "../../api/secrets/secret-shapes.ts";
import * as vaultShapes from "../../api/secrets/vault-shapes.ts";
import * as sessionShapes from "../../api/session/session-shapes.ts";
import * as volumeShapes from "../../api/volumes/volume-shapes.ts";
import * as workspaceShapes from "../../api/workspaces/workspace-shapes.ts";

const exported = {
  ...activityShapes,
  ...adapterShapes,
  ...agentShapes,
  ...approvalShapes,
  ...attachmentShapes,
  ...boardShapes,
  ...changeShapes,
  ...companyShapes,
  ...costShapes,
  ...documentShapes,
  ...eventShapes,
  ...gateShapes,
  ...goalShapes,
  ...grantShapes,
  ...inboxShapes,
  ...interactionShapes,
  ...issueShapes,
  ...mcpServerShapes,
  ...projectShapes,
  ...pullRequestShapes,
  ...repositoryShapes,
  ...routineShapes,
  ...runShapes,
  ...runnerShapes,
  ...secretShapes,
  ...sessionShapes,
  ...templateShapes,
  ...vaultShapes,
  ...volumeShapes,
  ...watcherShapes,
  ...workspaceShapes,
};

/** The shapes of answers, by name. It imports the schemas: printers take its type only. */
export type Shapes = {
  [Name in keyof typeof exported as (typeof exported)[Name] extends z.ZodType
    ? Name
    : never]: (typeof exported)[Name];
};
export type ShapeName = keyof Shapes;

export const shapes = exported as Shapes;
