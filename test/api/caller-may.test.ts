import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ActionNoun, type ActionOf, actions } from "../../core/model/access/actions.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { externalAdapterCode, externalAdapterPackage, temporaryFolder } from "../support/external-adapter.ts";
import { fileForm } from "../support/file-form.ts";
import { anMcpServer, aRepository, aTree } from "../support/one-of-each.ts";
import { sampled } from "../support/sample.ts";
import type { RawAnswer, RawRequest } from "../support/service.ts";

/**
 * The actions that a record offers its reader, and their outcome: each action of the table is read from a record in each
 * state by each role, and then carried out on it. The gate tries each state by a third of the roles, and each noun by each role.
 */

let api: ApiService;
/** Carries out runs. */
let busy: ApiService;

beforeAll(async () => {
  // A backup can be requested, and nothing takes it.
  const env = { SERVICE_SECRETS_MASTER_KEY_NEXT: "01".repeat(32), SERVICE_BACKUP_TO: folder };
  [api, busy] = await Promise.all([startApi({ env }), startApi({ role: "all" })]);
});
const folder = temporaryFolder();
afterAll(async () => {
  await Promise.all([api, busy].map((service) => service?.stop()));
  rmSync(folder, { recursive: true });
});

const roles = ["viewer", "operator", "owner", "admin", "own", "peer"] as const;
type RoleName = (typeof roles)[number];

/** A company in which all roles exist; `own` is the agent that the records are about. */
interface Setup {
  readonly service: ApiService;
  readonly companyId: string;
  readonly ownId: string;
  readonly role: RoleName;
  /** The caller, where it is an agent. */
  readonly callerId: string | null;
  /** The caller, where its role is in the company. */
  readonly userId: string | null;
  readonly as: RawRequest;
}

// biome-ignore lint/suspicious/noExplicitAny: records of every kind.
type Json = any;

interface Attempt {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
}

type Call = (record: Json, setup: Setup, role: RoleName) => Attempt | Promise<Attempt>;

/** A record that is made for every action that is refused on it. */
const everyAction = "";

interface State {
  /** Makes a record on which that action can be tried, or every one. */
  readonly make: (setup: Setup, action: string) => Promise<Json>;
  readonly service?: () => ApiService;
  readonly by?: readonly RoleName[];
  /** Also in companies that are held. */
  readonly alsoHeld?: true;
  /** Also by agents that are paused. */
  readonly alsoPaused?: true;
}

interface Rule<Noun extends ActionNoun> {
  /** Where the record is read. */
  readonly path: (record: Json) => string;
  /** A list whose rows say it, too. */
  readonly list?: (setup: Setup, record: Json) => string;
  /** Makes a record in the state. What holds the whole company comes behind it, in `afterwards`. */
  readonly states: Readonly<Record<string, State>>;
  /** The least call that carries the action out. */
  readonly calls: Readonly<Record<ActionOf<Noun>, Call>>;
}

const untouched = "in an active company";
const agentsPaused = "while all agents are paused";

/** States of a company that come after the record was made. */
const afterwards: Readonly<Record<string, (service: ApiService, companyId: string) => Promise<unknown>>> = {
  [untouched]: async () => {},
  "in a paused company": (service, companyId) => service.make(`/api/companies/${companyId}/pause`),
  "in an archived company": (service, companyId) => service.make(`/api/companies/${companyId}/archive`),
  [agentsPaused]: async (service, companyId) => {
    for (const { id } of (await service.get(`/api/companies/${companyId}/agents`)).body)
      await service.make(`/api/agents/${id}/pause`);
  },
};

const setupOf = async (service: ApiService, role: RoleName): Promise<Setup> => {
  const { id: companyId } = await service.company();
  const { id: ownId } = await service.agent(companyId, {
    name: "Own",
    adapterConfig: { command: "sleep", args: ["7200"] },
  });
  const peer = await service.agent(companyId, {
    name: "Peer",
    adapterConfig: { command: "sleep", args: ["7200"] },
  });
  await service.make(`/api/companies/${companyId}/grants`, {
    agentId: peer.id,
    permission: "ownership:decide",
    classes: ["tooling"],
  });
  const setup = { service, companyId, ownId, role, callerId: null, userId: null };
  if (role === "admin") return { ...setup, as: { token: service.token } };
  if (role === "own" || role === "peer") {
    const { agentId, as } = await service.atWork(role === "own" ? ownId : peer.id);
    return { ...setup, callerId: agentId, as };
  }
  const { id, token } = await service.user(companyId, role);
  return { ...setup, userId: id, as: { token } };
};

const sharedSetups = new Map<string, Promise<Setup>>();

/** Tests that leave the company as it is share one. */
const sharedSetup = (service: ApiService, role: RoleName): Promise<Setup> => {
  const key = `${service.url} ${role}`;
  const setup = sharedSetups.get(key) ?? setupOf(service, role);
  sharedSetups.set(key, setup);
  return setup;
};

