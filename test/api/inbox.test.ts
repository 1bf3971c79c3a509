import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inboxKindNames, inboxKinds } from "../../core/model/inbox/inbox-kind.ts";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let company: { id: string; name: string };
let operator: { token: string };
let owner: { token: string };
let viewer: { token: string };

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

beforeEach(async () => {
  company = await api.company();
  operator = await api.user(company.id, "operator");
  owner = await api.user(company.id, "owner");
  viewer = await api.user(company.id, "viewer");
});

const at = (path: string) => `/api/companies/${company.id}/${path}`;

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly actions: readonly string[];
  readonly callerMay: Readonly<Record<string, { allowed: boolean; code?: string; error?: string }>>;
  readonly version: string;
  readonly waitingSince: string;
  readonly subject: { readonly id: string };
  readonly payloadRevision: number | null;
}

const inboxOf = async (caller: { token: string }, path = at("inbox")): Promise<readonly Entry[]> => {
  const answer = await api.get(path, { token: caller.token });
  expect(answer.status).toBe(200);
  return answer.body;
};

const waiting = async (caller: { token: string }) => {
  const { body } = await api.get("/api/inbox/counts", { token: caller.token });
  return body.find(({ companyId }: { companyId: string }) => companyId === company.id)?.waiting ?? 0;
};

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id);

const strategy = () => api.make(at("approvals"), { type: "approve_ceo_strategy", payload: {} });

/** An agent whose run on an issue ended as in the row of the table. */
const endedRun = async (status: string, fields: { error?: string; issue?: object } = {}) => {
  const agent = await api.agent(company.id);
  const issue = await api.issue(company.id, fields.issue ?? {});
  const run = await api.make(`/api/agents/${agent.id}/heartbeat/invoke`, { issueId: issue.id });
  await api.sql`update wakes set status = 'started', ended_at = now() where run_id = ${run.id}`;
  await api.sql`
    update  runs
    set     status = ${status}, started_at = now(), finished_at = now(), error = ${fields.error ?? null}
    where   id = ${run.id}
  `;
  return { agent, issue, run };
};

