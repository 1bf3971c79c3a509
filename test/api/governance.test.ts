import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let company: { id: string };
let ada: AgentAtWork;
let bob: AgentAtWork;
let operator: { token: string };
let viewer: { token: string };

const at = (path: string) => `/api/companies/${company.id}/${path}`;

beforeAll(async () => {
  api = await startApi();
  company = await api.company();
  ada = await api.atWork((await api.agent(company.id)).id);
  bob = await api.atWork((await api.agent(company.id)).id);
  operator = await api.user(company.id, "operator");
  viewer = await api.user(company.id, "viewer");
});
afterAll(() => api?.stop());

const question = (more: object = {}, by: AgentAtWork = ada) =>
  api.make(
    at("approvals"),
    {
      type: "ownership_decision",
      payload: { subject: "the linter", class: "tooling", candidateOwners: ["Ada", "Bob"], ...more },
    },
    by.as,
  );

const wakesOf = async (agentId: string, approvalId: string) =>
  (
    await api.sql<{ reason: string }[]>`
      select    reason
      from      wakes
      where     agent_id = ${agentId}
      and       payload ->> 'approvalId' = ${approvalId}
      order by  created_at, id
    `
  ).map(({ reason }) => reason);

describe("the grants of an agent", () => {
  const grantsOf = async (agentId: string) =>
    (await api.get(at("grants"))).body
      .filter(
        (grant: { agentId: string; revokedAt: unknown }) => grant.agentId === agentId && !grant.revokedAt,
      )
      .map(({ permission, classes }: { permission: string; classes: string[] }) => [permission, classes])
      .sort();

  it("are made, kept and revoked together with a change of the agent, and by owners only", async () => {
    const docs = { permission: "ownership:decide", classes: ["docs"] };
    const merges = { permission: "code:merge", classes: ["all"] };
    const cy = await api.make(at("agents"), { name: "Cy", adapterType: "process", grants: [docs, docs] });
    expect(await grantsOf(cy.id)).toEqual([["ownership:decide", ["docs"]]]);
    const [first] = (await api.get(at("grants"))).body;
    await api.patch(`/api/agents/${cy.id}`, { title: "Editor", grants: [merges, docs] });
    expect(await grantsOf(cy.id)).toEqual([
      ["code:merge", ["all"]],
      ["ownership:decide", ["docs"]],
    ]);
    // The former grant is still the same.
    expect((await api.get(at("grants"))).body.map(({ id }: { id: string }) => id)).toContain(first.id);
    await api.patch(`/api/agents/${cy.id}`, { title: "Head" });
    expect(await grantsOf(cy.id)).toHaveLength(2);
    const change = { title: "Judge", grants: [] };
    for (const caller of [{ token: operator.token }, { token: viewer.token }, bob.as])
      expect(await api.patch(`/api/agents/${cy.id}`, change, caller)).toMatchObject({ status: 403 });
    // An agent may change some of its own settings, never what it decides.
    expect(await api.patch(`/api/agents/${bob.agentId}`, { grants: [merges] }, bob.as)).toMatchObject({
      status: 403,
      body: { code: "forbidden" },
    });
    expect(
      await api.post(
        at("agents"),
        { name: "Di", adapterType: "process", grants: [docs] },
        {
          token: operator.token,
        },
      ),
    ).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const { body: after } = await api.get(`/api/agents/${cy.id}`);
    expect(after.title).toBe("Head");
    expect((await api.get(at("agents"))).body.map(({ name }: { name: string }) => name)).not.toContain("Di");
    // A refused change leaves the grants, too.
    expect(await api.patch(`/api/agents/${cy.id}`, { adapterType: "none", grants: [] })).toMatchObject({
      status: 422,
    });
    expect(await grantsOf(cy.id)).toHaveLength(2);
    await api.patch(`/api/agents/${cy.id}`, { grants: [] });
    expect(await grantsOf(cy.id)).toEqual([]);
    expect(
      await api.patch(`/api/agents/${cy.id}`, { grants: [{ permission: "agents:hire", classes: ["a"] }] }),
    ).toMatchObject({
      status: 400,
    });
  });
});

