import { crowd, nth } from "./crowded-database.ts";

/** A call of a list: its path and query. */
export interface ListCase {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The companies of a board user who is no admin; default: an admin calls. */
  readonly memberOf?: readonly string[];
  /** How many rows it may read beyond those of the page, and why. */
  readonly beyond?: readonly [rows: number, because: string];
  /** The table of which the list shows nearly all rows. */
  readonly shows?: string;
}

const { big, busy, small } = crowd;
const of = (
  companyId: string,
  query: Record<string, string> = {},
  more: Partial<ListCase> = {},
): ListCase => ({
  path: { companyId },
  query,
  ...more,
});
const eachOf = (
  name: string,
  kind: Parameters<typeof nth>[0],
  ns: readonly number[],
  query = {},
): ListCase[] => ns.map((n) => ({ path: { [name]: nth(kind, n) }, query }));
/** The companies with most rows, few, and none. */
const threeOf = (name: string, kind: Parameters<typeof nth>[0], query = {}) =>
  eachOf(name, kind, [1, 1001, 999_999], query);

const bothLabels = `${nth("label", 8)},${nth("label", 9)}`;
const agent = (n: number) => ({ assigneeAgentId: nth("agent", n) });
const person = (n: number) => ({ assigneeUserId: nth("user", n) });

const commonWord = [5_000, "the newest issues, comments and documents with a word that most have"] as const;

/** By the index of those, or along all that are done. */
const verified = [20_000, "the verified issues of the company, or the done ones that it passes"] as const;
const ofIssues: readonly ListCase[] = [
  of(big),
  of(small),
  of(busy),
  ...[big, small].flatMap((company) =>
    ["todo", "in_progress", "done", "todo,in_progress,blocked", "done,cancelled"].map((status) =>
      of(company, { status }),
    ),
  ),
  of(big, agent(1)),
  of(big, agent(2)),
  of(big, agent(30)),
  of(big, { assigneeAgentId: "null" }),
  of(small, { assigneeAgentId: "null" }),
  of(big, { ...agent(1), status: "todo,in_progress,blocked" }),
  of(big, { ...agent(1), status: "in_progress" }),
  of(big, { ...agent(30), status: "todo,in_progress,blocked" }),
  of(big, { assigneeAgentId: "null", status: "todo" }),
  of(big, person(5)),
  of(big, person(7)),
  of(small, person(5)),
  of(big, person(999)),
  of(big, { ...person(7), status: "todo,in_progress,in_review" }),
  of(big, { createdByAgentId: nth("agent", 1) }),
  of(big, { createdByAgentId: nth("agent", 30), status: "todo,in_progress,blocked" }),
  of(big, { createdByUserId: nth("user", 7) }),
  of(small, { createdByUserId: nth("user", 7) }),
  of(big, { createdByUserId: nth("user", 9), status: "todo,in_progress" }),
  of(big, { createdByUserId: nth("user", 999) }),
  of(big, { projectId: nth("project", 1) }),
  of(big, { projectId: nth("project", 2) }),
  of(big, { projectId: nth("project", 1), status: "todo,in_progress" }),
  of(big, { goalId: nth("goal", 1) }),
  of(big, { goalId: nth("goal", 2) }),
  of(big, { goalId: nth("goal", 1), status: "todo,in_progress" }),
  of(big, { parentId: nth("issue", 1) }),
  of(big, { parentId: nth("issue", 1), status: "todo" }),
  of(big, { parentId: nth("issue", 77) }),
  of(big, { labelIds: nth("label", 1) }),
  of(big, { labelIds: nth("label", 2) }),
  of(
    big,
    { labelIds: bothLabels },
    { beyond: [60_000, "the issues of one label, of which a quarter has the other"] },
  ),
  of(big, { labelIds: `${nth("label", 2)},${nth("label", 9)}` }),
  of(big, { labelIds: nth("label", 1), status: "todo" }),
  of(small, { labelIds: nth("label", 55) }),
  of(big, { q: "word17 thing" }),
  of(big, { q: "word17" }),
  of(big, { q: "comment17" }),
  of(small, { q: "word200" }),
  of(big, { q: "BIG-7" }),
  of(big, { q: "nowhere" }),
  of(big, { q: "issue" }, { beyond: commonWord }),
  of(big, { q: "issue", status: "in_progress" }, { beyond: commonWord }),
  of(big, { q: "issue", ...agent(1) }, { beyond: commonWord }),
  of(big, { slim: "true" }),
  of(big, { priority: "critical" }),
  of(big, { priority: "critical,high", status: "todo,in_progress" }),
  of(big, { updatedSince: "2026-03-01" }),
  of(big, { doneAs: "verified" }, { beyond: verified }),
  of(big, { doneAs: "reported" }),
  of(small, { doneAs: "reported" }),
];

