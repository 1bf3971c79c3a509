import { activity } from "./activity.ts";
import { adapters } from "./adapters.ts";
import { agents } from "./agents.ts";
import { approvals } from "./approvals.ts";
import { assets, attachments } from "./attachments.ts";
import { members, session, tokens, users } from "./board.ts";
import { companies } from "./companies.ts";
import { costs } from "./costs.ts";
import { documents } from "./documents.ts";
import type { Endpoint } from "./endpoint.ts";
import { goals } from "./goals.ts";
import { grants } from "./grants.ts";
import { interactions } from "./interactions.ts";
import { issues } from "./issues.ts";
import { labels } from "./labels.ts";
import { projects } from "./projects.ts";
import { routines } from "./routines.ts";
import { runs } from "./runs.ts";
import { secrets } from "./secrets.ts";
import { system } from "./system.ts";
import { vaults } from "./vaults.ts";

/** The published interface: every endpoint, by aggregate and name. */
export const api = {
  companies,
  agents,
  adapters,
  issues,
  interactions,
  documents,
  attachments,
  labels,
  assets,
  runs,
  routines,
  projects,
  goals,
  secrets,
  vaults,
  approvals,
  grants,
  costs,
  activity,
  members,
  users,
  tokens,
  session,
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