describe("an ownership decision", () => {
  it("is a service agent's if a grant names its class, until the grant is revoked", async () => {
    const first = await question();
    const decide = (id: string) =>
      api.post(`/api/approvals/${id}/approve`, { chosenOwner: "Bob", decisionNote: "Yours." }, bob.as);
    expect(await decide(first.id)).toMatchObject({ status: 403, body: { code: "permission_missing" } });
    const grant = await api.make(at("grants"), {
      agentId: bob.agentId,
      permission: "ownership:decide",
      classes: ["tooling"],
    });
    const report = (await api.get(`/api/approvals/${first.id}/authority`, bob.as)).body;
    expect(report).toMatchObject({
      allowed: true,
      acceptedProof: "agent_grant",
      grant: { id: grant.id, classes: ["tooling"] },
      refusal: null,
      approveRequiresChosenOwner: true,
    });
    expect(await decide(first.id)).toMatchObject({
      status: 200,
      body: { status: "approved", chosenOwner: "Bob", decidedByAgentId: bob.agentId, decisionNote: "Yours." },
    });
    const undeclared = await question({ class: undefined });
    expect(await decide(undeclared.id)).toMatchObject({ body: { code: "decision_class_not_declared" } });
    const money = await question({ class: "money" });
    expect(await decide(money.id)).toMatchObject({ body: { code: "decision_class_not_granted" } });
    const own = await question({}, bob);
    expect(await decide(own.id)).toMatchObject({ status: 403, body: { code: "own_request" } });

    await api.delete(`/api/grants/${grant.id}`);
    const later = await question();
    expect(await decide(later.id)).toMatchObject({ status: 403, body: { code: "permission_missing" } });
  });

  it("needs the chosen owner, and a reason if that is not a candidate", async () => {
    const { id } = await question();
    const approve = (body: object) => api.post(`/api/approvals/${id}/approve`, body);
    expect(await approve({})).toMatchObject({
      status: 400,
      body: { code: "ownership_decision_requires_chosen_owner" },
    });
    expect(await approve({ chosenOwner: "Eve" })).toMatchObject({
      status: 400,
      body: { code: "ownership_decision_requires_off_list_reason" },
    });
    expect(await approve({ chosenOwner: "Eve", offListReason: "Wrote it." })).toMatchObject({
      status: 200,
      body: { chosenOwner: "Eve", offListReason: "Wrote it." },
    });
  });
});

describe("the authority report", () => {
  it("is 200 for every reader of the approval, and predicts the answer to a decision", async () => {
    const strategy = await api.make(
      at("approvals"),
      { type: "approve_ceo_strategy", payload: { plan: "x" } },
      ada.as,
    );
    for (const [as, error] of [
      [{ token: viewer.token }, "permission_missing"],
      [{ token: operator.token }, "permission_missing"],
      [ada.as, "own_request"],
      [bob.as, "proof_not_accepted"],
    ] as const) {
      const report = await api.get(`/api/approvals/${strategy.id}/authority`, as);
      expect(report).toMatchObject({
        status: 200,
        body: { allowed: false, refusal: { status: 403, error } },
      });
      for (const decision of ["approve", "reject", "request-revision"])
        expect(await api.post(`/api/approvals/${strategy.id}/${decision}`, {}, as)).toMatchObject({
          status: report.body.refusal.status,
          body: { code: error, error: report.body.refusal.reason },
        });
    }
    expect((await api.get(`/api/approvals/${strategy.id}`)).body.status).toBe("pending");
    expect(await wakesOf(ada.agentId, strategy.id)).toEqual([]);
  });
});

