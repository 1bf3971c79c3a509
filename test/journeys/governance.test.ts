import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const aCompany = async (name: string, budgetMonthlyCents = 0) =>
  service.admin.companies.create({ name, budgetMonthlyCents });

const activityOf = async (companyId: string, action: string) =>
  (await service.admin.activity.list({ companyId })).items.filter((entry) => entry.action === action);

/** Requests a hire, revises it on demand, and gives the hired agent its first issue. */
const recruiter = nodeAgent(`
const { SERVICE_COMPANY_ID: company, SERVICE_WAKE_REASON: reason, SERVICE_APPROVAL_ID: approval, SERVICE_APPROVAL_STATUS: status, SERVICE_LINKED_ISSUE_IDS: linked } = process.env;
console.log([reason, status ?? "-", linked === task ? "linked" : "-"].join(" "));
// While people decide, the issue is with them: a run that left it in progress would be continued.
if (status !== "approved") await call("PATCH", "/api/issues/" + task, { status: "in_review" });
if (approval === undefined) {
  const hire = await call("POST", "/api/companies/" + company + "/agent-hires", { name: "Grace", role: "engineer", budgetMonthlyCents: 500000 });
  console.log("asked " + hire.status + " " + hire.body.agent.status);
} else if (status === "revision_requested") {
  const note = (await call("GET", "/api/approvals/" + approval)).body.decisionNote;
  const again = await call("POST", "/api/approvals/" + approval + "/resubmit", { payload: {
    name: "Grace", role: "engineer", title: "Compiler engineer", budgetMonthlyCents: 1000,
    adapterConfig: { command: process.execPath, args: ["-e", "console.log('hired hand at work')"], env: { TOKEN: "hush-hush" } },
  } });
  console.log("resubmitted " + again.status + " " + again.body.status + " for: " + note);
} else {
  const hired = (await call("GET", "/api/approvals/" + approval)).body.agentId;
  const made = await call("POST", "/api/companies/" + company + "/issues", { title: "Begin", assigneeAgentId: hired });
  await call("PATCH", "/api/issues/" + task, { status: "done", comment: "Hired." });
  console.log("gave " + made.status);
}
`);

describe("an agent that hires another", () => {
  it("asks, gets a revision request, asks again, and the approved agent starts to work", async () => {
    const { admin } = service;
    const company = await aCompany("Hiring Works");
    const boss = await admin.agents.create({
      companyId: company.id,
      name: "Ada",
      adapterType: "process",
      adapterConfig: recruiter,
    });
    const issue = await admin.issues.create({
      companyId: company.id,
      title: "We need an engineer",
      assigneeAgentId: boss.id,
    });

    const [pending] = await eventually(
      async () => (await admin.approvals.list({ companyId: company.id, status: "pending" })).items,
      (all) => all.length === 1,
    );
    expect(pending).toMatchObject({ type: "hire_agent", requestedByAgentId: boss.id, decisionNote: null });
    const linked = await admin.approvals.issues({ approvalId: pending!.id });
    expect(linked.map(({ id }) => id)).toEqual([issue.id]);
    const draftId = pending!.agentId!;
    expect(await admin.agents.get({ agentId: draftId })).toMatchObject({
      status: "pending_approval",
      budgetMonthlyCents: 500_000,
    });
    expect(
      await service.request("PATCH", `/api/agents/${draftId}`, { body: { name: "Somebody else" } }),
    ).toMatchObject({ status: 409, body: { code: "pending_approval_agent_config_frozen" } });

    const revision = { approvalId: pending!.id, decisionNote: "Too dear: ten dollars will do." };
    await Promise.all([
      admin.approvals.requestRevision(revision),
      admin.approvals.requestRevision(revision),
      admin.approvals.requestRevision(revision),
    ]);
    const resubmitted = await eventually(
      () => admin.approvals.get({ approvalId: pending!.id }),
      ({ status }) => status === "pending",
    );
    expect(resubmitted).toMatchObject({ decisionNote: null, decidedAt: null });
    // Deciders see the values that an agent proposes, because they are not secrets yet.
    expect(JSON.stringify(resubmitted.payload)).toContain("hush-hush");

    await Promise.all([
      admin.approvals.approve({ approvalId: pending!.id, decisionNote: "Welcome." }),
      admin.approvals.approve({ approvalId: pending!.id, decisionNote: "Welcome." }),
    ]);
    const hired = await admin.agents.get({ agentId: draftId });
    expect(hired).toMatchObject({
      name: "Grace",
      role: "engineer",
      title: "Compiler engineer",
      budgetMonthlyCents: 1000,
      adapterType: "process",
      adapterConfig: { args: ["-e", "console.log('hired hand at work')"], env: { TOKEN: "hush-hush" } },
    });
    const worked = await eventually(
      async () => (await admin.runs.list({ companyId: company.id, agentId: draftId })).items,
      ([run]) => run?.status === "succeeded",
    );
    expect((await admin.runs.log({ runId: worked.at(-1)!.id })).content).toContain("hired hand at work");
    await eventually(
      () => admin.issues.get({ issueId: issue.id }),
      ({ status }) => status === "done",
    );

    // One decision, one wake, one run each, however often the board sends it.
    const runs = await eventually(
      async () => (await admin.runs.list({ companyId: company.id, agentId: boss.id })).items.toReversed(),
      (all) => all.every(({ finishedAt }) => finishedAt !== null),
    );
    expect(runs.map(({ wakeReason }) => wakeReason)).toEqual([
      "issue_assigned",
      "approval_revision_requested",
      "approval_approved",
    ]);
    const comments = await Promise.all(
      runs.map(async ({ id }) =>
        (await admin.runs.log({ runId: id })).content
          .trim()
          .split("\n")
          .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
          .join(""),
      ),
    );
    expect(comments).toEqual([
      "issue_assigned - -\nasked 201 pending_approval\n",
      "approval_revision_requested revision_requested linked\nresubmitted 200 resubmitted for: Too dear: ten dollars will do.\n",
      "approval_approved approved linked\ngave 201\n",
    ]);
    for (const action of ["approval.revision_requested", "approval.resubmitted", "approval.approved"])
      expect(await activityOf(company.id, action)).toHaveLength(1);
  });
});