const agentAt =
  (change: (setup: Setup, id: string) => Promise<unknown>) =>
  async (setup: Setup): Promise<Json> => {
    const agent = await setup.service.agent(setup.companyId, {
      name: `A ${randomUUID()}`,
      adapterType: "process",
    });
    await change(setup, agent.id);
    return agent;
  };

const runAt =
  (command: readonly string[], until: string) =>
  async (setup: Setup): Promise<Json> => {
    const agent = await setup.service.agent(setup.companyId, {
      name: `R ${randomUUID()}`,
      adapterConfig: { command: command[0], args: command.slice(1) },
    });
    const { id } = await setup.service.make(`/api/agents/${agent.id}/heartbeat/invoke`);
    await expect
      .poll(async () => (await setup.service.get(`/api/heartbeat-runs/${id}`)).body.status, {
        timeout: 30_000,
      })
      .toBe(until);
    return { id, agentId: agent.id };
  };

const people: readonly RoleName[] = ["viewer", "operator", "owner", "admin"];

const cost = (agentId: string) => ({ agentId, provider: "p", model: "m", costCents: 2 });

/** Actions that change a company get one of their own. */
const changesCompany = ["pause", "resume", "archive"];

const companyAt =
  (change: (setup: Setup, id: string) => Promise<unknown>) =>
  async (setup: Setup, action: string): Promise<Json> => {
    const { service, role } = setup;
    // An agent has one company, and changes none.
    const isOwn = changesCompany.includes(action) && people.includes(role);
    const id = isOwn ? (await service.company()).id : setup.companyId;
    if (setup.userId !== null) await service.put(`/api/companies/${id}/members/${setup.userId}`, { role });
    const make = async (things: string, body: object) =>
      (await service.make(`/api/companies/${id}/${things}`, body)).id;
    const made = companyThings.get(id) ?? {
      id,
      callerId: setup.callerId,
      userId: (await service.user(null)).id,
      agentId: (await service.agent(id)).id,
      issueId: await make("issues", { title: "I" }),
      goalId: await make("goals", { title: "G" }),
      labelId: await make("labels", { name: randomUUID() }),
      projectId: await make("projects", { name: "P" }),
    };
    if (!companyThings.has(id)) await change(setup, id);
    companyThings.set(id, made);
    return made;
  };

const companyThings = new Map<string, Json>();

const confirmation = { kind: "request_confirmation", payload: { version: 1, prompt: "Go on?" } };

interface IssueState {
  readonly assignee?: "own" | "person" | "paused" | "terminated";
  readonly status?: string;
  readonly blocked?: true;
  readonly project?: "spent";
}

const issueAt =
  ({ assignee, status, project, blocked }: IssueState) =>
  async ({ service, companyId, ownId }: Setup, action: string): Promise<Json> => {
    const isFor = (one: ActionOf<"issue">) => action === everyAction || action === one;
    const other =
      assignee === "paused" || assignee === "terminated" ? (await service.agent(companyId)).id : null;
    const projectId =
      project === undefined
        ? undefined
        : (await service.make(`/api/companies/${companyId}/projects`, { name: "P" })).id;
    const { id } = await service.issue(companyId, {
      projectId,
      ...(blocked ? { blockedByIssueIds: [(await service.issue(companyId)).id] } : {}),
      ...(assignee === "own" || other !== null ? { assigneeAgentId: other ?? ownId } : {}),
      ...(assignee === "person" ? { assigneeUserId: (await service.user(companyId, "operator")).id } : {}),
    });
    if (isFor("deleteDocument")) await service.put(`/api/issues/${id}/documents/plan`, { body: "text" });
    const { id: approvalId } = !isFor("linkApproval")
      ? { id: null }
      : await service.make(`/api/companies/${companyId}/approvals`, {
          type: "approve_ceo_strategy",
          payload: {},
        });
    if (status !== undefined) await service.patch(`/api/issues/${id}`, { status });
    if (other !== null)
      await service.make(`/api/agents/${other}/${assignee === "paused" ? "pause" : "terminate"}`);
    if (projectId !== undefined) {
      await service.patch(`/api/projects/${projectId}`, { budgetMonthlyCents: 1 });
      await service.make(`/api/companies/${companyId}/cost-events`, { ...cost(ownId), projectId });
    }
    // Written by an admin who is no caller.
    const { id: commentId } = !isFor("changeComments")
      ? { id: null }
      : await service.make(`/api/issues/${id}/comments`, { body: "Words" });
    const { body } = await service.get(`/api/issues/${id}`);
    return { ...body, approvalId, commentId };
  };

const question = {
  id: "when",
  prompt: "When?",
  selectionMode: "single",
  options: [{ id: "now", label: "Now" }],
};
const interactions = {
  confirmation,
  tasks: { kind: "suggest_tasks", payload: { tasks: [{ clientKey: "a", title: "A" }] } },
  questions: { kind: "ask_user_questions", payload: { questions: [question] } },
} as const;

