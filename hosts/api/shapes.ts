import { z } from "zod";
import * as activityShapes from "./activity/activity-shapes.ts";
import * as adapterShapes from "./adapters/adapter-shapes.ts";
import * as agentShapes from "./agents/agent-shapes.ts";
import * as approvalShapes from "./approvals/approval-shapes.ts";
import * as grantShapes from "./approvals/grant-shapes.ts";
import * as boardShapes from "./board/board-shapes.ts";
import * as companyShapes from "./companies/company-shapes.ts";
import * as templateShapes from "./companies/template-shapes.ts";
import * as costShapes from "./costs/cost-shapes.ts";
import { Done } from "./endpoint/values.ts";
import * as eventShapes from "./events/event-shapes.ts";
import * as goalShapes from "./goals/goal-shapes.ts";
import * as inboxShapes from "./inbox/inbox-shapes.ts";
import * as attachmentShapes from "./issues/attachment-shapes.ts";
import * as changeShapes from "./issues/change-shapes.ts";
import * as documentShapes from "./issues/document-shapes.ts";
import * as interactionShapes from "./issues/interaction-shapes.ts";
import * as issueShapes from "./issues/issue-shapes.ts";
import * as labelShapes from "./issues/label-shapes.ts";
import * as pullRequestShapes from "./issues/pull-request-shapes.ts";
import * as watcherShapes from "./issues/watcher-shapes.ts";
import * as mcpServerShapes from "./mcp-servers/mcp-server-shapes.ts";
import * as gateShapes from "./projects/gate-shapes.ts";
import * as projectShapes from "./projects/project-shapes.ts";
import * as repositoryShapes from "./projects/repository-shapes.ts";
import * as routineShapes from "./routines/routine-shapes.ts";
import * as runnerShapes from "./runners/runner-shapes.ts";
import * as runShapes from "./runs/run-shapes.ts";
import * as secretShapes from "./secrets/secret-shapes.ts";
import * as vaultShapes from "./secrets/vault-shapes.ts";
import * as sessionShapes from "./session/session-shapes.ts";
import * as volumeShapes from "./volumes/volume-shapes.ts";
import * as workspaceShapes from "./workspaces/workspace-shapes.ts";

const modules = [
  activityShapes,
  adapterShapes,
  agentShapes,
  approvalShapes,
  grantShapes,
  boardShapes,
  companyShapes,
  templateShapes,
  costShapes,
  eventShapes,
  goalShapes,
  inboxShapes,
  attachmentShapes,
  documentShapes,
  interactionShapes,
  issueShapes,
  labelShapes,
  projectShapes,
  gateShapes,
  mcpServerShapes,
  repositoryShapes,
  routineShapes,
  runShapes,
  runnerShapes,
  volumeShapes,
  secretShapes,
  vaultShapes,
  sessionShapes,
  watcherShapes,
  workspaceShapes,
  changeShapes,
  pullRequestShapes,
];

/** The records of the interface by their name in the API description: `IssueShape` is `Issue`. */
export const shapes: ReadonlyMap<string, z.ZodType> = new Map([
  ["Done", Done as z.ZodType] as const,
  ...modules
    .flatMap((module) => Object.entries<unknown>(module))
    .flatMap(([name, shape]) =>
      shape instanceof z.ZodType && /(Shape|Node)$/.test(name)
        ? [[name.replace(/Shape$/, ""), shape] as const]
        : [],
    ),
]);