/** Costs a dollar, reports it, and would continue without end. */
const spender = nodeAgent(`
const company = process.env.SERVICE_COMPANY_ID;
for (let turn = 1; turn <= 3; turn++) {
  const response = await call("POST", "/api/companies/" + company + "/cost-events", { agentId: me, provider: "acme", model: "m", inputTokens: 10, outputTokens: 5, costCents: 100 });
  console.log("spent " + turn + " " + response.status);
}
setInterval(() => {}, 1000);
`);

/** Prints like the claude command: turns with their use, and no result. */
const endlessClaude = (usage: object) => `#!${process.execPath}
const say = (event) => console.log(JSON.stringify(event));
say({ type: "system", subtype: "init", session_id: "s-1", model: "claude-opus-4-5" });
let turn = 0;
setInterval(() => say({ type: "assistant", session_id: "s-1", message: { id: "m" + ++turn, model: "claude-opus-4-5", content: [{ type: "text", text: "turn " + turn }], usage: ${JSON.stringify(usage)} } }), 50);
`;

describe("an agent that uses up its budget during a run", () => {
  it("is alerted once, stopped, and wakes once for its issue when the budget is raised", async () => {
    const { admin } = service;
    const company = await aCompany("Spend Works");
    const agent = await admin.agents.create({
      companyId: company.id,
      name: "Cash",
      adapterType: "process",
      adapterConfig: spender,
      budgetMonthlyCents: 250,
    });
    const issue = await admin.issues.create({
      companyId: company.id,
      title: "Spend",
      assigneeAgentId: agent.id,
    });
    const [stopped] = await eventually(
      async () => (await admin.runs.list({ companyId: company.id })).items,
      ([run]) => run?.status === "cancelled",
    );
    expect(stopped).toMatchObject({ errorCode: "budget_exhausted", error: "The budget is used up." });
    expect(await admin.agents.get({ agentId: agent.id })).toMatchObject({
      status: "paused",
      pauseReason: "budget",
      spentMonthlyCents: 300,
    });
    for (const action of ["budget.soft_threshold_crossed", "budget.hard_threshold_crossed"])
      expect((await activityOf(company.id, action)).map(({ entityId }) => entityId)).toEqual([agent.id]);

    // No kind of wake bypasses that.
    await admin.issues.comment({ issueId: issue.id, body: "@cash go on" });
    expect(
      await service.request("POST", `/api/agents/${agent.id}/heartbeat/invoke`, { body: {} }),
    ).toMatchObject({ status: 409, body: { code: "budget_exhausted" } });
    // The manual hold is lifted; the answer names the remaining one.
    await admin.agents.pause({ agentId: agent.id });
    expect(await service.request("POST", `/api/agents/${agent.id}/resume`)).toMatchObject({
      status: 200,
      body: { status: "paused", pauseReason: "budget" },
    });
    expect((await admin.runs.list({ companyId: company.id })).items).toHaveLength(1);

    await admin.agents.update({ agentId: agent.id, budgetMonthlyCents: 600 });
    const [again] = await eventually(
      async () => (await admin.runs.list({ companyId: company.id })).items,
      ([run, ...more]) => more.length === 1 && run?.status === "cancelled",
    );
    expect(again).toMatchObject({ wakeReason: "agent_resumed", errorCode: "budget_exhausted" });
    // The raised budget has an alert of its own.
    expect(await activityOf(company.id, "budget.soft_threshold_crossed")).toHaveLength(2);
  });

  it("is stopped by the costs that its command line reports per turn, and nothing is counted twice", async () => {
    const { admin } = service;
    const company = await aCompany("Turn Works");
    const { mkdtemp, writeFile } = await import("node:fs/promises");
    const { join } = await import("node:path");
    const { tmpdir } = await import("node:os");
    const command = join(await mkdtemp(join(tmpdir(), "fake-claude-")), "claude");
    // 40,000 output tokens at 25 dollars per million: one dollar per turn.
    await writeFile(command, endlessClaude({ input_tokens: 0, output_tokens: 40_000 }), { mode: 0o755 });
    const agent = await admin.agents.create({
      companyId: company.id,
      name: "Opus",
      adapterType: "adapter_a_local",
      adapterConfig: { command, env: { ANTHROPIC_API_KEY: "not a key" } },
      budgetMonthlyCents: 500,
    });
    await admin.issues.create({ companyId: company.id, title: "Go on", assigneeAgentId: agent.id });
    const [run] = await eventually(
      async () => (await admin.runs.list({ companyId: company.id })).items,
      ([first]) => first?.status === "cancelled",
    );
    expect(run).toMatchObject({ errorCode: "budget_exhausted" });
    const { items } = await admin.costs.events({ companyId: company.id });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ runId: run!.id, source: "adapter", costStatus: "priced" });
    expect(items[0]!.costCents).toBe(items[0]!.outputTokens / 400);
    expect(items[0]!.costCents).toBeGreaterThanOrEqual(500);
    const summary = await admin.costs.summary({ companyId: company.id });
    expect(summary).toMatchObject({
      spendCents: items[0]!.costCents,
      pricedCents: items[0]!.costCents,
      eventCount: 1,
    });
    expect(run!.costCents).toBe(items[0]!.costCents);
  });

  it("stops every agent of its company when the company's budget is used up, and the company shows as paused", async () => {
    const { admin } = service;
    const company = await aCompany("Lean Works", 150);
    const agents = await Promise.all(
      ["One", "Two"].map((name) =>
        admin.agents.create({
          companyId: company.id,
          name,
          adapterType: "process",
          adapterConfig: nodeAgent("setInterval(() => {}, 1000);"),
        }),
      ),
    );
    for (const { id } of agents)
      await admin.issues.create({ companyId: company.id, title: "Wait", assigneeAgentId: id });
    await eventually(
      async () => (await admin.runs.list({ companyId: company.id, status: "running" })).items,
      (running) => running.length === 2,
    );
    await admin.costs.report({
      companyId: company.id,
      agentId: agents[0]!.id,
      provider: "acme",
      model: "m",
      costCents: 150,
    });
    await eventually(
      async () => (await admin.runs.list({ companyId: company.id, status: "cancelled" })).items,
      (cancelled) =>
        cancelled.length === 2 && cancelled.every(({ errorCode }) => errorCode === "budget_exhausted"),
    );
    expect(await admin.companies.get({ companyId: company.id })).toMatchObject({
      status: "paused",
      pauseReason: "budget",
    });
    expect(
      (await admin.agents.list({ companyId: company.id })).map(({ pauseReason }) => pauseReason),
    ).toEqual(["company", "company"]);
    expect(await service.request("POST", `/api/companies/${company.id}/resume`)).toMatchObject({
      status: 409,
      body: { code: "budget_exhausted" },
    });
    await admin.companies.update({ companyId: company.id, budgetMonthlyCents: 0 });
    await eventually(
      async () => (await admin.runs.list({ companyId: company.id, status: "running" })).items,
      (running) => running.length === 2,
    );
    expect(await admin.companies.get({ companyId: company.id })).toMatchObject({
      status: "active",
      pauseReason: null,
    });
    // Below the amount already spent: at once.
    await admin.companies.update({ companyId: company.id, budgetMonthlyCents: 100 });
    await eventually(
      async () => (await admin.runs.list({ companyId: company.id, status: "running" })).items,
      (running) => running.length === 0,
    );
  });
});