describe("a decision", () => {
  it("repeated at once by one caller is one, with one wake; by another caller it is a conflict", async () => {
    const { id } = await question();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.post(`/api/approvals/${id}/reject`, { decisionNote: "No." })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await wakesOf(ada.agentId, id)).toEqual(["approval_rejected"]);
    const activity = await api.get(`${at("activity")}?entityId=${id}`);
    expect(activity.body.map(({ action }: { action: string }) => action)).toEqual([
      "approval.rejected",
      "approval.created",
    ]);
    const other = { token: (await api.user(company.id, "owner")).token };
    expect(await api.post(`/api/approvals/${id}/reject`, {}, other)).toMatchObject({
      status: 409,
      body: { code: "approval_not_pending" },
    });
    expect(await api.post(`/api/approvals/${id}/approve`, { chosenOwner: "Ada" })).toMatchObject({
      status: 409,
      body: { code: "approval_not_pending" },
    });
  });

  it("to revise is resubmitted only by the requester, with another payload, and the history shows it", async () => {
    const { id } = await question();
    const again = { payload: { subject: "the formatter" } };
    expect(await api.post(`/api/approvals/${id}/resubmit`, again, ada.as)).toMatchObject({
      status: 409,
      body: { code: "approval_no_revision_requested" },
    });
    await api.make(`/api/approvals/${id}/request-revision`, { decisionNote: "Which one?" });
    expect(await api.post(`/api/approvals/${id}/resubmit`, again, bob.as)).toMatchObject({ status: 403 });
    expect(await api.post(`/api/approvals/${id}/resubmit`, { payload: {} }, ada.as)).toMatchObject({
      status: 400,
      body: { code: "validation_error", details: [{ path: ["payload", "subject"] }] },
    });
    expect(await api.post(`/api/approvals/${id}/resubmit`, again, ada.as)).toMatchObject({
      status: 200,
      body: { status: "resubmitted", payload: again.payload, decisionNote: null, decidedByUserId: null },
    });
    expect((await api.get(`/api/approvals/${id}`)).body.status).toBe("pending");
  });

  it.each(["approve", "reject", "request-revision"])(
    "to %s is refused if the approval was resubmitted after the caller read it",
    async (decision) => {
      const { id, payloadRevision } = await question();
      const decide = (revision: number) =>
        api.post(`/api/approvals/${id}/${decision}`, {
          payloadRevision: revision,
          ...(decision === "approve" ? { chosenOwner: "Ada" } : {}),
        });
      expect(payloadRevision).toBe(1);
      await api.make(`/api/approvals/${id}/request-revision`, { payloadRevision });
      const again = await api.make(
        `/api/approvals/${id}/resubmit`,
        { payload: { subject: "everything", candidateOwners: ["Ada"] } },
        ada.as,
      );
      expect(again.payloadRevision).toBe(2);
      for (const seen of [1, 3])
        expect(await decide(seen)).toMatchObject({
          status: 409,
          body: { code: "approval_changed", details: { currentPayloadRevision: 2 } },
        });
      expect((await api.get(`/api/approvals/${id}`)).body.status).toBe("pending");
      expect(await decide(2)).toMatchObject({ status: 200, body: { payloadRevision: 2 } });
    },
  );
});

