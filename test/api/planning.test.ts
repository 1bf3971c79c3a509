import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf } from "../support/service.ts";

let api: ApiService;
let companyId: string;
let agentId: string;
beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  agentId = (await api.agent(companyId)).id;
});
afterAll(() => api?.stop());

const of = (things: string) => `/api/companies/${companyId}/${things}`;

describe("A project", () => {
  it("has the requested fields, and defaults for the rest", async () => {
    const plain = await api.post(of("projects"), { name: "Plain" });
    expect(plain.status).toBe(201);
    expect(plain.body).toMatchObject({
      companyId,
      name: "Plain",
      description: null,
      status: "planned",
      leadAgentId: null,
      targetDate: null,
      archivedAt: null,
      budgetMonthlyCents: 0,
      spentMonthlyCents: 0,
      pauseReason: null,
    });
    const fields = {
      description: "d",
      status: "in_progress",
      leadAgentId: agentId,
      targetDate: "2027-01-31",
      budgetMonthlyCents: 700,
    };
    const full = await api.make(of("projects"), { name: "Full", ...fields });
    expect(full).toMatchObject(fields);
    expect((await api.get(`/api/projects/${full.id}`)).body).toEqual(full);
  });

  it.each(["backlog", "planned", "in_progress", "completed", "cancelled"])("may be %s", async (status) =>
    expect((await api.make(of("projects"), { name: "P", status })).status).toBe(status),
  );

  it("is changed field by field", async () => {
    const { id } = await api.make(of("projects"), {
      name: "P",
      leadAgentId: agentId,
      targetDate: "2027-01-31",
    });
    const { body } = await api.patch(`/api/projects/${id}`, { status: "completed", leadAgentId: null });
    expect(body).toMatchObject({
      name: "P",
      status: "completed",
      leadAgentId: null,
      targetDate: "2027-01-31",
    });
    expect((await api.patch(`/api/projects/${id}`, { targetDate: null })).body.targetDate).toBeNull();
    expect(outcomeOf(await api.patch(`/api/projects/${id}`, { status: "late" }))).toBe(
      "400 validation_error",
    );
    expect(outcomeOf(await api.patch(`/api/projects/${id}`, { archivedAt: null }))).toBe(
      "400 validation_error",
    );
  });

  it("archived accepts no new issues and routines, and its own continue", async () => {
    const { id: projectId } = await api.make(of("projects"), { name: "Old" });
    const { id: assigneeAgentId } = await api.agent(companyId);
    const issue = await api.issue(companyId, { projectId });
    const other = await api.issue(companyId);
    const routine = await api.make(of("routines"), { title: "R", assigneeAgentId, projectId });
    const hook = await api.make(`/api/routines/${routine.id}/triggers`, { kind: "webhook" });
    const elsewhere = await api.make(of("routines"), {
      title: "R",
      assigneeAgentId,
      projectId: (await api.make(of("projects"), { name: "New" })).id,
    });
    await api.make(`/api/projects/${projectId}/archive`);
    for (const refused of [
      await api.post(of("issues"), { title: "T", projectId }),
      await api.patch(`/api/issues/${other.id}`, { projectId }),
      await api.post(of("routines"), { title: "R", assigneeAgentId, projectId }),
      await api.patch(`/api/routines/${elsewhere.id}`, { projectId }),
    ])
      expect(outcomeOf(refused)).toBe("409 project_archived");
    expect(outcomeOf(await api.patch(`/api/issues/${issue.id}`, { title: "N", projectId }))).toBe("200");
    expect(outcomeOf(await api.patch(`/api/routines/${routine.id}`, { title: "N" }))).toBe("200");
    expect(outcomeOf(await api.post(`/api/routines/${routine.id}/run`))).toBe("409 project_archived");
    expect((await api.get(`/api/routines/${routine.id}`)).body.callerMay.run).toMatchObject({
      code: "project_archived",
    });
    expect((await api.get(`/api/routines/${routine.id}/runs`)).body).toEqual([]);
    const fired = await fetch(hook.webhookUrl, {
      method: "POST",
      headers: { authorization: `Bearer ${hook.secret}` },
    });
    expect(await fired.json()).toMatchObject({ status: "failed" });
    expect((await api.get(`/api/routines/${routine.id}/runs`)).body).toMatchObject([
      { status: "failed", failureReason: expect.stringMatching(/archived/) },
    ]);
  });

  it("archived is listed only on request, and can still be read", async () => {
    const { id } = await api.make(of("projects"), { name: "Old" });
    const archived = await api.make(`/api/projects/${id}/archive`);
    expect(archived.archivedAt).not.toBeNull();
    expect((await api.post(`/api/projects/${id}/archive`)).body).toEqual(archived);
    const ids = async (query: string) =>
      (await api.get(of(`projects${query}`))).body.map((project: { id: string }) => project.id);
    expect(await ids("")).not.toContain(id);
    expect(await ids("?archived=false")).not.toContain(id);
    expect(await ids("?archived=true")).toContain(id);
    expect(outcomeOf(await api.get(of("projects?archived=yes")))).toBe("400 validation_error");
    expect((await api.get(`/api/projects/${id}`)).status).toBe(200);
  });
});