const counted = [110_000, "the issues that it counts, and gates of their own"] as const;

/** A walk over all issues reads each issue of the company once. */
const passing = [35_000, "those that it passes on its way"] as const;
const byCreation: readonly ListCase[] = [
  of(big, { sort: "created" }),
  of(small, { sort: "created" }),
  of(big, { sort: "created", status: "todo" }, { beyond: passing }),
  of(big, { sort: "created", status: "in_progress" }),
  of(big, { sort: "created", ...agent(1), status: "todo,in_progress,blocked" }, { beyond: passing }),
  of(big, { sort: "created", ...agent(2) }),
  of(big, { sort: "created", ...person(7) }),
  of(big, { sort: "created", createdByAgentId: nth("agent", 2) }),
  of(big, { sort: "created", createdByUserId: nth("user", 7) }),
  of(big, { sort: "created", projectId: nth("project", 2) }),
  of(big, { sort: "created", parentId: nth("issue", 1) }, { beyond: passing }),
  of(big, { sort: "created", labelIds: bothLabels }, { beyond: passing }),
  of(big, { sort: "created", labelIds: nth("label", 2) }),
  of(big, { sort: "created", q: "word17" }),
];

const byNewest: readonly ListCase[] = [
  of(big, { sort: "newest" }),
  of(small, { sort: "newest" }),
  of(big, { sort: "newest", status: "todo" }, { beyond: passing }),
  of(big, { sort: "newest", ...agent(1), status: "todo,in_progress,blocked" }, { beyond: passing }),
  of(big, { sort: "newest", ...person(7) }),
  of(big, { sort: "newest", projectId: nth("project", 2) }),
  of(big, { sort: "newest", labelIds: bothLabels }, { beyond: passing }),
  of(big, { sort: "newest", q: "word17" }),
];

const byActivity: readonly ListCase[] = [
  of(big, { sort: "activity" }),
  of(small, { sort: "activity" }),
  of(big, { sort: "activity", status: "todo,in_progress,blocked" }),
  of(big, { sort: "activity", updatedSince: "2026-03-01" }),
  of(big, { sort: "activity", doneAs: "verified" }, { beyond: verified }),
  of(big, { sort: "activity", ...agent(1) }),
];

const month = { from: "2026-03-01", to: "2026-04-01" };

const ofOneIssue = [5_000, "the runs of the issue"] as const;
const months = [of(big), of(small), of(big, month), of(small, month)];
const breakdown = months.map(
  (each): ListCase => ({ ...each, beyond: [5_000, "the sums of the month's days, each once"] }),
);
/** Begins and ends within a day. */
const partsOfDays = { from: "2026-03-10T12:00:00Z", to: "2026-03-12T12:00:00Z" };