describe("a hire", () => {
  const proposal = (more: object = {}) => ({ name: `Hire ${randomUUID()}`, role: "engineer", ...more });

  it("makes draft and approval together, once per Idempotency-Key", async () => {
    const body = proposal({ budgetMonthlyCents: 5000 });
    const key = { headers: { "idempotency-key": randomUUID() } };
    const asked = [
      await api.post(at("agent-hires"), body, key),
      await api.post(at("agent-hires"), body, key),
    ];
    expect(asked[0]).toMatchObject({
      status: 201,
      body: {
        agent: { status: "pending_approval", adapterType: "process", budgetMonthlyCents: 5000 },
        approval: { type: "hire_agent", status: "pending", payload: body },
      },
    });
    expect(asked[1]!.body).toEqual(asked[0]!.body);
    const { agent, approval } = asked[0]!.body;
    expect(approval.agentId).toBe(agent.id);
    for (const [method, path, body] of [
      ["PATCH", "", { title: "x" }],
      ["POST", "/keys", {}],
      ["POST", "/pause", undefined],
      ["POST", "/resume", undefined],
    ] as const)
      expect(await api.request(method, `/api/agents/${agent.id}${path}`, { body })).toMatchObject({
        status: 409,
      });
    expect(await api.post(at("issues"), { title: "I", assigneeAgentId: agent.id })).toMatchObject({
      status: 422,
    });
  });

  it("that is rejected leaves a terminated draft, and a terminated draft a rejected hire", async () => {
    const rejected = await api.make(at("agent-hires"), proposal(), ada.as);
    await api.make(`/api/approvals/${rejected.approval.id}/reject`);
    expect((await api.get(`/api/agents/${rejected.agent.id}`)).body.status).toBe("terminated");
    const ended = await api.make(at("agent-hires"), proposal(), ada.as);
    await api.make(`/api/agents/${ended.agent.id}/terminate`);
    expect((await api.get(`/api/approvals/${ended.approval.id}`)).body.status).toBe("rejected");
    for (const { approval } of [rejected, ended])
      expect(await wakesOf(ada.agentId, approval.id)).toEqual(["approval_rejected"]);
  });

  it("whose manager is terminated is refused by that name, and its report says so", async () => {
    const boss = await api.agent(company.id);
    const reportsTo = boss.id;
    const hired = await api.make(at("agent-hires"), { ...proposal(), reportsTo }, ada.as);
    const revised = await api.make(at("agent-hires"), { ...proposal(), reportsTo }, ada.as);
    await api.make(`/api/approvals/${revised.approval.id}/request-revision`);
    const agent = await api.agent(company.id, { reportsTo });
    await api.request("PATCH", `/api/agents/${agent.id}`, { body: { reportsTo: null } });
    const revisions = (await api.get(`/api/agents/${agent.id}/config-revisions`)).body;
    const first = revisions.find(({ source }: { source: string }) => source === "create");
    const report = async () => (await api.get(`/api/approvals/${hired.approval.id}/authority`)).body;
    expect(await report()).toMatchObject({ allowed: true, approveRefusal: null });
    await api.make(`/api/agents/${boss.id}/terminate`);

    const named = { name: `Late ${randomUUID()}`, adapterType: "process", reportsTo };
    const refused = {
      create: await api.post(at("agents"), named),
      patch: await api.request("PATCH", `/api/agents/${agent.id}`, { body: { reportsTo } }),
      hire: await api.post(at("agent-hires"), { ...proposal(), reportsTo }, ada.as),
      request: await api.post(at("approvals"), { type: "hire_agent", payload: named }),
      rollback: await api.post(`/api/agents/${agent.id}/config-revisions/${first.id}/rollback`),
      approve: await api.post(`/api/approvals/${hired.approval.id}/approve`),
      resubmit: await api.post(`/api/approvals/${revised.approval.id}/resubmit`, {}, ada.as),
    };
    for (const [call, { status, body }] of Object.entries(refused))
      expect([call, status, body.code, body.details]).toEqual([
        call,
        422,
        "agent_not_assignable",
        { path: ["reportsTo"], standing: "terminated" },
      ]);
    expect(await report()).toMatchObject({
      allowed: true,
      approveRefusal: { status: 422, error: "agent_not_assignable", reason: refused.approve.body.error },
    });
    const other = { payload: { ...proposal(), reportsTo: null } };
    await api.make(`/api/approvals/${revised.approval.id}/resubmit`, other, ada.as);
    await api.make(`/api/approvals/${revised.approval.id}/approve`);
    await api.make(`/api/approvals/${hired.approval.id}/reject`);
  });

  it("that is resubmitted keeps every payload and every note", async () => {
    const hire = { name: `Again ${randomUUID()}`, adapterConfig: { env: { MODE: "first-value" } } };
    const { approval } = await api.make(at("agent-hires"), hire, ada.as);
    const note = (decisionNote: string) =>
      api.make(`/api/approvals/${approval.id}/request-revision`, { decisionNote });
    await note("Another title, please.");
    const payload = { ...hire, title: "Second", adapterConfig: { env: { MODE: "••••" } } };
    await api.make(`/api/approvals/${approval.id}/resubmit`, { payload }, ada.as);
    await note("Still not.");
    await api.make(`/api/approvals/${approval.id}/resubmit`, {}, ada.as);
    const { history } = (await api.get(`/api/approvals/${approval.id}`)).body;
    const rounds = history.map((round: { payload: { title: string | null } }) => ({
      ...round,
      payload: round.payload.title,
    }));
    expect(rounds).toMatchObject([
      {
        payloadRevision: 1,
        payload: null,
        status: "revision_requested",
        decisionNote: "Another title, please.",
      },
      { payloadRevision: 2, payload: "Second", status: "revision_requested", decisionNote: "Still not." },
      { payloadRevision: 3, payload: "Second", status: "pending", decisionNote: null, decidedAt: null },
    ]);
    expect(history[0].decidedByUserId).not.toBeNull();
    expect(
      history.map(({ payload }: { payload: { adapterConfig: object } }) => payload.adapterConfig),
    ).toEqual(Array.from({ length: 3 }, () => ({ env: { MODE: "first-value" } })));
  });

  it("shows plain values to each of its readers as what they are, also after the decision", async () => {
    const env = { MODE: "agents-value", TYPED: { type: "plain", value: "typed-value" } };
    const hire = { name: `Seen ${randomUUID()}`, adapterConfig: { command: "true", env } };
    const { approval, agent } = await api.make(at("agent-hires"), hire, ada.as);
    const envFor = async (as = {}) =>
      (await api.get(`/api/approvals/${approval.id}`, as)).body.payload.adapterConfig.env;
    for (const reader of [{}, { token: operator.token }, { token: viewer.token }, ada.as, bob.as]) {
      expect(await envFor(reader)).toEqual(env);
      expect((await api.get(`/api/agents/${agent.id}`, reader)).body.adapterConfig.env).toEqual(env);
      const list = (await api.get(at("approvals?status=pending"), reader)).body as { id: string }[];
      expect(list.find(({ id }) => id === approval.id)).toMatchObject({
        payload: { adapterConfig: { env } },
        proposedVariables: ["MODE", "TYPED"],
      });
    }

    await api.make(`/api/approvals/${approval.id}/request-revision`, { decisionNote: "Ours" });
    const ours = { ...hire, adapterConfig: { env: { MODE: "••••", OURS: "boards-value" } } };
    const again = await api.make(`/api/approvals/${approval.id}/resubmit`, { payload: ours });
    expect(again.proposedVariables).toEqual(["MODE"]);
    const decided = { MODE: "agents-value", OURS: "boards-value" };
    await api.make(`/api/approvals/${approval.id}/approve`, {});
    expect(await envFor()).toEqual(decided);
    expect((await api.get(`/api/agents/${agent.id}`)).body.adapterConfig.env).toEqual(decided);
  });

  it("cannot propose variables that change how programs are loaded, in any request of an agent", async () => {
    const env = { LD_PRELOAD: "/tmp/x.so", NODE_OPTIONS: "--require /tmp/x", MODE: "fine" };
    const hire = { name: `Loader ${randomUUID()}`, adapterType: "process", adapterConfig: { env } };
    const refused = {
      status: 422,
      body: {
        code: "loader_variables_refused",
        error: "Agents can't propose LD_PRELOAD, NODE_OPTIONS: they change how programs load.",
        details: { variables: ["LD_PRELOAD", "NODE_OPTIONS"] },
      },
    };
    expect(await api.post(at("agent-hires"), hire, ada.as)).toMatchObject(refused);
    const direct = { type: "hire_agent", payload: hire };
    expect(await api.post(at("approvals"), direct, ada.as)).toMatchObject(refused);
    const { approval } = await api.make(at("agent-hires"), { ...hire, adapterConfig: {} }, ada.as);
    await api.make(`/api/approvals/${approval.id}/request-revision`, { decisionNote: "More" });
    const again = await api.post(`/api/approvals/${approval.id}/resubmit`, { payload: hire }, ada.as);
    expect(again).toMatchObject(refused);
    expect((await api.post(at("agent-hires"), { ...hire, name: `Board's ${randomUUID()}` })).status).toBe(
      201,
    );
  });

  it("that is requested makes the approved agent, field by field", async () => {
    const payload = {
      name: `Direct ${randomUUID()}`,
      role: "researcher",
      title: "Chief reader",
      reportsTo: ada.agentId,
      capabilities: "Reads.",
      adapterType: "process",
      adapterConfig: { command: "cat", args: ["/dev/null"] },
      runtimeConfig: { heartbeat: { enabled: true, intervalSec: 3600 } },
      budgetMonthlyCents: 777,
      metadata: { team: "readers" },
    };
    const { id, agentId } = await api.make(at("approvals"), { type: "hire_agent", payload });
    expect(agentId).toBeNull();
    const approved = await api.make(`/api/approvals/${id}/approve`, {}, { token: operator.token });
    expect((await api.get(`/api/agents/${approved.agentId}`)).body).toMatchObject({
      ...payload,
      status: "idle",
    });
    const [revision] = (await api.get(`/api/agents/${approved.agentId}/config-revisions`)).body;
    expect(revision).toMatchObject({ source: "create", afterConfig: payload });
  });

  it("is refused with the name of the invalid field", async () => {
    for (const [payload, path] of [
      [{}, "name"],
      [{ name: "x", surprise: 1 }, "surprise"],
      [{ name: "x", budgetMonthlyCents: -1 }, "budgetMonthlyCents"],
    ] as const)
      expect(await api.post(at("approvals"), { type: "hire_agent", payload })).toMatchObject({
        status: 400,
        body: { code: "validation_error", details: [{ path: ["payload", path] }] },
      });
    expect(
      await api.post(at("approvals"), { type: "hire_agent", payload: { name: "x", adapterType: "none" } }),
    ).toMatchObject({ status: 422, body: { code: "adapter_unknown" } });
  });
});