describe("the inbox", () => {
  it("holds the reader's decisions, and nothing else", async () => {
    const plan = await strategy();
    const subject = { subject: "the linter" };
    const ownership = await api.make(at("approvals"), { type: "ownership_decision", payload: subject });
    expect(idsOf(await inboxOf(owner))).toEqual([`approval:${plan.id}`, `approval:${ownership.id}`]);
    expect(idsOf(await inboxOf(operator))).toEqual([`approval:${ownership.id}`]);
    expect(await inboxOf(viewer)).toEqual([]);
    expect([await waiting(owner), await waiting(operator), await waiting(viewer)]).toEqual([2, 1, 0]);
  });

  it("agrees with the authority report, for each type of approval and each role", async () => {
    await strategy();
    await api.make(at("approvals"), { type: "ownership_decision", payload: { subject: "x" } });
    await api.make(at("agent-hires"), { name: "Hired", role: "engineer" });
    const all = (await api.get(at("approvals"))).body as { id: string }[];
    for (const caller of [owner, operator, viewer]) {
      const shown = idsOf(await inboxOf(caller));
      for (const { id } of all) {
        const { allowed } = (await api.get(`/api/approvals/${id}/authority`, { token: caller.token })).body;
        expect(shown.includes(`approval:${id}`)).toBe(allowed);
      }
    }
  });

  it("covers all companies of its reader, and no other company", async () => {
    const mine = await strategy();
    const other = await api.company();
    const elsewhere = await api.make(`/api/companies/${other.id}/approvals`, {
      type: "approve_ceo_strategy",
      payload: {},
    });
    expect(idsOf(await inboxOf(owner, "/api/inbox"))).toEqual([`approval:${mine.id}`]);
    const admins = idsOf(await inboxOf({ token: api.token }, "/api/inbox"));
    expect(admins).toEqual(expect.arrayContaining([`approval:${mine.id}`, `approval:${elsewhere.id}`]));
  });

  it("is narrowed to some kinds, page by page, and in all companies", async () => {
    await strategy();
    const issue = await api.issue(company.id);
    for (const prompt of ["Go on?", "And on?"])
      await api.make(`/api/issues/${issue.id}/interactions`, {
        kind: "request_confirmation",
        payload: { version: 1, prompt },
      });
    for (const path of [at("inbox"), "/api/inbox"]) {
      const kinds = (await inboxOf(owner, `${path}?kind=confirmation,permission`)).map(({ kind }) => kind);
      expect(kinds).toEqual(["confirmation", "confirmation"]);
    }
    const first = await api.get(at("inbox?kind=confirmation&limit=1"), { token: owner.token });
    const cursor = first.headers.get("x-next-cursor");
    expect(await inboxOf(owner, at(`inbox?kind=confirmation&limit=1&cursor=${cursor}`))).toHaveLength(1);
    expect(await api.get(at("inbox?kind=wish"), { token: owner.token })).toMatchObject({ status: 400 });
  });

  it("offers no approval of a hire whose manager is gone, and no tasks that cannot be created", async () => {
    const boss = await api.agent(company.id);
    const project = await api.make(at("projects"), { name: "P" });
    const issue = await api.issue(company.id, { projectId: project.id });
    await api.make(at("agent-hires"), { name: "Late", reportsTo: boss.id });
    await api.make(at("agent-hires"), { name: "Free" });
    const payload = { tasks: [{ clientKey: "a", title: "A" }] };
    await api.make(`/api/issues/${issue.id}/interactions`, { kind: "suggest_tasks", payload });
    const offered = async () => (await inboxOf(operator)).map(({ kind, actions }) => [kind, ...actions]);
    const free = ["approval", "approve", "request_revision", "reject"];
    expect(await offered()).toEqual([free, free, ["suggested_tasks", "accept", "reject"]]);
    await api.make(`/api/agents/${boss.id}/terminate`);
    await api.make(`/api/projects/${project.id}/archive`);
    expect(await offered()).toEqual([
      ["approval", "request_revision", "reject"],
      free,
      ["suggested_tasks", "reject"],
    ]);
    const [{ subject, callerMay, payloadRevision }] = (await inboxOf(operator)) as [Entry];
    const { approve, reject } = callerMay;
    expect(reject).toEqual({ allowed: true });
    const refused = await api.post(`/api/approvals/${subject.id}/approve`, { payloadRevision });
    expect(approve).toEqual({ allowed: false, code: refused.body.code, error: refused.body.error });
  });

  it("loses an entry as soon as it is decided", async () => {
    const { id } = await strategy();
    expect(await waiting(owner)).toBe(1);
    await api.make(`/api/approvals/${id}/approve`, {}, { token: owner.token });
    expect(await inboxOf(owner)).toEqual([]);
    expect(await waiting(owner)).toBe(0);
  });

  it("holds open interactions, oldest first, with their actions", async () => {
    const issue = await api.issue(company.id);
    const path = `/api/issues/${issue.id}/interactions`;
    const interaction = await api.make(path, {
      kind: "request_confirmation",
      payload: { version: 1, prompt: "Go on?" },
    });
    const question = await api.make(path, {
      kind: "ask_user_questions",
      payload: {
        version: 1,
        questions: [
          { id: "q", prompt: "Which?", selectionMode: "single", options: [{ id: "a", label: "A" }] },
        ],
      },
    });
    expect(await inboxOf(operator)).toMatchObject([
      { id: `confirmation:${interaction.id}`, actions: ["accept", "reject"], issue: { id: issue.id } },
      { id: `questions:${question.id}`, actions: ["respond"] },
    ]);
    await api.make(`${path}/${interaction.id}/accept`);
    expect(idsOf(await inboxOf(operator))).toEqual([`questions:${question.id}`]);
  });

  it("holds failed runs without a successor: no retried runs, and none of closed issues", async () => {
    const failed = await endedRun("failed", { error: "The program ended with exit code 3." });
    await endedRun("cancelled");
    const closed = await endedRun("failed");
    await api.patch(`/api/issues/${closed.issue.id}`, { status: "cancelled" });
    expect(await inboxOf(operator)).toMatchObject([
      {
        id: `failed_run:${failed.run.id}`,
        reason: "The program ended with exit code 3. No retries left.",
        issue: { id: failed.issue.id },
        agent: { id: failed.agent.id },
      },
    ]);
    await api.make(`/api/agents/${failed.agent.id}/heartbeat/invoke`, { issueId: failed.issue.id });
    expect(await inboxOf(operator)).toEqual([]);
  });

  it("holds no failed run of an issue that another agent has since, and its stalled issue instead", async () => {
    const { issue, agent, run } = await endedRun("failed");
    const other = await api.agent(company.id);
    await api.sql`update runs set wake_reason = 'issue_assigned' where id = ${run.id}`;
    const give = (agentId: string) => api.sql`
      update issues set status = 'in_progress', assignee_agent_id = ${agentId} where id = ${issue.id}
    `;
    await give(agent.id);
    expect(await inboxOf(operator)).toMatchObject([
      { id: `failed_run:${run.id}`, actions: ["retry", "comment"] },
    ]);
    await give(other.id);
    expect(await inboxOf(operator)).toMatchObject([
      { id: `stalled_issue:${issue.id}`, actions: ["comment", "invoke"] },
    ]);
    await api.sql`update runs set wake_reason = 'issue_comment_mentioned' where id = ${run.id}`;
    expect((await inboxOf(operator)).map(({ kind }) => kind)).toEqual(["failed_run", "stalled_issue"]);
  });

  it("holds the budgets of projects, and raising one answers it", async () => {
    const agent = await api.agent(company.id);
    const project = await api.make(at("projects"), { name: "Quay", budgetMonthlyCents: 1000 });
    const spend = (costCents: number) =>
      api.make(at("cost-events"), {
        agentId: agent.id,
        projectId: project.id,
        provider: "acme",
        model: "m",
        costCents,
      });
    await spend(850);
    expect(await inboxOf(operator)).toMatchObject([
      {
        id: `budget_alert:${project.id}`,
        subject: { type: "project", id: project.id, title: "Quay" },
        reason: "Spent $8.50 of the monthly budget of $10.00.",
      },
    ]);
    await spend(150);
    expect(await inboxOf(operator)).toMatchObject([
      { id: `budget_stop:${project.id}`, actions: ["raise_budget"], dismissible: false },
    ]);
    expect((await api.get(`/api/projects/${project.id}`)).body).toMatchObject({
      budgetMonthlyCents: 1000,
      spentMonthlyCents: 1000,
      pauseReason: "budget",
    });
    expect((await api.get(at("costs/by-project"))).body).toMatchObject([
      { projectId: project.id, costCents: 1000, budgetMonthlyCents: 1000 },
    ]);
    const raised = await api.patch(`/api/projects/${project.id}`, { budgetMonthlyCents: 100_000 });
    expect(raised.body).toMatchObject({ pauseReason: null });
    expect(await inboxOf(operator)).toEqual([]);
  });

  it("holds issues in progress without an active run", async () => {
    const { issue, agent } = await endedRun("succeeded");
    await api.sql`
      update issues set status = 'in_progress', assignee_agent_id = ${agent.id} where id = ${issue.id}
    `;
    expect(await inboxOf(operator)).toMatchObject([{ id: `stalled_issue:${issue.id}` }]);
  });

  it("shows no stalled issue while its question waits, which says why nobody works on it", async () => {
    const { issue, agent } = await endedRun("succeeded");
    await api.sql`
      update issues set status = 'in_progress', assignee_agent_id = ${agent.id} where id = ${issue.id}
    `;
    const payload = { version: 1, prompt: "Go on?" };
    const question = `/api/issues/${issue.id}/interactions`;
    const asked = await api.make(question, { kind: "request_confirmation", payload });
    expect(idsOf(await inboxOf(operator))).toEqual([`confirmation:${asked.id}`]);
    await api.make(`${question}/${asked.id}/reject`);
    expect(idsOf(await inboxOf(operator))).toEqual([`stalled_issue:${issue.id}`]);
  });

  it.each([
    ["an agent's pause", [], (agentId: string) => api.make(`/api/agents/${agentId}/pause`)],
    ["a company's pause", [], () => api.make(at("pause"))],
    [
      "an agent's budget",
      ["budget_stop"],
      async (agentId: string) => {
        await api.patch(`/api/agents/${agentId}`, { budgetMonthlyCents: 10 });
        const cost = { agentId, provider: "acme", model: "m", costCents: 20 };
        await api.make(at("cost-events"), cost);
      },
    ],
  ] as const)(
    "shows no stalled issue under %s: at most one entry for all that it holds",
    async (_, kinds, hold) => {
      const { agent } = await endedRun("succeeded");
      for (let i = 0; i < 3; i++) {
        const { issue } = await endedRun("succeeded");
        await api.sql`
        update issues set status = 'in_progress', assignee_agent_id = ${agent.id} where id = ${issue.id}`;
      }
      expect((await inboxOf(operator)).map(({ kind }) => kind)).toEqual(Array(3).fill("stalled_issue"));
      await hold(agent.id);
      expect((await inboxOf(operator)).map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  it("holds budgets that stopped work or are nearly used up, the company's for its owners", async () => {
    const agent = await api.agent(company.id, { budgetMonthlyCents: 1000 });
    const spend = (costCents: number) =>
      api.make(at("cost-events"), { agentId: agent.id, provider: "acme", model: "m", costCents });
    await spend(850);
    expect(await inboxOf(operator)).toMatchObject([
      { id: `budget_alert:${agent.id}`, reason: "Spent $8.50 of the monthly budget of $10.00." },
    ]);
    await spend(200);
    expect(await inboxOf(operator)).toMatchObject([
      { id: `budget_stop:${agent.id}`, actions: ["raise_budget"], dismissible: false },
    ]);
    await api.patch(`/api/companies/${company.id}`, { budgetMonthlyCents: 1000 });
    // Roles that direct work see why it stops; the company's budget is its owners'.
    for (const [caller, actions] of [
      [operator, []],
      [owner, ["raise_budget"]],
    ] as const) {
      const entries = await inboxOf(caller);
      expect(idsOf(entries).sort()).toEqual([`budget_stop:${agent.id}`, `budget_stop:${company.id}`].sort());
      expect(entries.find(({ id }) => id === `budget_stop:${company.id}`)?.actions).toEqual(actions);
    }
    await api.patch(`/api/agents/${agent.id}`, { budgetMonthlyCents: 100_000 });
    await api.patch(`/api/companies/${company.id}`, { budgetMonthlyCents: 0 });
    expect(await inboxOf(owner)).toEqual([]);
  });

  it("offers no action that is refused: each one of an entry is carried out", async () => {
    const takes = async (
      entry: Entry,
      action: string,
      runId: string,
      agentId: string,
      issueId: string | null,
    ) => {
      const call = {
        retry: [`/api/heartbeat-runs/${runId}/retry`, {}],
        invoke: [`/api/agents/${agentId}/heartbeat/invoke`, issueId === null ? {} : { issueId }],
        resume: [`/api/agents/${agentId}/resume`, {}],
        comment: [`/api/issues/${issueId}/comments`, { body: "On with it." }],
      }[action];
      expect(call, `${entry.kind} ${action}`).toBeDefined();
      return (await api.post(call![0] as string, call![1], { token: operator.token })).status;
    };
    const states: Readonly<Record<string, (of: Awaited<ReturnType<typeof endedRun>>) => Promise<unknown>>> = {
      "of a working agent": async () => {},
      "of a paused agent": ({ agent }) => api.make(`/api/agents/${agent.id}/pause`),
      "of an agent over its budget": ({ agent }) =>
        api.sql`update agents set held_by_budget_at = now() where id = ${agent.id}`,
      "of an agent that only its timer wakes": ({ agent }) =>
        api.patch(`/api/agents/${agent.id}`, { runtimeConfig: { heartbeat: { wakeOnDemand: false } } }),
      "in a project over its budget": async ({ issue }) => {
        const project = await api.make(at("projects"), { name: "Spent" });
        await api.sql`update projects set held_by_budget_at = now() where id = ${project.id}`;
        await api.patch(`/api/issues/${issue.id}`, { projectId: project.id });
      },
      "in a paused company": () => api.make(at("pause")),
    };
    for (const [name, bring] of Object.entries(states)) {
      for (const kind of ["failed_run", "stalled_issue", "agent_error"]) {
        const of = await endedRun(kind === "failed_run" ? "failed" : "succeeded");
        const { agent, issue, run } = of;
        if (kind === "stalled_issue")
          await api.sql`
            update issues set status = 'in_progress', assignee_agent_id = ${agent.id} where id = ${issue.id}
          `;
        if (kind === "agent_error")
          await api.sql`update agents set error_reason = 'Out of order.' where id = ${agent.id}`;
        await bring(of);
        const subject = { failed_run: run.id, stalled_issue: issue.id, agent_error: agent.id }[kind];
        const entry = (await inboxOf(operator)).find(({ id }) => id === `${kind}:${subject}`);
        const works = name === "of a working agent";
        if (kind === "stalled_issue" && !works && name !== "of an agent that only its timer wakes")
          expect(entry, `${kind} ${name}`).toBeUndefined();
        else expect(entry, `${kind} ${name}`).toBeDefined();
        if (works) expect(entry?.actions).toEqual(inboxKinds[kind as "failed_run"].actions);
        for (const action of entry?.actions ?? []) {
          const issueId = kind === "agent_error" ? null : issue.id;
          expect([kind, name, action, await takes(entry!, action, run.id, agent.id, issueId)]).toEqual([
            kind,
            name,
            action,
            action === "resume" ? 200 : action === "comment" ? 201 : 202,
          ]);
        }
        if (name === "in a paused company") await api.make(at("resume"));
      }
    }
  });

  it("offers no comment on a run without an issue, and no retry that is not its agent's any more", async () => {
    const agent = await api.agent(company.id);
    const run = await api.make(`/api/agents/${agent.id}/heartbeat/invoke`, {});
    await api.sql`update wakes set status = 'started', ended_at = now() where run_id = ${run.id}`;
    await api.sql`
      update runs set status = 'failed', started_at = now(), finished_at = now() where id = ${run.id}
    `;
    expect(await inboxOf(operator)).toMatchObject([{ id: `failed_run:${run.id}`, actions: ["retry"] }]);
    const given = await endedRun("failed");
    await api.sql`update runs set wake_reason = 'issue_assigned' where id = ${given.run.id}`;
    const entry = (await inboxOf(operator)).find(({ id }) => id === `failed_run:${given.run.id}`);
    expect(entry?.actions).toEqual(["comment"]);
    const retried = await api.post(`/api/heartbeat-runs/${given.run.id}/retry`, {});
    expect([retried.status, retried.body.code]).toEqual([409, "issue_reassigned"]);
  });

  it("keeps a failed run without an issue while its agent is paused, and says why it is not tried again", async () => {
    const agent = await api.agent(company.id);
    const run = await api.make(`/api/agents/${agent.id}/heartbeat/invoke`, {});
    await api.sql`update wakes set status = 'started', ended_at = now() where run_id = ${run.id}`;
    await api.sql`
      update runs set status = 'failed', started_at = now(), finished_at = now() where id = ${run.id}
    `;
    await api.make(`/api/agents/${agent.id}/pause`);
    const { status, body } = await api.post(`/api/heartbeat-runs/${run.id}/retry`, {});
    expect([status, body.code]).toEqual([409, "agent_paused"]);
    const entry = { id: `failed_run:${run.id}`, actions: [], dismissible: true };
    const callerMay = { retry: { allowed: false, code: body.code, error: body.error } };
    expect(await inboxOf(operator)).toMatchObject([{ ...entry, callerMay }]);
    await api.make(`/api/agents/${agent.id}/resume`);
    expect(await inboxOf(operator)).toMatchObject([{ id: entry.id, actions: ["retry"] }]);
  });

  it("asks for another assignee of what a terminated agent leaves", async () => {
    const agent = await api.agent(company.id);
    const issue = await api.issue(company.id, { assigneeAgentId: agent.id });
    const { id } = await api.make(`/api/issues/${issue.id}/interactions`, {
      kind: "request_confirmation",
      payload: { prompt: "Shall I?" },
    });
    await api.sql`
      update interactions set created_by_agent_id = ${agent.id}, created_by_user_id = null where id = ${id}
    `;
    await api.make(`/api/agents/${agent.id}/terminate`);
    const left = await inboxOf(operator);
    expect(left.map(({ id: of, kind }) => [of, kind]).sort()).toEqual(
      [
        [`needs_assignee:${id}`, "needs_assignee"],
        [`needs_assignee:${issue.id}`, "needs_assignee"],
      ].sort(),
    );
    for (const { actions } of left) expect(actions).toEqual(["reassign", "comment"]);
    const heir = await api.agent(company.id);
    await api.patch(`/api/issues/${issue.id}`, { assigneeAgentId: heir.id });
    expect(idsOf(await inboxOf(operator))).toEqual([`confirmation:${id}`]);
  });

  it("has one entry for an agent that agents alone keep busy, whatever the number of its runs", async () => {
    const agent = await api.agent(company.id);
    for (let n = 0; n < 3; n++) await api.issue(company.id, { assigneeAgentId: agent.id });
    await api.sql`
      update runs set quarantined_since = now(), quarantined_for = 'agents' where agent_id = ${agent.id} and status = 'queued'
    `;
    expect(await inboxOf(operator)).toMatchObject([
      { id: `held_agent:${agent.id}`, kind: "held_agent", actions: ["invoke"], dismissible: false },
    ]);
  });

  it("is paged so that each entry appears once", async () => {
    for (let number = 0; number < 5; number++) await strategy();
    const first = await api.get(`${at("inbox")}?limit=2`, { token: owner.token });
    const second = await api.get(`${at("inbox")}?limit=3&cursor=${first.headers.get("x-next-cursor")}`, {
      token: owner.token,
    });
    const ids = [...idsOf(first.body), ...idsOf(second.body)];
    expect(new Set(ids).size).toBe(5);
    expect(ids).toEqual(idsOf(await inboxOf(owner)));
  });

  it("names each kind of entry with a sentence and at least one action", async () => {
    expect(inboxKindNames).toContain("approval");
    for (const { reason, actions } of await inboxOf({ token: api.token }, "/api/inbox")) {
      expect(reason).toMatch(/\.$/);
      expect(actions.length).toBeGreaterThan(0);
    }
  });
});

describe("dismissing an entry", () => {
  const dismissal = (id: string) => at(`inbox/${id}/dismissal`);

  it("lasts for its reader until the entry changes, and can be undone", async () => {
    const { id } = await api.make(at("secret-provider-configs"), {
      provider: "local_encrypted",
      displayName: "V",
    });
    await api.sql`update vaults set status = 'error', health_message = 'It is away.' where id = ${id}`;
    const [entry] = await inboxOf(operator);
    expect(entry).toMatchObject({ id: `unhealthy_vault:${id}`, reason: "It is away." });
    const as = { token: operator.token };
    expect(await api.put(dismissal(entry!.id), { version: entry!.version }, as)).toMatchObject({
      status: 200,
    });
    expect(await inboxOf(operator)).toEqual([]);
    expect(await inboxOf(owner)).toHaveLength(1);
    await api.sql`update vaults set health_checked_at = now() + interval '1 second' where id = ${id}`;
    const [again] = await inboxOf(operator);
    expect(again?.id).toBe(entry?.id);
    expect(await api.put(dismissal(entry!.id), { version: entry!.version }, as)).toMatchObject({
      status: 409,
      body: { code: "inbox_entry_changed", details: { currentVersion: again!.version } },
    });
    expect(await inboxOf(operator, at("inbox?dismissed=true"))).toEqual([]);
    await api.put(dismissal(entry!.id), { version: again!.version }, as);
    expect(await inboxOf(operator)).toEqual([]);
    expect(idsOf(await inboxOf(operator, at("inbox?dismissed=true")))).toEqual([entry!.id]);
    expect(idsOf(await inboxOf(operator, "/api/inbox?dismissed=true&kind=unhealthy_vault"))).toEqual([
      entry!.id,
    ]);
    expect(await inboxOf(operator, at("inbox?dismissed=true&kind=approval"))).toEqual([]);
    expect(await inboxOf(owner, at("inbox?dismissed=true"))).toEqual([]);
    expect((await api.delete(dismissal(entry!.id), as)).status).toBe(200);
    expect(await inboxOf(operator)).toHaveLength(1);
  });

  it("is refused for an entry that needs a decision, and for a missing one", async () => {
    const { id } = await api.make(at("approvals"), { type: "ownership_decision", payload: { subject: "x" } });
    const as = { token: operator.token };
    expect(await api.put(dismissal(`approval:${id}`), { version: "1" }, as)).toMatchObject({
      status: 422,
      body: { code: "inbox_entry_not_dismissible" },
    });
    expect(await api.put(dismissal(`approval:${company.id}`), { version: "1" }, as)).toMatchObject({
      status: 404,
      body: { code: "inbox_entry_not_found" },
    });
  });
});