/** Asked by `own` in a run of it, or by an admin who is no caller. */
const interactionAt =
  (kind: keyof typeof interactions, end?: string, by: "own" | "admin" = "admin") =>
  async ({ service, companyId, ownId }: Setup): Promise<Json> => {
    const { id: issueId } = await service.issue(companyId);
    const as = by === "admin" ? {} : (await service.atWork(ownId)).as;
    const asked = await service.make(`/api/issues/${issueId}/interactions`, interactions[kind], as);
    if (end === "close") await service.patch(`/api/issues/${issueId}`, { status: "cancelled" });
    else if (end !== undefined) await service.make(`/api/issues/${issueId}/interactions/${asked.id}/${end}`);
    return asked;
  };

/** Suggested tasks that cannot be created any more. */
const lateTasks =
  (late: (setup: Setup) => Promise<{ readonly issue?: object; readonly task?: object; end: string }>) =>
  async (setup: Setup): Promise<Json> => {
    const { service, companyId } = setup;
    const { issue = {}, task = {}, end } = await late(setup);
    const { id: issueId } = await service.issue(companyId, issue);
    const tasks = [
      { clientKey: "a", title: "A", ...task },
      { clientKey: "b", title: "B", parentClientKey: "a" },
    ];
    const asked = await service.make(`/api/issues/${issueId}/interactions`, {
      kind: "suggest_tasks",
      payload: { tasks },
    });
    await service.make(end);
    return asked;
  };

const endOf = ({ id, issueId }: Json, end: string, body?: unknown): Attempt =>
  post(`/api/issues/${issueId}/interactions/${id}/${end}`, body);

const spendAll = async ({ service }: Setup, id: string) => {
  await service.patch(`/api/companies/${id}`, { budgetMonthlyCents: 1 });
  await service.make(`/api/companies/${id}/cost-events`, cost((await service.agent(id)).id));
};

const projectAt =
  (change: (setup: Setup, id: string) => Promise<unknown>) =>
  async (setup: Setup): Promise<Json> => {
    const project = await setup.service.make(`/api/companies/${setup.companyId}/projects`, { name: "P" });
    await change(setup, project.id);
    return project;
  };

const routineAt =
  (status: string) =>
  async ({ service, companyId, ownId }: Setup): Promise<Json> => {
    const { id: projectId } = await service.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const { id } = await service.make(`/api/companies/${companyId}/routines`, {
      title: "R",
      assigneeAgentId: ownId,
      projectId,
    });
    return (await service.patch(`/api/routines/${id}`, { status })).body;
  };

/** The workspace of an issue on the service's disk, as a run of `own` has left it, and the work that is kept of it. */
const workspaceAt =
  (state: {
    readonly is?: "removed" | "in use" | "unkept" | "not to be kept";
    readonly keeps?: "nothing" | "not all files";
    readonly isMerged?: true;
  }) =>
  async ({ service, companyId, ownId }: Setup): Promise<Json> => {
    const { sql } = service;
    const { id: projectId } = await service.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const { id: issueId } = await service.issue(companyId, { projectId });
    const repositoryId = await aRepository(service, companyId, projectId);
    const id = await aTree(service, companyId, issueId);
    const { runId } = state.is === "in use" ? await service.atWork(ownId, issueId) : { runId: randomUUID() };
    const uncapturedRunId = state.is === "unkept" || state.is === "not to be kept" ? runId : null;
    const problem = state.is === "not to be kept" ? "It cannot be read." : null;
    const isKept = state.keeps !== "nothing";
    const leftOut = state.keeps === "not all files" ? [{ path: "core", reason: "too_large" }] : [];
    await sql`
      update  issue_workspaces
      set     volume = coalesce((select volume from services limit 1), volume), run_id = ${runId}, uncaptured_run_id = ${uncapturedRunId},
              problem = ${problem}, made_at = ${state.is === "removed" ? null : new Date()}
      where   id = ${id}
    `;
    await sql`
      insert into issue_branches (issue_id, repository_id, company_id, branch, base_branch, base_commit, head, captured_run_id, merged_at, created_at, updated_at)
      values (${issueId}, ${repositoryId}, ${companyId}, 'boardroom/T-1', 'main', 'c0', 'c1', ${isKept ? runId : null}, ${state.isMerged ? new Date() : null}, now(), now())
    `;
    if (isKept)
      await sql`
        insert into run_works (run_id, repository_id, company_id, issue_id, workspace_id, head, files, left_out, captured_at)
        values (${runId}, ${repositoryId}, ${companyId}, ${issueId}, ${id}, 'c1', 'c1', ${sql.json(leftOut)}, now())
      `;
    return { id };
  };