describe("issues and comments of an approval", () => {
  it("are linked and unlinked from either side, and listed in order", async () => {
    const issues = [await api.issue(company.id), await api.issue(company.id)];
    const { id } = await api.make(at("approvals"), {
      type: "approve_ceo_strategy",
      payload: {},
      issueIds: [issues[0].id],
    });
    for (const _ of [1, 2]) await api.make(`/api/issues/${issues[1].id}/approvals`, { approvalId: id });
    const linked = async () =>
      (await api.get(`/api/approvals/${id}/issues`)).body.map((issue: { id: string }) => issue.id);
    expect(await linked()).toEqual([issues[1].id, issues[0].id]);
    expect((await api.get(`/api/issues/${issues[1].id}/approvals`)).body).toMatchObject([{ id }]);
    await api.delete(`/api/issues/${issues[1].id}/approvals/${id}`);
    expect(await linked()).toEqual([issues[0].id]);
    for (const body of ["first", "second"]) await api.make(`/api/approvals/${id}/comments`, { body }, ada.as);
    expect((await api.get(`/api/approvals/${id}/comments`)).body).toMatchObject([
      { body: "first", authorAgentId: ada.agentId },
      { body: "second" },
    ]);
  });
});

describe("costs", () => {
  it("are reported by an agent for itself, and belong to its run", async () => {
    const { id: projectId } = await api.make(at("projects"), { name: "Lighthouse" });
    const issue = await api.issue(company.id, { projectId });
    const worker = await api.atWork((await api.agent(company.id)).id, issue.id);
    const event = { agentId: worker.agentId, provider: "acme", model: "m", costCents: 25 };
    expect(await api.post(at("cost-events"), { ...event, agentId: ada.agentId }, worker.as)).toMatchObject({
      status: 403,
    });
    expect(await api.post(at("cost-events"), event, worker.as)).toMatchObject({
      status: 201,
      body: { runId: worker.runId, issueId: issue.id, projectId, costStatus: "reported", inputTokens: 0 },
    });
    expect((await api.get(`/api/agents/${worker.agentId}`)).body.spentMonthlyCents).toBe(25);
    const byProject = (await api.get(at("costs/by-project"))).body;
    expect(byProject).toContainEqual(
      expect.objectContaining({ projectId, projectName: "Lighthouse", costCents: 25 }),
    );
  });

  it("of an agent date back at most one hour, or to the beginning of its run, and count in the month of the report", async () => {
    const { id } = await api.issue(company.id);
    const worker = await api.atWork((await api.agent(company.id)).id, id);
    const event = { agentId: worker.agentId, provider: "acme", model: "m", costCents: 25 };
    const now = Date.now();
    const timeOf = (hoursAgo: number) => new Date(now - hoursAgo * 3_600_000).toISOString();
    const report = (hoursAgo: number) =>
      api.post(at("cost-events"), { ...event, occurredAt: timeOf(hoursAgo) }, worker.as);
    expect(await report(0.9)).toMatchObject({ status: 201 });
    expect(await report(1.1)).toMatchObject({ status: 422, body: { code: "cost_too_old" } });
    await api.sql`update runs set started_at = now() - interval '2 hours' where id = ${worker.runId}`;
    expect(await report(1.9)).toMatchObject({ status: 201 });
    expect(await report(2.1)).toMatchObject({ status: 422 });
    // The board may report costs for agents.
    expect(await api.post(at("cost-events"), { ...event, occurredAt: "2026-03-10T12:00:00Z" })).toMatchObject(
      {
        status: 201,
      },
    );
    // Also where they occurred in the month before: an agent moves no costs into one that was closed.
    expect((await api.get(`/api/agents/${worker.agentId}`)).body.spentMonthlyCents).toBe(50);
  });

  it("that are unknown are shown apart, and never as zero", async () => {
    const other = await api.company();
    const agent = await api.agent(other.id);
    const costs = (path: string) => `/api/companies/${other.id}/${path}`;
    const event = { agentId: agent.id, provider: "acme", model: "m", inputTokens: 60, outputTokens: 15 };
    await api.make(costs("cost-events"), { ...event, costCents: 50 });
    await api.make(costs("cost-events"), { ...event, costCents: 10, costStatus: "priced" });
    await api.make(costs("cost-events"), { ...event, inputTokens: 30, outputTokens: 20 });
    expect((await api.get(costs("costs/summary"))).body).toMatchObject({
      spendCents: 60,
      pricedCents: 10,
      budgetCents: 0,
      utilizationPercent: 0,
      eventCount: 3,
      unknownEventCount: 1,
      unknownTokens: 50,
      forecast: { unknownSharePercent: 25 },
    });
    await api.patch(`/api/companies/${other.id}`, { budgetMonthlyCents: 90 });
    expect((await api.get(costs("costs/summary"))).body.utilizationPercent).toBe(66.67);
    const earlier = "2026-03-10T12:00:00Z";
    await api.make(costs("cost-events"), { ...event, costCents: 7, occurredAt: earlier });
    const march = "?from=2026-03-01&to=2026-04-01";
    expect((await api.get(costs(`costs/summary${march}`))).body).toMatchObject({
      from: "2026-03-01T00:00:00.000Z",
      spendCents: 7,
      forecast: null,
    });
    const days = (await api.get(costs(`costs/by-day${march}`))).body as { day: string; costCents: number }[];
    expect(days).toHaveLength(31);
    expect(days.filter(({ costCents }) => costCents > 0)).toMatchObject([
      { day: "2026-03-10", costCents: 7 },
    ]);
    expect((await api.get(costs("costs/by-provider"))).body).toMatchObject([
      { provider: "acme", model: "m", costCents: 60, eventCount: 3 },
    ]);
    expect((await api.get(costs("costs/by-agent"))).body).toMatchObject([
      { agentId: agent.id, costCents: 60 },
    ]);
    expect((await api.get(costs(`cost-events${march}`))).body).toHaveLength(1);
  });

  it.each(["from=yesterday", "from=2026-02-30", "from=2026-03-02&to=2026-03-01", "until=2026-03-01"])(
    "of an invalid period are refused: %s",
    async (query) => {
      expect(await api.get(at(`costs/summary?${query}`))).toMatchObject({ status: 400 });
    },
  );

  it("by issue are those of the 50 most expensive ones, as described, or of as many as `count` says", async () => {
    const { id: companyId } = await api.company();
    const agent = await api.agent(companyId);
    const path = `/api/companies/${companyId}`;
    const issues = await Promise.all(Array.from({ length: 51 }, () => api.issue(companyId)));
    const costs = issues.map(({ id: issueId }, n) => ({ issueId, costCents: n + 1 }));
    const event = { agentId: agent.id, provider: "acme", model: "m" };
    await Promise.all(costs.map((of) => api.make(`${path}/cost-events`, { ...event, ...of })));
    const byIssue = async (query = "") =>
      (await api.get(`${path}/costs/by-issue${query}`)).body.map(
        ({ issueId, costCents }: { issueId: string; costCents: number }) => ({ issueId, costCents }),
      );
    const mostExpensiveFirst = costs.toReversed();
    expect(await byIssue()).toEqual(mostExpensiveFirst.slice(0, 50));
    expect(await byIssue("?count=51")).toEqual(mostExpensiveFirst);
    expect(await byIssue("?count=2")).toEqual(mostExpensiveFirst.slice(0, 2));
    const { paths } = (await api.get("/api/openapi.json")).body;
    const { description } = paths["/api/companies/{companyId}/costs/by-issue"].get;
    expect(description).toContain("Shows the 50 most expensive issues, or as many as `count` says.");
  });

  it("are counted once per Idempotency-Key and once per eventId", async () => {
    const agent = await api.agent(company.id);
    const event = { agentId: agent.id, provider: "acme", model: "m", costCents: 3 };
    const key = { headers: { "idempotency-key": randomUUID() } };
    for (const _ of [1, 2]) await api.make(at("cost-events"), event, key);
    for (const _ of [1, 2]) await api.make(at("cost-events"), { ...event, eventId: "e-1" });
    expect((await api.get(`/api/agents/${agent.id}`)).body.spentMonthlyCents).toBe(6);
    expect(await api.post(at("cost-events"), { ...event, costCents: 4, eventId: "e-1" })).toMatchObject({
      status: 409,
      body: { code: "idempotency_key_reused" },
    });
  });
});