/** Every list of the API, with calls of each; or why it reads no table that grows. */
export const listCases: Readonly<Record<string, readonly ListCase[] | string>> = {
  "issues.list": [...ofIssues, ...byCreation, ...byNewest, ...byActivity],
  "issues.search": [
    of(big, { q: "word17" }),
    of(big, { q: "word17 thing" }),
    of(big, { q: "comment17" }),
    of(small, { q: "issue" }),
    of(big, { q: "issue" }, { beyond: commonWord }),
    of(big, { q: "lantern" }, { beyond: commonWord }),
    of(big, { q: "BIG-7" }),
  ],
  "issues.comments": [...threeOf("issueId", "issue"), ...threeOf("issueId", "issue", { order: "asc" })],
  "issues.commentRevisions": [
    { path: { issueId: nth("issue", 1), commentId: nth("other", 10) } },
    { path: { issueId: nth("issue", 1), commentId: nth("other", 20) } },
  ],
  "issues.lineComments": threeOf("issueId", "issue"),
  "watchers.list": threeOf("issueId", "issue"),
  "interactions.list": [
    ...threeOf("issueId", "issue"),
    ...threeOf("issueId", "issue", { status: "pending" }),
  ],
  "documents.list": threeOf("issueId", "issue"),
  "documents.revisions": eachOf("issueId", "issue", [1, 1001]).map((each) => ({
    ...each,
    path: { ...each.path, key: "plan" },
  })),
  "attachments.list": threeOf("issueId", "issue"),
  "approvals.ofIssue": threeOf("issueId", "issue"),
  "activity.ofIssue": threeOf("issueId", "issue"),
  "runs.ofIssue": threeOf("issueId", "issue"),
  "activity.list": [
    of(big),
    of(small),
    of(big, { entityType: "issue" }),
    of(big, { entityType: "approval" }),
    of(big, { entityType: "nothing" }),
    of(small, { entityType: "issue" }),
    of(big, { entityId: nth("issue", 1) }),
    of(big, { entityId: nth("issue", 50) }),
    of(big, { actorId: nth("agent", 1) }),
    of(big, { actorId: nth("agent", 2) }),
    of(big, { actorId: nth("user", 1) }),
    of(small, { actorId: nth("user", 1) }),
    of(big, { actorId: nth("agent", 1), entityType: "approval" }),
    of(big, { actorId: nth("user", 1), entityType: "heartbeat_run" }),
    of(big, { entityType: "issue", entityId: nth("issue", 1), actorId: nth("agent", 1) }),
    of(big, { from: "2020-01-01", to: "2100-01-01" }),
    of(small, { from: "2020-01-01" }),
    of(big, { to: "2020-01-01" }),
    of(big, { from: "2020-01-01", actorId: nth("agent", 1) }),
    of(big, { from: "2020-01-01", actorId: nth("agent", 2) }),
    of(big, { from: "2020-01-01", entityType: "approval" }),
    of(big, { q: "word17" }),
    of(big, { q: "event" }),
    of(small, { q: "event" }),
    of(big, { q: "nowhere" }),
    of(big, { q: "word17", actorId: nth("agent", 2) }),
  ],
  "runs.list": [
    of(big),
    of(small),
    ...[
      "succeeded",
      "failed",
      "timed_out",
      "queued",
      "running",
      "queued,running",
      "cancelled",
      "failed,timed_out",
    ].map((status) => of(big, { status })),
    of(small, { status: "succeeded" }),
    of(small, { status: "running" }),
    of(big, { agentId: nth("agent", 1) }),
    of(big, { agentId: nth("agent", 2) }),
    of(big, { agentId: nth("agent", 1), status: "timed_out" }),
    of(big, { agentId: nth("agent", 1), status: "running" }),
    of(
      big,
      { agentId: nth("agent", 30), status: "failed" },
      { beyond: [11_000, "those that failed, of which none is the agent's"] },
    ),
    of(big, { issueId: nth("issue", 1) }),
    of(big, { issueId: nth("issue", 1), status: "timed_out" }, { beyond: ofOneIssue }),
    of(big, { issueId: nth("issue", 1), agentId: nth("agent", 2) }, { beyond: ofOneIssue }),
    of(big, { issueId: nth("issue", 100) }),
    of(big, { errorCode: "timeout" }),
    of(big, { errorCode: "nothing" }),
    of(small, { from: "2026-03-01" }),
    of(big, month),
    of(big, { to: "2020-01-01" }),
    of(big, { status: "failed,timed_out", finishedFrom: "2100-01-01", finishedTo: "2100-01-02" }),
    of(small, { status: "failed,timed_out", finishedFrom: "2020-01-01" }),
  ],
  "runs.messages": threeOf("runId", "run", { limit: "100" }),
  "runs.events": [
    ...threeOf("runId", "run", { afterSeq: "0", limit: "100" }),
    { path: { runId: nth("run", 1) }, query: { afterSeq: "19000" } },
  ],
  "costs.events": [
    of(big),
    of(small),
    of(big, month),
    of(small, month),
    of(big, { agentId: nth("agent", 1) }),
    of(big, { ...month, agentId: nth("agent", 1) }),
    of(big, { ...month, agentId: nth("agent", 2) }),
    of(small, { ...month, agentId: nth("agent", 161) }),
  ],
  "costs.byAgent": [
    ...breakdown,
    of(big, partsOfDays, { beyond: [5_000, "the sums of a day, and the events of the parts of two"] }),
  ],
  "costs.byProject": breakdown,
  "costs.byProvider": breakdown,
  "costs.usageWindows": [of(big), of(small)],
  "costs.byIssue": [
    ...months,
    of(big, { count: "5" }),
    of(big, partsOfDays, { beyond: [8_000, "the events of a period that is no month, each once"] }),
  ],
  "costs.byAgentAndDay": [
    ...breakdown,
    of(big, partsOfDays, { beyond: [5_000, "the sums of a day, and the events of the parts of two"] }),
  ],
  "costs.byDay": [...breakdown, of(big, { ...month, agentId: nth("agent", 1) })],
  "inbox.list": [
    { memberOf: [small] },
    { memberOf: [small], query: { kind: "approval,questions" } },
    { memberOf: [small], query: { dismissed: "true" } },
  ],
  "inbox.counts": [{ memberOf: [small] }],
  "inbox.ofCompany": [
    of(big, {}, { beyond: [6_000, "all failures of two weeks and all issues in progress wait at once"] }),
    of(small),
    of(small, { kind: "approval,questions" }),
    of(small, { dismissed: "true" }),
  ],
  "approvals.list": [
    of(big),
    of(small),
    ...["pending", "approved", "rejected", "pending,revision_requested"].map((status) => of(big, { status })),
    of(small, { status: "pending" }),
    of(big, { type: "hire_agent" }),
    of(big, { type: "ownership_decision", status: "pending" }),
  ],
  "approvals.issues": threeOf("approvalId", "approval"),
  "approvals.comments": threeOf("approvalId", "approval"),
  "grants.list": [of(big), of(small)],
  "routines.list": [of(big, {}, { beyond: [4_000, "the triggers of each"] }), of(small)],
  "routines.runs": threeOf("routineId", "routine"),
  "routines.revisions": threeOf("routineId", "routine"),
  "routines.nextFires": "worked out from the schedules of one routine, as many as are asked for",
  "routines.companyNextFires": [of(big), of(small, { count: "5" })],
  "routines.previewFires": "worked out from the schedule that is sent, as many as are asked for",
  "secrets.list": [of(big, {}, { beyond: [15_000, "who is bound to each"] }), of(small)],
  "secrets.versions": threeOf("secretId", "secret"),
  "secrets.accessEvents": threeOf("secretId", "secret"),
  "vaults.list": [of(big), of(small)],
  "agents.list": [of(big), of(small)],
  "agents.org": [of(big), of(small)],
  "agents.keys": threeOf("agentId", "agent"),
  "agents.configRevisions": threeOf("agentId", "agent"),
  "projects.list": [of(big), of(small), of(big, { archived: "true" })],
  "workspaces.commands": "at most 20 rows of a workspace, by an index",
  "mcpServers.list": [of(big), of(small)],
  "eventSubscriptions.list": [of(big), of(small)],
  "eventSubscriptions.deliveries": [
    ...threeOf("eventSubscriptionId", "eventSubscription"),
    ...threeOf("eventSubscriptionId", "eventSubscription", { state: "delivered" }),
  ],
  "agents.mcpServers": "the core chooses among the rows of mcpServers.list",
  "workspaces.list": [
    of(big),
    of(small),
    of(big, { issueId: nth("issue", 1) }),
    of(big, { projectId: nth("project", 1) }),
  ],
  "projects.gates": "at most 20 rows of one project, by its key",
  "repositories.list": threeOf("projectId", "project"),
  "goals.list": [of(big), of(small), of(big, { archived: "true" })],
  "labels.list": [of(big), of(small)],
  "companies.houseRulesRevisions": [of(big), of(small)],
  "companies.list": [
    { shows: "companies" },
    { memberOf: [big, small] },
    { memberOf: [big, small], query: { status: "archived" } },
  ],
  "companies.templates": "from files of the package",
  "members.list": [of(big), of(small)],
  "members.people": [of(big), of(small)],
  "users.list": [{}],
  "tokens.list": [{}, { query: { userId: nth("user", 1) } }],
  "adapters.list": "from the memory of the service",
  "adapters.models": "from the memory of the service",
  "issues.pullRequests": "of one issue, by an index",
  "runs.changes": "from the work of one run, by its key, and from the store of its repository",
  "issues.changes": "from the work of one issue, by its key, and from the store of its repository",
  "volumes.list": [{ beyond: [5_000, "the agents that it counts"], shows: "agents" }],
  "runners.list": "from the memory of the service",
  "issues.progress": [
    of(big, { by: "project" }, { beyond: counted, shows: "issues" }),
    of(big, { by: "goal" }, { beyond: counted, shows: "issues" }),
    of(small, { by: "project" }),
    of(big, { by: "project", id: nth("project", 2) }),
    of(big, { by: "goal", id: nth("goal", 2) }),
  ],
  "session.list": [{}],
  "session.signIns": [{}],
  "assistants.list": [{}],
  "passkeys.list": [{}],
  "pushSubscriptions.list": [{}],
  "savedViews.list": [of(big), of(small)],
};