/** Requested by `own`; decided by an owner who is no caller. */
const approvalAt =
  (type: string, payload: object = {}, decision?: string) =>
  async ({ service, companyId, ownId }: Setup): Promise<Json> => {
    const approval = await service.make(`/api/companies/${companyId}/approvals`, {
      type,
      requestedByAgentId: ownId,
      payload: type === "ownership_decision" ? { subject: "S", ...payload } : payload,
    });
    if (decision !== undefined)
      await service.make(
        `/api/approvals/${approval.id}/${decision}`,
        { decisionNote: "More" },
        { token: (await service.user(companyId, "owner")).token },
      );
    return approval;
  };

const post = (path: string, body?: unknown): Attempt => ({ method: "POST", path, body });

const rules: { readonly [Noun in ActionNoun]: Rule<Noun> } = {
  instance: {
    path: () => "/api/session",
    states: { "as it is": { make: async () => ({}), by: people } },
    calls: {
      createCompany: () => post("/api/companies", { name: "C" }),
      manageUsers: () => post("/api/board-users", { name: "U" }),
      manageAdapters: () => {
        const type = `adapter_${randomUUID().replaceAll("-", "_")}`;
        const localPath = externalAdapterPackage(folder, type, externalAdapterCode({ type }));
        return post("/api/adapters", { localPath });
      },
      inspect: () => ({ method: "GET", path: "/api/volumes" }),
      rotateMasterKey: () => post("/api/master-key/rotate"),
      releaseAgents: () => post("/api/system/release-after-restore"),
      backUp: () => post("/api/system/backups"),
    },
  },
  interaction: {
    path: ({ id, issueId }) => `/api/issues/${issueId}/interactions/${id}`,
    list: (_, { issueId }) => `/api/issues/${issueId}/interactions`,
    states: {
      "a confirmation": { make: interactionAt("confirmation"), alsoHeld: true },
      "suggested tasks": { make: interactionAt("tasks") },
      questions: { make: interactionAt("questions") },
      "asked by an agent": { make: interactionAt("confirmation", undefined, "own") },
      "tasks of an archived project": {
        make: lateTasks(async ({ service, companyId }) => {
          const { id } = await service.make(`/api/companies/${companyId}/projects`, { name: "P" });
          return { issue: { projectId: id }, end: `/api/projects/${id}/archive` };
        }),
      },
      "tasks for a terminated agent": {
        make: lateTasks(async ({ service, companyId }) => {
          const { id } = await service.agent(companyId);
          return { task: { assigneeAgentId: id }, end: `/api/agents/${id}/terminate` };
        }),
      },
      accepted: { make: interactionAt("confirmation", "accept") },
      rejected: { make: interactionAt("tasks", "reject") },
      "taken back": { make: interactionAt("questions", "cancel") },
      "of a closed issue": { make: interactionAt("questions", "close") },
    },
    calls: {
      accept: (asked) => endOf(asked, "accept"),
      reject: (asked) => endOf(asked, "reject"),
      respond: (asked) => endOf(asked, "respond", { answers: [{ questionId: "when", optionIds: ["now"] }] }),
      cancel: (asked) => endOf(asked, "cancel"),
    },
  },
  agent: {
    path: ({ id }) => `/api/agents/${id}`,
    list: ({ companyId }) => `/api/companies/${companyId}/agents?callerMay=true`,
    states: {
      active: { make: agentAt(async () => {}), alsoHeld: true },
      paused: { make: agentAt(({ service }, id) => service.make(`/api/agents/${id}/pause`)) },
      terminated: { make: agentAt(({ service }, id) => service.make(`/api/agents/${id}/terminate`)) },
      "not hired yet": {
        make: async ({ service, companyId }) =>
          (await service.make(`/api/companies/${companyId}/agent-hires`, { name: `D ${randomUUID()}` }))
            .agent,
      },
      "woken by its timer alone": {
        make: agentAt(({ service }, id) =>
          service.patch(`/api/agents/${id}`, { runtimeConfig: { heartbeat: { wakeOnDemand: false } } }),
        ),
      },
      "without budget": {
        make: agentAt(async ({ service, companyId }, agentId) => {
          await service.patch(`/api/agents/${agentId}`, { budgetMonthlyCents: 1 });
          await service.make(`/api/companies/${companyId}/cost-events`, {
            agentId,
            provider: "p",
            model: "m",
            costCents: 2,
          });
        }),
      },
      "the reader itself": {
        make: async ({ service, ownId }) => (await service.get(`/api/agents/${ownId}`)).body,
        by: ["own", "peer"],
      },
    },
    calls: {
      update: ({ id }, _, role) => ({
        method: "PATCH",
        path: `/api/agents/${id}`,
        body: role === "own" || role === "peer" ? {} : { title: randomUUID() },
      }),
      pause: ({ id }) => post(`/api/agents/${id}/pause`),
      resume: ({ id }) => post(`/api/agents/${id}/resume`),
      invoke: ({ id }) => post(`/api/agents/${id}/heartbeat/invoke`),
      terminate: ({ id }) => post(`/api/agents/${id}/terminate`),
      rollback: async ({ id }, { service }) => {
        const [first] = (await service.get(`/api/agents/${id}/config-revisions`)).body;
        return post(`/api/agents/${id}/config-revisions/${first?.id ?? randomUUID()}/rollback`);
      },
      syncSkills: ({ id }) => post(`/api/agents/${id}/skills/sync`, { desiredSkills: [] }),
      manageKeys: ({ id }) => post(`/api/agents/${id}/keys`),
      releaseWorkspace: ({ id }) => post(`/api/agents/${id}/workspace/release`),
    },
  },
  run: {
    path: ({ id }) => `/api/heartbeat-runs/${id}`,
    states: {
      queued: { make: runAt(["true"], "queued") },
      running: { make: runAt(["sleep", "600"], "running"), service: () => busy },
      succeeded: { make: runAt(["true"], "succeeded"), service: () => busy },
      failed: { make: runAt(["false"], "failed"), service: () => busy, alsoHeld: true },
      "failed, of a paused agent": {
        make: async (setup) => {
          const run = await runAt(["false"], "failed")(setup);
          await setup.service.make(`/api/agents/${run.agentId}/pause`);
          return run;
        },
        service: () => busy,
      },
    },
    calls: {
      cancel: ({ id }) => post(`/api/heartbeat-runs/${id}/cancel`),
      say: ({ id }) => post(`/api/heartbeat-runs/${id}/messages`, { body: "Look here." }),
      interrupt: ({ id }) => post(`/api/heartbeat-runs/${id}/interrupt`),
      retry: ({ id }) => post(`/api/heartbeat-runs/${id}/retry`),
      invoke: ({ agentId }) => post(`/api/agents/${agentId}/heartbeat/invoke`),
    },
  },
  company: {
    path: ({ id }) => `/api/companies/${id}`,
    list: () => "/api/companies?status=active,paused,archived",
    states: {
      active: { make: companyAt(async () => {}) },
      paused: {
        make: companyAt(({ service }, id) => service.make(`/api/companies/${id}/pause`)),
        by: people,
      },
      archived: {
        make: companyAt(({ service }, id) => service.make(`/api/companies/${id}/archive`)),
        by: people,
      },
      "without budget": { make: companyAt(spendAll), by: people },
    },
    calls: {
      update: ({ id }) => ({ method: "PATCH", path: `/api/companies/${id}`, body: { name: randomUUID() } }),
      pause: ({ id }) => post(`/api/companies/${id}/pause`),
      resume: ({ id }) => post(`/api/companies/${id}/resume`),
      archive: ({ id }) => post(`/api/companies/${id}/archive`),
      setBudgets: ({ agentId }) => ({
        method: "PATCH",
        path: `/api/agents/${agentId}`,
        body: { budgetMonthlyCents: 1_000 },
      }),
      manageMembers: ({ id, userId }) => ({
        method: "PUT",
        path: `/api/companies/${id}/members/${userId}`,
        body: { role: "viewer" },
      }),
      manageGrants: ({ id, agentId }) =>
        post(`/api/companies/${id}/grants`, {
          agentId,
          permission: "ownership:decide",
          classes: ["tooling"],
        }),
      createIssue: ({ id }) => post(`/api/companies/${id}/issues`, { title: "I" }),
      updateIssues: ({ id, issueId }) => ({
        method: "PATCH",
        path: `/api/companies/${id}/issues`,
        body: { issueIds: [issueId], priority: "high" },
      }),
      createAgent: ({ id }) =>
        post(`/api/companies/${id}/agents`, { name: `A ${randomUUID()}`, adapterType: "process" }),
      requestHire: ({ id }) => post(`/api/companies/${id}/agent-hires`, { name: `H ${randomUUID()}` }),
      requestApproval: ({ id }) =>
        post(`/api/companies/${id}/approvals`, { type: "approve_ceo_strategy", payload: {} }),
      createProject: ({ id }) => post(`/api/companies/${id}/projects`, { name: "P" }),
      writeGoals: ({ id }) => post(`/api/companies/${id}/goals`, { title: "G" }),
      archiveGoals: ({ goalId }) => post(`/api/goals/${goalId}/archive`),
      createLabel: ({ id }) => post(`/api/companies/${id}/labels`, { name: randomUUID() }),
      deleteLabels: ({ labelId }) => ({ method: "DELETE", path: `/api/labels/${labelId}` }),
      createRoutine: ({ id, callerId, agentId, projectId }) =>
        post(`/api/companies/${id}/routines`, {
          title: "R",
          assigneeAgentId: callerId ?? agentId,
          projectId,
        }),
      manageMcpServers: async ({ id }, { service }) => ({
        method: "DELETE",
        path: `/api/mcp-servers/${await anMcpServer(service, id)}`,
      }),
      manageEventSubscriptions: ({ id }) =>
        post(`/api/companies/${id}/event-subscriptions`, {
          url: "https://hooks.invalid/",
          events: ["issue.*"],
        }),
      manageSecrets: ({ id }) =>
        post(`/api/companies/${id}/secrets`, { name: randomUUID(), value: "a value of some length" }),
      reportCost: ({ id, callerId, agentId }) =>
        post(`/api/companies/${id}/cost-events`, cost(callerId ?? agentId)),
      testEnvironment: ({ id }) =>
        post(`/api/companies/${id}/adapters/process/test-environment`, {
          adapterConfig: { command: "true" },
        }),
      applyTemplate: ({ id }) => post(`/api/companies/${id}/apply-template`, { template: {} }),
    },
  },
  issue: {
    path: ({ id }) => `/api/issues/${id}`,
    states: {
      open: { make: issueAt({}), alsoHeld: true, alsoPaused: true },
      "of nobody, in a project without budget": { make: issueAt({ project: "spent" }) },
      "waiting for another": { make: issueAt({ blocked: true }) },
      "worked on by a run": {
        make: async (setup, action) => {
          const issue = await issueAt({ assignee: "own" })(setup, action);
          const { runId, as } = await setup.service.atWork(setup.ownId, issue.id);
          const claim = { agentId: setup.ownId, expectedStatuses: ["todo"] };
          await setup.service.make(`/api/issues/${issue.id}/checkout`, claim, as);
          return { ...issue, status: "in_progress", checkoutRunId: runId };
        },
      },
      "worked on by its assignee, with a gate": {
        make: async (setup, action) => {
          const issue = await issueAt({ assignee: "own", status: "in_progress" })(setup, action);
          const { id: reviewerUserId } = await setup.service.user(setup.companyId, "operator");
          const gates = [{ name: "Looked at", kind: "review", reviewerUserId }];
          await setup.service.put(`/api/issues/${issue.id}/gates`, { gates });
          return issue;
        },
        by: ["own", "operator"],
      },
      "assigned to the caller": { make: issueAt({ assignee: "own" }) },
      "worked on by its assignee": { make: issueAt({ assignee: "own", status: "in_progress" }) },
      "of a person": { make: issueAt({ assignee: "person" }) },
      blocked: { make: issueAt({ assignee: "own", status: "blocked" }) },
      done: { make: issueAt({ assignee: "own", status: "done" }) },
      "of a paused agent": { make: issueAt({ assignee: "paused" }) },
      "of a terminated agent": { make: issueAt({ assignee: "terminated" }) },
      "of a project without budget": { make: issueAt({ assignee: "own", project: "spent" }) },
    },
    calls: {
      update: ({ id }) => ({ method: "PATCH", path: `/api/issues/${id}`, body: { title: randomUUID() } }),
      finish: ({ id }, { callerId }) => ({
        method: "PATCH",
        path: `/api/issues/${id}`,
        body: { status: "done", ...(callerId === null ? { overrideGates: true } : {}) },
      }),
      checkout: ({ id, status, assigneeAgentId }, { ownId, callerId }) =>
        post(`/api/issues/${id}/checkout`, {
          agentId: callerId ?? assigneeAgentId ?? ownId,
          expectedStatuses: [status],
        }),
      release: ({ id }) => post(`/api/issues/${id}/release`),
      comment: ({ id }) => post(`/api/issues/${id}/comments`, { body: "Words" }),
      changeComments: ({ id, commentId }) => ({
        method: "PATCH",
        path: `/api/issues/${id}/comments/${commentId}`,
        body: { body: "Other words" },
      }),
      watch: ({ id }) => ({ method: "PUT", path: `/api/issues/${id}/watchers/me` }),
      writeDocument: ({ id }) => ({
        method: "PUT",
        path: `/api/issues/${id}/documents/notes`,
        body: { body: "text" },
      }),
      deleteDocument: ({ id }) => ({ method: "DELETE", path: `/api/issues/${id}/documents/plan` }),
      attach: ({ id, companyId }) =>
        post(`/api/companies/${companyId}/issues/${id}/attachments`, fileForm("text")),
      createCard: ({ id }) => post(`/api/issues/${id}/interactions`, confirmation),
      merge: ({ id }) => post(`/api/issues/${id}/merge`, { method: "squash" }),
      review: ({ id }) => post(`/api/issues/${id}/reviews`, { verdict: "approved", commits: [] }),
      manageGates: ({ id }) => ({ method: "PUT", path: `/api/issues/${id}/gates`, body: { gates: null } }),
      linkApproval: ({ id, approvalId }) => post(`/api/issues/${id}/approvals`, { approvalId }),
      invoke: async ({ id, companyId, assigneeAgentId }, { service, callerId }) => {
        const agentId = assigneeAgentId ?? callerId ?? (await service.agent(companyId)).id;
        return post(`/api/agents/${agentId}/heartbeat/invoke`, { issueId: id });
      },
    },
  },
  project: {
    path: ({ id }) => `/api/projects/${id}`,
    list: ({ companyId }) => `/api/companies/${companyId}/projects?archived=true`,
    states: {
      open: { make: projectAt(async () => {}), alsoHeld: true },
      archived: { make: projectAt(({ service }, id) => service.make(`/api/projects/${id}/archive`)) },
    },
    calls: {
      update: ({ id }) => ({ method: "PATCH", path: `/api/projects/${id}`, body: { name: randomUUID() } }),
      createIssue: ({ id, companyId }) =>
        post(`/api/companies/${companyId}/issues`, { title: "I", projectId: id }),
      setBudget: ({ id }) => ({
        method: "PATCH",
        path: `/api/projects/${id}`,
        body: { budgetMonthlyCents: 1_000 },
      }),
      archive: ({ id }) => post(`/api/projects/${id}/archive`),
      manageRepositories: async ({ id, companyId }, { service }) => ({
        method: "DELETE",
        path: `/api/repositories/${await aRepository(service, companyId, id)}`,
      }),
      manageGates: ({ id }) => ({ method: "PUT", path: `/api/projects/${id}/gates`, body: { gates: [] } }),
    },
  },
  workspace: {
    path: ({ id }) => `/api/workspaces/${id}`,
    list: ({ companyId }) => `/api/companies/${companyId}/workspaces`,
    states: {
      "whose work is merged": { make: workspaceAt({ isMerged: true }), service: () => busy, alsoHeld: true },
      "whose work is in no branch": { make: workspaceAt({}), service: () => busy },
      "of which files are not kept": { make: workspaceAt({ keeps: "not all files" }), service: () => busy },
      // Of a service that starts none, so that it stays live.
      "of a run": { make: workspaceAt({ is: "in use", keeps: "nothing" }) },
      "whose work is not kept yet": { make: workspaceAt({ is: "unkept" }), service: () => busy },
      "whose work cannot be kept": { make: workspaceAt({ is: "not to be kept" }), service: () => busy },
      removed: { make: workspaceAt({ is: "removed", isMerged: true }), service: () => busy },
      "removed, without kept work": {
        make: workspaceAt({ is: "removed", keeps: "nothing" }),
        service: () => busy,
      },
    },
    calls: {
      restore: ({ id }) => post(`/api/workspaces/${id}/restore`),
      remove: ({ id }) => post(`/api/workspaces/${id}/remove`),
      abandon: ({ id }) => post(`/api/workspaces/${id}/remove`, { abandon: true }),
    },
  },
  routine: {
    path: ({ id }) => `/api/routines/${id}`,
    list: ({ companyId }) => `/api/companies/${companyId}/routines?callerMay=true`,
    states: {
      active: { make: routineAt("active"), alsoHeld: true },
      paused: { make: routineAt("paused") },
      archived: { make: routineAt("archived") },
      "paused, of an agent that is terminated": {
        make: async (setup) => {
          const { service, companyId } = setup;
          const { id } = await routineAt("paused")(setup);
          const { id: assigneeAgentId } = await service.agent(companyId);
          await service.patch(`/api/routines/${id}`, { assigneeAgentId });
          await service.make(`/api/agents/${assigneeAgentId}/terminate`);
          return { id };
        },
      },
      "of an archived project": {
        make: async (setup) => {
          const routine = await routineAt("active")(setup);
          await setup.service.make(`/api/projects/${routine.projectId}/archive`);
          return routine;
        },
      },
    },
    calls: {
      update: ({ id }) => ({ method: "PATCH", path: `/api/routines/${id}`, body: { title: randomUUID() } }),
      activate: ({ id }) => ({ method: "PATCH", path: `/api/routines/${id}`, body: { status: "active" } }),
      run: ({ id }) => post(`/api/routines/${id}/run`),
    },
  },
  approval: {
    path: ({ id }) => `/api/approvals/${id}`,
    states: {
      "a strategy": { make: approvalAt("approve_ceo_strategy"), alsoHeld: true },
      "an ownership": { make: approvalAt("ownership_decision") },
      "an ownership of a granted class": { make: approvalAt("ownership_decision", { class: "tooling" }) },
      approved: { make: approvalAt("approve_ceo_strategy", {}, "approve") },
      "to be revised": { make: approvalAt("approve_ceo_strategy", {}, "request-revision") },
      "a hire": {
        make: async ({ service, companyId }) =>
          (await service.make(`/api/companies/${companyId}/agent-hires`, { name: `H ${randomUUID()}` }))
            .approval,
      },
      "a hire whose manager is terminated": {
        make: async ({ service, companyId }) => {
          const { id: reportsTo } = await service.agent(companyId);
          const hire = { name: `H ${randomUUID()}`, reportsTo };
          const { approval } = await service.make(`/api/companies/${companyId}/agent-hires`, hire);
          await service.make(`/api/agents/${reportsTo}/terminate`);
          return approval;
        },
      },
      "a hire whose name is taken": {
        make: async ({ service, companyId }) => {
          const named = { name: `H ${randomUUID()}` };
          const hire = { type: "hire_agent", payload: named };
          const approval = await service.make(`/api/companies/${companyId}/approvals`, hire);
          await service.agent(companyId, named);
          return approval;
        },
      },
    },
    calls: {
      approve: ({ id, type }) =>
        post(`/api/approvals/${id}/approve`, type === "ownership_decision" ? { chosenOwner: "Ada" } : {}),
      reject: ({ id }) => post(`/api/approvals/${id}/reject`),
      requestRevision: ({ id }) => post(`/api/approvals/${id}/request-revision`, { decisionNote: "More" }),
      resubmit: ({ id }) => post(`/api/approvals/${id}/resubmit`),
      comment: ({ id }) => post(`/api/approvals/${id}/comments`, { body: "Words" }),
    },
  },
};

