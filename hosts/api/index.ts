import { activity } from "./activity/activity.ts";
import { adapters } from "./adapters/adapters.ts";
import { agents } from "./agents/agents.ts";
import { approvals } from "./approvals/approvals.ts";
import { grants } from "./approvals/grants.ts";
import { members, tokens, users } from "./board/board.ts";
import { savedViews } from "./board/saved-views.ts";
import { companies } from "./companies/companies.ts";
import { costs } from "./costs/costs.ts";
import type { Endpoint } from "./endpoint/endpoint.ts";
import { eventSubscriptions } from "./events/event-subscriptions.ts";
import { goals } from "./goals/goals.ts";
import { inbox } from "./inbox/inbox.ts";
import { assets, attachments } from "./issues/attachments.ts";
import { changes, runChanges } from "./issues/changes.ts";
import { documents } from "./issues/documents.ts";
import { issueGates } from "./issues/gates.ts";
import { interactions } from "./issues/interactions.ts";
import { issues } from "./issues/issues.ts";
import { labels } from "./issues/labels.ts";
import { pullRequests } from "./issues/pull-requests.ts";
import { watchers } from "./issues/watchers.ts";
import { mcpServers } from "./mcp-servers/mcp-servers.ts";
import { projectGates } from "./projects/gates.ts";
import { projects } from "./projects/projects.ts";
import { repositories } from "./projects/repositories.ts";
import { routines } from "./routines/routines.ts";
import { runners } from "./runners/runners.ts";
import { runs } from "./runs/runs.ts";
import { secrets } from "./secrets/secrets.ts";
import { vaults } from "./secrets/vaults.ts";
import { assistants } from "./session/assistants.ts";
import { passkeys } from "./session/passkeys.ts";
import { pushSubscriptions } from "./session/push.ts";
import { session } from "./session/session.ts";
import { system } from "./system/system.ts";
import { volumes } from "./volumes/volumes.ts";
import { workspaces } from "./workspaces/workspaces.ts";

/** The published interface: every endpoint, by aggregate and name. */
export const api = {
  inbox,
  companies,
  agents,
  adapters,
  issues: { ...issues, ...changes, ...issueGates, ...pullRequests },
  interactions,
  watchers,
  documents,
  attachments,
  labels,
  assets,
  runs: { ...runs, ...runChanges },
  runners,
  volumes,
  routines,
  projects: { ...projects, ...projectGates },
  mcpServers,
  eventSubscriptions,
  repositories,
  workspaces,
  goals,
  secrets,
  vaults,
  approvals,
  grants,
  costs,
  activity,
  members,
  savedViews,
  users,
  tokens,
  session,
  assistants,
  passkeys,
  pushSubscriptions,
  system,
};

export type Api = typeof api;

export interface NamedEndpoint {
  /** `issues.checkout`: operationId, `boardroom issues checkout`, `client.issues.checkout`. */
  readonly name: string;
  readonly group: string;
  readonly action: string;
  readonly endpoint: Endpoint;
}

/** The same as a list. */
export const endpoints: readonly NamedEndpoint[] = Object.entries(api).flatMap(([group, actions]) =>
  Object.entries(actions as unknown as Record<string, Endpoint>).map(([action, endpoint]) => ({
    name: `${group}.${action}`,
    group,
    action,
    endpoint,
  })),
);