describe("A goal", () => {
  it("has what was asked for, and defaults for the rest", async () => {
    const plain = await api.post(of("goals"), { title: "Plain" });
    expect(plain.status).toBe(201);
    expect(plain.body).toMatchObject({
      companyId,
      title: "Plain",
      description: null,
      level: "task",
      status: "planned",
      parentId: null,
      ownerAgentId: null,
      archivedAt: null,
    });
    const fields = {
      description: "d",
      level: "team",
      status: "active",
      parentId: plain.body.id,
      ownerAgentId: agentId,
    };
    const full = await api.make(of("goals"), { title: "Full", ...fields });
    expect(full).toMatchObject(fields);
    expect((await api.get(`/api/goals/${full.id}`)).body).toEqual(full);
  });

  it.each(["company", "team", "agent", "task"])("may be of the level %s", async (level) =>
    expect((await api.make(of("goals"), { title: "G", level })).level).toBe(level),
  );

  it("is changed field by field, and archived", async () => {
    const { id } = await api.make(of("goals"), { title: "G", ownerAgentId: agentId });
    const { body } = await api.patch(`/api/goals/${id}`, { status: "achieved", description: "done" });
    expect(body).toMatchObject({
      title: "G",
      status: "achieved",
      description: "done",
      ownerAgentId: agentId,
    });
    expect((await api.make(`/api/goals/${id}/archive`)).archivedAt).not.toBeNull();
    expect((await api.get(of("goals"))).body.map((goal: { id: string }) => goal.id)).not.toContain(id);
    const all = (await api.get(of("goals?archived=true"))).body;
    expect(all.map((goal: { id: string }) => goal.id)).toContain(id);
  });

  it("cannot be below one of its descendants", async () => {
    const make = (parentId: string | null) => api.make(of("goals"), { title: "G", parentId });
    const root = await make(null);
    const child = await make(root.id);
    const leaf = await make(child.id);
    const move = (id: string, parentId: string | null) => api.patch(`/api/goals/${id}`, { parentId });
    for (const parentId of [root.id, child.id, leaf.id])
      expect(outcomeOf(await move(root.id, parentId))).toBe("422 would_form_a_cycle");
    expect(outcomeOf(await move(leaf.id, null))).toBe("200");
    expect(outcomeOf(await move(root.id, leaf.id))).toBe("200");
    const [a, b] = [await make(null), await make(null)];
    const both = await Promise.all([move(a.id, b.id), move(b.id, a.id)]);
    expect(both.map(outcomeOf).sort()).toEqual(["200", "422 would_form_a_cycle"]);
  });
});

describe("The progress of a company's projects and goals", () => {
  it("counts the issues of each by status, and leaves out those without any", async () => {
    const { id } = await api.company();
    const make = (things: string, body: object) => api.make(`/api/companies/${id}/${things}`, body);
    const project = await make("projects", { name: "P" });
    await make("projects", { name: "Empty" });
    const goal = await make("goals", { title: "G" });
    const issue = await api.issue(id, { projectId: project.id, goalId: goal.id });
    await api.issue(id, { projectId: project.id });
    await api.issue(id);
    await api.patch(`/api/issues/${issue.id}`, { status: "cancelled" });
    const done = { verified: 0, reported: 0 };
    const none = { backlog: 0, todo: 0, in_progress: 0, in_review: 0, blocked: 0, done: 0, cancelled: 0 };
    const path = `/api/companies/${id}/issues/progress`;
    expect((await api.get(`${path}?by=project`)).body).toEqual([
      { id: project.id, counts: { ...none, backlog: 1, cancelled: 1 }, done },
    ]);
    expect((await api.get(`${path}?by=goal`)).body).toEqual([
      { id: goal.id, counts: { ...none, cancelled: 1 }, done },
    ]);
    expect((await api.get(`${path}?by=project&id=${project.id}`)).body).toMatchObject([{ id: project.id }]);
    expect((await api.get(`${path}?by=project&id=${randomUUID()}`)).body).toEqual([]);
    for (const query of ["", "?by=project&id=all"])
      expect(outcomeOf(await api.get(`${path}${query}`))).toMatch(/^400/);
  });
});

describe("A change in the activity log", () => {
  it("has the short values before and after, and never a long text", async () => {
    const { id } = await api.company();
    const project = await api.make(`/api/companies/${id}/projects`, {
      name: "Old",
      description: "a password",
    });
    await api.patch(`/api/projects/${project.id}`, {
      name: "New",
      budgetMonthlyCents: 700,
      description: "taken out",
    });
    const issue = await api.issue(id, { title: "Old", description: "a password" });
    await api.patch(`/api/issues/${issue.id}`, { title: "New", priority: "high", description: null });
    const agent = await api.agent(id);
    await api.patch(`/api/agents/${agent.id}`, {
      title: "Head",
      adapterConfig: { env: { KEY: "a password" } },
    });
    const entries = (await api.get(`/api/companies/${id}/activity`)).body;
    const of = (action: string) => entries.find((each: { action: string }) => each.action === action).details;
    expect(of("project.updated")).toEqual({
      changed: ["name", "description", "budgetMonthlyCents"],
      differences: [
        { field: "name", from: "Old", to: "New" },
        { field: "budgetMonthlyCents", from: 0, to: 700 },
      ],
    });
    expect(of("issue.updated").differences).toEqual(
      expect.arrayContaining([
        { field: "title", from: "Old", to: "New" },
        { field: "priority", from: "medium", to: "high" },
      ]),
    );
    expect(of("agent.updated").differences).toEqual([{ field: "title", from: null, to: "Head" }]);
    expect(JSON.stringify(entries)).not.toContain("password");
  });
});