interface Case {
  readonly afterward: string;
  readonly role: RoleName;
}

/** Of each state, one of each `of` cases. Fewer states than thirds would leave a role out. */
const casesOf = (
  states: Readonly<Record<string, State>>,
  of = Object.values(states).filter(({ by }) => by === undefined).length < 3 ? 1 : 3,
): Readonly<Record<string, readonly Case[]>> => {
  let sampledUntilNow = 0;
  const ofState = ({ by = roles, alsoHeld, alsoPaused }: State): readonly Case[] =>
    Object.keys(afterwards)
      .filter(
        (afterward) =>
          afterward === untouched || (afterward === agentsPaused ? alsoPaused : alsoHeld) === true,
      )
      .flatMap((afterward) => {
        // People name an agent that is not paused.
        const callers = by.filter((role) => afterward !== agentsPaused || !people.includes(role));
        // One of those of a state that few reach.
        return sampled(callers, Math.min(of, callers.length), sampledUntilNow++).map((role) => ({
          afterward,
          role,
        }));
      });
  return Object.fromEntries(Object.entries(states).map(([name, state]) => [name, ofState(state)]));
};

const outcomeOf = ({ status, body }: RawAnswer) => (status < 300 ? "allowed" : body.code);

describe.each(Object.keys(rules) as ActionNoun[])("What a caller may do with: %s", (noun) => {
  const { path, list, states, calls } = rules[noun] as unknown as Rule<ActionNoun>;

  const tried = casesOf(states);

  it("is tried for every action, by every role", () => {
    expect(Object.keys(calls).sort()).toEqual(Object.keys(actions[noun]).sort());
    const by = (cases: typeof tried) =>
      [...new Set(Object.values(cases).flatMap((each) => each.map(({ role }) => role)))].sort();
    expect(by(tried)).toEqual(by(casesOf(states, 1)));
  });

  describe.each(Object.entries(states))("%s", (name, { make, service = () => api }) => {
    it.each(tried[name]!)("$afterward, by $role, is what happens", async ({ afterward, role }) => {
      const setup = await (afterward === untouched && noun !== "company"
        ? sharedSetup(service(), role)
        : setupOf(service(), role));
      const readBy = async (record: Json, as: RawRequest) =>
        (await setup.service.get(path(record), as)).body.callerMay;
      const records: { action: string; record: Json; attempt: Attempt }[] = [];
      // A refused action leaves a record as it is: such actions share one.
      const shared = afterward === untouched && noun !== "company" ? await make(setup, everyAction) : null;
      const refused = shared === null ? {} : await readBy(shared, setup.as);
      for (const [action, call] of Object.entries(calls) as [string, Call][]) {
        const record = refused[action]?.allowed === false ? shared : await make(setup, action);
        records.push({ action, record, attempt: await call(record, setup, role) });
      }
      await afterwards[afterward]!(setup.service, setup.companyId);
      // The runs of agents end with the work of their company; what they have then is their key.
      const as = afterward === untouched ? setup.as : { token: setup.as.token };
      if (list !== undefined) {
        const { record } = records[0]!;
        const { body: rows } = await setup.service.get(list(setup, record), as);
        const row = rows.find(({ id }: { id: string }) => id === record.id);
        expect(row.callerMay).toEqual(await readBy(record, as));
      }
      const declared: Record<string, unknown> = {};
      const happened: Record<string, unknown> = {};
      for (const { action, record, attempt } of records) {
        const { allowed, code } = (record === shared ? refused : await readBy(record, as))[action];
        const { method, path: at, body } = attempt;
        const answer = await setup.service.request(method, at, { ...as, body });
        declared[action] = allowed ? "allowed" : code;
        happened[action] = outcomeOf(answer);
      }
      expect(declared).toEqual(happened);
    });
  });
});

it.each(["agents", "routines"])("A list of %s says it on request alone", async (things) => {
  const { service, companyId, ownId: assigneeAgentId, as } = await setupOf(api, "operator");
  const { id: projectId } = await service.make(`/api/companies/${companyId}/projects`, { name: "P" });
  await service.make(`/api/companies/${companyId}/routines`, { title: "R", assigneeAgentId, projectId });
  const { body } = await service.get(`/api/companies/${companyId}/${things}`, as);
  expect(body[0].callerMay).toBeUndefined();
});
