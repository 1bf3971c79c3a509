import type { EntityType } from "../../../core/model/activity/activity-entry.ts";
import type { Client } from "../../library/client.ts";
import type { CallName, CallPrefix } from "./call-name.ts";

/** Kinds of things that only writes name: events of interactions and watchers are about their issues. */
type Unlogged = "watcher" | "interaction" | "adapter";

/** The records whose allowed actions depend on the state of their company, on budgets and on the reader's role. */
const shown = [
  "agents",
  "issues.get",
  "interactions",
  "runs.get",
  "approvals",
  "routines",
  "projects",
  "workspaces.list",
] as const satisfies readonly CallPrefix[];

/**
 * The calls that are read again when something happens, in one table: by the kind of thing an event or a write is about, the calls
 * whose answers it changes. A prefix stands for all calls below it.
 */
const touched: Readonly<Record<EntityType | Unlogged, readonly CallPrefix[]>> = {
  company: [...shown, "companies", "session", "costs.summary", "inbox", "companies.pulse"],
  issue: [
    "issues",
    "agents.get",
    "agents.explanation",
    // Whether a run of it is tried again.
    "runs.get",
    "watchers",
    "interactions",
    "documents",
    "attachments",
    // A merge decides what may go.
    "workspaces.list",
    "inbox",
    "companies.pulse",
  ],
  watcher: ["watchers", "inbox"],
  // A run waits for one.
  interaction: [
    "interactions",
    "issues",
    "agents.explanation",
    "agents.get",
    "inbox",
    "companies.pulse",
    "runs",
  ],
  label: ["labels", "issues"],
  project: ["projects", "issues.get", "runs.get", "routines", "costs.byProject", "inbox"],
  // A secret names both among its users.
  repository: ["repositories", "secrets"],
  mcp_server: ["mcpServers", "agents.mcpServers", "secrets"],
  event_subscription: ["eventSubscriptions", "inbox"],
  workspace: ["workspaces"],
  goal: ["goals", "issues.get"],
  // A hire and a routine name it.
  agent: [
    "agents",
    "approvals",
    "routines",
    "runs.get",
    "issues.get",
    "costs.byAgent",
    "inbox",
    "companies.pulse",
  ],
  heartbeat_run: [
    "runs",
    "workspaces",
    "agents",
    "issues.get",
    "issues.list",
    "issues.changes",
    "issues.lineComments",
    "costs",
    "inbox",
    "companies.pulse",
  ],
  approval: ["approvals", "agents", "inbox", "companies.pulse"],
  grant: ["grants", "approvals"],
  cost_event: ["costs", "companies.pulse"],
  budget: [...shown, "costs", "companies", "inbox", "companies.pulse"],
  routine: ["routines", "inbox", "companies.pulse"],
  secret: ["secrets", "vaults"],
  secret_provider_config: ["vaults", "secrets", "inbox"],
  member: [...shown, "members", "companies", "session"],
  asset: ["companies", "assets"],
  adapter: ["adapters", "system"],
};

/** Groups of calls whose things are named otherwise in events. */
const thingOf: Readonly<Partial<Record<keyof Client, keyof typeof touched>>> = {
  companies: "company",
  issues: "issue",
  watchers: "watcher",
  interactions: "interaction",
  documents: "issue",
  attachments: "issue",
  labels: "label",
  projects: "project",
  repositories: "repository",
  mcpServers: "mcp_server",
  eventSubscriptions: "event_subscription",
  workspaces: "workspace",
  goals: "goal",
  agents: "agent",
  runs: "heartbeat_run",
  approvals: "approval",
  grants: "grant",
  costs: "cost_event",
  routines: "routine",
  secrets: "secret",
  vaults: "secret_provider_config",
  members: "member",
  assets: "asset",
  adapters: "adapter",
};

/** After an event about a thing of that kind. Every event is in the audit trail. */
export const keysTouchedByEvent = (thing: keyof typeof touched): readonly string[] => [
  // A newer service may log kinds that this page does not know.
  ...(touched[thing] ?? []),
  "activity",
];

/** After a call that changes something. */
export const keysTouchedBy = (callName: CallName): readonly string[] => {
  const group = callName.slice(0, callName.indexOf("."));
  const thing = thingOf[group as keyof Client];
  return thing === undefined ? [group] : keysTouchedByEvent(thing);
};

/** After an event of the run that is shown. */
export const keysTouchedByRunEvent: readonly CallName[] = ["runs.get", "runs.events"];
