import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf } from "../support/service.ts";

let api: ApiService;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

interface Town {
  readonly companyId: string;
  readonly agentId: string;
  readonly otherId: string;
  readonly projectId: string;
}

const aTown = async (): Promise<Town> => {
  const { id: companyId } = await api.company();
  const [{ id: agentId }, { id: otherId }] = [await api.agent(companyId), await api.agent(companyId)];
  const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "Cranes" });
  return { companyId, agentId, otherId, projectId };
};
const anIssue = ({ companyId, projectId }: Town, fields: object = {}) =>
  api.issue(companyId, { projectId, ...fields });
const patched = async (path: string, body: object) =>
  expect(outcomeOf(await api.patch(path, body))).toBe("200");
/** A cost that uses any budget of the town up. */
const spend = async (town: Town) => {
  const { id: issueId } = await anIssue(town);
  const cost = { agentId: town.agentId, issueId, provider: "p", model: "m", costCents: 50 };
  await api.make(`/api/companies/${town.companyId}/cost-events`, cost);
};
/** A failed run of the agent on a new issue. */
const failedRun = async (town: Town) => {
  const { id: issueId } = await anIssue(town, { assigneeAgentId: town.agentId });
  const [{ id }] = (await api.get(`/api/issues/${issueId}/runs`)).body;
  await api.sql`update wakes set status = 'started', ended_at = now() where run_id = ${id}`;
  await api.sql`update runs set status = 'failed', started_at = now(), finished_at = now() where id = ${id}`;
  return { id: id as string, issueId: issueId as string };
};

interface HoldCase {
  readonly what: string;
  readonly code: string;
  set(town: Town): Promise<unknown>;
  lift(town: Town): Promise<unknown>;
}
const budgetOf = (what: string, code: string, path: (town: Town) => string): HoldCase => ({
  what,
  code,
  set: async (town) => {
    await patched(path(town), { budgetMonthlyCents: 10 });
    await spend(town);
  },
  lift: (town) => patched(path(town), { budgetMonthlyCents: 0 }),
});
const holds: readonly HoldCase[] = [
  {
    what: "the agent's pause",
    code: "agent_paused",
    set: ({ agentId }) => api.make(`/api/agents/${agentId}/pause`),
    lift: ({ agentId }) => api.make(`/api/agents/${agentId}/resume`),
  },
  {
    what: "the company's pause",
    code: "company_not_active",
    set: ({ companyId }) => api.make(`/api/companies/${companyId}/pause`),
    lift: ({ companyId }) => api.make(`/api/companies/${companyId}/resume`),
  },
  budgetOf("the agent's budget", "budget_exhausted", ({ agentId }) => `/api/agents/${agentId}`),
  budgetOf("the company's budget", "budget_exhausted", ({ companyId }) => `/api/companies/${companyId}`),
  budgetOf(
    "the project's budget",
    "project_budget_exhausted",
    ({ projectId }) => `/api/projects/${projectId}`,
  ),
];

describe.each(holds)("Under $what", ({ code, set, lift }) => {
  it("people create, assign, move and check out; each wake is kept, and no run is made for it", async () => {
    const town = await aTown();
    const [toMove, toCheckOut, toAssign] = [
      await anIssue(town, { status: "backlog" }),
      await anIssue(town, { status: "todo" }),
      await anIssue(town, { status: "todo" }),
    ];
    await patched(`/api/issues/${toMove.id}`, { assigneeAgentId: town.agentId });
    await set(town);
    const created = await anIssue(town, { assigneeAgentId: town.agentId });
    await patched(`/api/issues/${toMove.id}`, { status: "todo" });
    await patched(`/api/issues/${toAssign.id}`, { assigneeAgentId: town.agentId });
    const claim = { agentId: town.agentId, expectedStatuses: ["todo"] };
    expect(outcomeOf(await api.post(`/api/issues/${toCheckOut.id}/checkout`, claim))).toBe("200");
    const runs = async () =>
      (await api.get(`/api/companies/${town.companyId}/heartbeat-runs?agentId=${town.agentId}`)).body as {
        issueId: string;
        status: string;
      }[];
    expect(await runs()).toEqual([]);
    await lift(town);
    const issues = [created, toMove, toAssign, toCheckOut].map(({ id }) => id).sort();
    const made = await runs();
    expect(made.map(({ issueId }) => issueId).sort()).toEqual(issues);
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(["queued"]));
  });

  it("an agent's own checkout, an invocation and a retry are refused with the code of the hold", async () => {
    const town = await aTown();
    const failed = await failedRun(town);
    const issue = await anIssue(town, { status: "todo", assigneeAgentId: town.agentId });
    const { as } = await api.atWork(town.agentId, issue.id);
    await set(town);
    // A run that works while the hold is set is live until its processes are dead.
    await api.sql`
      update  runs
      set     status = 'running', started_at = now(), finished_at = null, error_code = null
      where   id = ${as.headers!["x-service-run-id"]!}`;
    const claim = { agentId: town.agentId, expectedStatuses: ["todo", "in_progress"] };
    expect(outcomeOf(await api.post(`/api/issues/${issue.id}/checkout`, claim, as))).toBe(`409 ${code}`);
    const invoke = { issueId: failed.issueId };
    expect(outcomeOf(await api.post(`/api/agents/${town.agentId}/heartbeat/invoke`, invoke))).toBe(
      `409 ${code}`,
    );
    expect(outcomeOf(await api.post(`/api/heartbeat-runs/${failed.id}/retry`))).toBe(`409 ${code}`);
  });
});

describe("A retry", () => {
  it.each([
    ["whose issue is closed", "issue_closed", () => ({ status: "done" })],
    [
      "whose issue is another agent's",
      "issue_reassigned",
      (town: Town) => ({ assigneeAgentId: town.otherId }),
    ],
  ])("%s is refused, and makes no run", async (_, code, change) => {
    const town = await aTown();
    const failed = await failedRun(town);
    await patched(`/api/issues/${failed.issueId}`, change(town));
    expect(outcomeOf(await api.post(`/api/heartbeat-runs/${failed.id}/retry`))).toBe(`409 ${code}`);
    const runs = (await api.get(`/api/issues/${failed.issueId}/runs`)).body as { agentId: string }[];
    expect(runs.filter(({ agentId }) => agentId === town.agentId)).toHaveLength(1);
  });
});

describe("A budget", () => {
  it.each([
    ["a company", "owner", ({ companyId }: Town) => `/api/companies/${companyId}`],
    ["an agent", "operator", ({ agentId }: Town) => `/api/agents/${agentId}`],
    ["a project", "operator", ({ projectId }: Town) => `/api/projects/${projectId}`],
  ])("of %s is set by the role of %s and above, and a refusal names that role", async (_, needed, path) => {
    const roles = ["viewer", "operator", "owner"];
    const town = await aTown();
    const budget = { budgetMonthlyCents: 1_000 };
    for (const role of roles) {
      const { token } = await api.user(town.companyId, role);
      const answer = await api.patch(path(town), budget, { token });
      if (roles.indexOf(role) >= roles.indexOf(needed)) expect(outcomeOf(answer)).toBe("200");
      else {
        expect(outcomeOf(answer)).toBe("403 forbidden");
        expect(answer.body.error).toContain(needed);
      }
    }
    const { as } = await api.atWork(town.agentId);
    expect((await api.patch(path(town), budget, as)).status).toBe(403);
    const { id } = await api.company(`Other ${randomUUID()}`);
    const foreignOwner = await api.user(id, "owner");
    expect([403, 404]).toContain((await api.patch(path(town), budget, { token: foreignOwner.token })).status);
  });
});
