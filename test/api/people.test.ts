import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";

let api: ApiService;
let company: { id: string };
let ada: { id: string; token: string };
let bob: { id: string; token: string };
let viewer: { id: string; token: string };

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

beforeEach(async () => {
  company = await api.company();
  ada = await api.user(company.id, "operator");
  bob = await api.user(company.id, "operator");
  viewer = await api.user(company.id, "viewer");
});

const at = (path: string) => `/api/companies/${company.id}/${path}`;
const nowhere = "00000000-0000-7000-8000-000000000000";

interface Entry {
  readonly id: string;
  readonly kind: string;
  readonly reason: string;
  readonly actions: readonly string[];
  readonly callerMay: Readonly<Record<string, unknown>>;
  readonly version: string;
}

const inboxOf = async (who: { token: string }): Promise<readonly Entry[]> =>
  (await api.get("/api/inbox", { token: who.token })).body;

const waiting = async (who: { token: string }): Promise<number> => {
  const { body } = await api.get("/api/inbox/counts", { token: who.token });
  return body.find(({ companyId }: { companyId: string }) => companyId === company.id)?.waiting ?? 0;
};

/** A new issue that an agent has checked out in a run of its own. */
const issueAtWork = async () => {
  const agent = await api.agent(company.id, { name: "Worker" });
  const issue = await api.issue(company.id, { assigneeAgentId: agent.id });
  const run = await api.atWork(agent.id, issue.id);
  const body = { agentId: agent.id, expectedStatuses: ["todo"] };
  await api.make(`/api/issues/${issue.id}/checkout`, body, run.as);
  return { agent, issue, run };
};

const names = async (issueId: string) =>
  (await api.get(`/api/issues/${issueId}/watchers`)).body.map(({ userId }: { userId: string }) => userId);

const actions = async (issueId: string) =>
  (await api.get(`/api/issues/${issueId}/activity`)).body.map(
    ({ action, details }: { action: string; details: object }) => ({ action, details }),
  );

describe("An issue assigned to a person", () => {
  it("is in todo, wakes nobody, names the person and is found by the person", async () => {
    const issue = await api.issue(company.id, { assigneeUserId: ada.id });
    expect(issue).toMatchObject({ status: "todo", assigneeUserId: ada.id, assigneeAgentId: null });
    const { body } = await api.get(`/api/issues/${issue.id}`);
    expect(body.assigneeUser).toEqual({ id: ada.id, name: expect.stringMatching(/^User/) });
    expect(await api.sql`select from wakes where issue_id = ${issue.id}`).toHaveLength(0);
    await api.issue(company.id, { assigneeUserId: bob.id });
    await api.issue(company.id);
    const found = async (query: string, who = ada) =>
      (await api.get(at(`issues?${query}`), { token: who.token })).body.map(({ id }: { id: string }) => id);
    expect(await found(`assigneeUserId=${ada.id}`)).toEqual([issue.id]);
    expect(await found("assigneeUserId=me")).toEqual([issue.id]);
    expect(await found("assigneeUserId=me", viewer)).toEqual([]);
    expect(await found("assigneeAgentId=null")).toHaveLength(1);
    const count = await api.get(at("issues/count?assigneeUserId=me"), { token: ada.token });
    expect(count.body).toEqual({ count: 1 });
  });

  it("takes `me` from people only", async () => {
    const agent = await api.agent(company.id);
    const { token } = await api.make(`/api/agents/${agent.id}/keys`);
    expect(await api.get(at("issues?assigneeUserId=me"), { token })).toMatchObject({
      status: 400,
      body: { code: "validation_error", details: [{ path: ["assigneeUserId"] }] },
    });
  });

  it("can be taken from an agent, whose run is then stopped, and goes back to it, who is then woken", async () => {
    const { agent, issue, run } = await issueAtWork();
    await api.sql`update runs set status = 'running' where id = ${run.runId}`;
    const reassigned = await api.patch(`/api/issues/${issue.id}`, { assigneeUserId: ada.id });
    expect(reassigned).toMatchObject({
      status: 200,
      body: {
        status: "in_progress",
        assigneeUserId: ada.id,
        assigneeAgentId: null,
        checkoutRunId: null,
        heldSince: null,
      },
    });
    const [stopped] = await api.sql`select stop_reason from runs where id = ${run.runId}`;
    expect(stopped).toEqual({ stop_reason: "issue_reassigned" });
    await api.sql`update runs set status = 'cancelled', finished_at = now() where id = ${run.runId}`;
    const back = await api.patch(`/api/issues/${issue.id}`, { status: "todo", assigneeAgentId: agent.id });
    expect(back.body).toMatchObject({ status: "todo", assigneeAgentId: agent.id, assigneeUserId: null });
    const wakes = await api.sql`
      select reason from wakes where issue_id = ${issue.id} order by created_at desc limit 1
    `;
    expect(wakes).toEqual([{ reason: "issue_assigned" }]);
    const assigned = (await actions(issue.id)).filter(
      ({ action }: { action: string }) => action === "issue.assigned",
    );
    expect(assigned).toMatchObject([
      { details: { agentId: agent.id, userId: null } },
      { details: { agentId: null, userId: ada.id } },
    ]);
  });

  it("is handed over for review by the agent that works on it, in one call", async () => {
    const { issue, run } = await issueAtWork();
    const handed = await api.patch(
      `/api/issues/${issue.id}`,
      { status: "in_review", assigneeUserId: ada.id, comment: "Please look." },
      run.as,
    );
    expect(handed).toMatchObject({ status: 200, body: { status: "in_review", assigneeUserId: ada.id } });
  });

  it("cannot be checked out, begun, changed while in progress, or given files by an agent", async () => {
    const { agent, run } = await issueAtWork();
    const issue = await api.issue(company.id, { assigneeUserId: ada.id });
    const body = { agentId: agent.id, expectedStatuses: ["todo"] };
    const lockedByAda = {
      status: 409,
      body: { code: "issue_held_by_another", details: { assigneeAgentId: null, assigneeUserId: ada.id } },
    };
    expect(await api.post(`/api/issues/${issue.id}/checkout`, body, run.as)).toMatchObject(lockedByAda);
    expect(await api.post(`/api/issues/${issue.id}/checkout`, body)).toMatchObject(lockedByAda);
    const change = (fields: object, as = run.as) => api.patch(`/api/issues/${issue.id}`, fields, as);
    expect(await change({ status: "in_progress" })).toMatchObject({ status: 403 });
    const begun = await change({ status: "in_progress" }, { token: ada.token, headers: {} });
    expect(begun).toMatchObject({
      status: 200,
      body: { status: "in_progress", startedAt: expect.any(String), checkoutRunId: null },
    });
    expect(await change({ title: "Mine" })).toMatchObject({ status: 403, body: { code: "issue_not_yours" } });
    const document = await api.put(`/api/issues/${issue.id}/documents/plan`, { body: "x" }, run.as);
    expect(document).toMatchObject({ status: 403, body: { code: "issue_not_yours" } });
    const release = await api.post(`/api/issues/${issue.id}/release`, {}, run.as);
    expect(release).toMatchObject({ status: 409, body: { code: "not_the_assignee" } });
    expect(await api.post(`/api/issues/${issue.id}/release`)).toMatchObject({
      status: 200,
      body: { status: "todo", assigneeUserId: null },
    });
  });

  it("wakes no agent by a comment, but those that it mentions", async () => {
    const agent = await api.agent(company.id, { name: "Mentioned" });
    const issue = await api.issue(company.id, { assigneeUserId: ada.id });
    const comment = (body: string) => api.make(`/api/issues/${issue.id}/comments`, { body });
    await comment("Nothing for anybody");
    expect(await api.sql`select from wakes where issue_id = ${issue.id}`).toHaveLength(0);
    await comment("@Mentioned look");
    const wakes = await api.sql`select agent_id, reason from wakes where issue_id = ${issue.id}`;
    expect(wakes).toEqual([{ agentId: agent.id, reason: "issue_comment_mentioned" }].map(snake));
  });

  it("is refused with the field's name for two assignees, and for people who cannot work in the company", async () => {
    const agent = await api.agent(company.id);
    const other = await api.company();
    const stranger = await api.user(other.id, "operator");
    const disabled = await api.user(company.id, "operator");
    await api.patch(`/api/board-users/${disabled.id}`, { disabled: true });
    const issue = await api.issue(company.id);
    const rows: readonly (readonly [object, string])[] = [
      [{ assigneeUserId: ada.id, assigneeAgentId: agent.id }, "two_assignees"],
      [{ assigneeUserId: stranger.id }, "reference_not_found"],
      [{ assigneeUserId: nowhere }, "reference_not_found"],
      [{ assigneeUserId: disabled.id }, "reference_not_found"],
      [{ assigneeUserId: viewer.id }, "user_not_assignable"],
    ];
    for (const [fields, code] of rows) {
      const refused = { status: 422, body: { code, details: { path: ["assigneeUserId"] } } };
      expect(await api.patch(`/api/issues/${issue.id}`, fields)).toMatchObject(refused);
      expect(await api.post(at("issues"), { title: "T", ...fields })).toMatchObject(refused);
      const tasks = [{ clientKey: "a", title: "T", ...fields }];
      const interaction = { kind: "suggest_tasks", payload: { tasks } };
      expect(await api.post(`/api/issues/${issue.id}/interactions`, interaction)).toMatchObject({
        status: 422,
        body: { code, details: { path: ["payload.tasks.0.assigneeUserId"] } },
      });
    }
    expect((await api.get(`/api/issues/${issue.id}`)).body).toMatchObject({ assigneeUserId: null });
  });

  it("can be any of the people that the company lists, and nobody else", async () => {
    const admin = (await api.get("/api/session")).body.userId;
    const people: string[] = (await api.get(at("people"))).body.map(
      ({ userId }: { userId: string }) => userId,
    );
    const everybody: string[] = (await api.get("/api/board-users")).body.map(({ id }: { id: string }) => id);
    expect(people).toEqual(expect.arrayContaining([admin, ada.id, bob.id]));
    for (const userId of everybody) {
      const { status } = await api.post(at("issues"), { title: "T", assigneeUserId: userId });
      expect([userId, status]).toEqual([userId, people.includes(userId) ? 201 : 422]);
    }
  });

  it("can come from a suggested task", async () => {
    const issue = await api.issue(company.id);
    const tasks = [{ clientKey: "a", title: "For Ada", assigneeUserId: ada.id }];
    const path = `/api/issues/${issue.id}/interactions`;
    const interaction = await api.make(path, { kind: "suggest_tasks", payload: { tasks } });
    const { result } = await api.make(`${path}/${interaction.id}/accept`);
    const made = await api.get(`/api/issues/${result.createdTasks[0].issueId}`);
    expect(made.body).toMatchObject({ assigneeUserId: ada.id, status: "todo" });
  });
});

/** As the raw table has it. */
const snake = ({ agentId, reason }: { agentId: string; reason: string }) => ({ agent_id: agentId, reason });

describe("A person who can no longer work in the company", () => {
  const losses: readonly (readonly [string, () => Promise<{ status: number }>])[] = [
    ["is removed from it", () => api.delete(at(`members/${ada.id}`))],
    ["becomes a viewer", () => api.put(at(`members/${ada.id}`), { role: "viewer" })],
    ["is disabled", () => api.patch(`/api/board-users/${ada.id}`, { disabled: true })],
  ];
  it.each(losses)(
    "and %s loses the open issues there, which the activity log says; closed ones stay",
    async (_, lose) => {
      const elsewhere = await api.company();
      await api.put(`/api/companies/${elsewhere.id}/members/${ada.id}`, { role: "owner" });
      const ofAnotherCompany = await api.issue(elsewhere.id, { assigneeUserId: ada.id });
      const todo = await api.issue(company.id, { assigneeUserId: ada.id });
      const begun = await api.issue(company.id, { assigneeUserId: ada.id, status: "in_progress" });
      const done = await api.issue(company.id, { assigneeUserId: ada.id, status: "done" });
      const bobs = await api.issue(company.id, { assigneeUserId: bob.id });
      expect((await lose()).status).toBe(200);
      const owner = async ({ id }: { id: string }) => (await api.get(`/api/issues/${id}`)).body;
      expect(await owner(todo)).toMatchObject({ status: "todo", assigneeUserId: null });
      expect(await owner(begun)).toMatchObject({ status: "todo", assigneeUserId: null });
      expect(await owner(done)).toMatchObject({ status: "done", assigneeUserId: ada.id });
      expect(await owner(bobs)).toMatchObject({ assigneeUserId: bob.id });
      const isDisabled = (await api.get("/api/board-users")).body.find(
        ({ id }: { id: string }) => id === ada.id,
      ).disabledAt;
      expect(await owner(ofAnotherCompany)).toMatchObject({
        assigneeUserId: isDisabled === null ? ada.id : null,
      });
      expect((await actions(todo.id))[0]).toMatchObject({ action: "issue.released" });
      await api.patch(`/api/issues/${done.id}`, { status: "todo" });
      expect(await api.patch(`/api/issues/${done.id}`, { status: "in_progress" })).toMatchObject({
        status: 422,
        body: { code: "user_not_assignable", details: { path: ["status"] } },
      });
    },
  );

  it("has no open issue left, however assignments race with the removal", async () => {
    const issues = await Promise.all(Array.from({ length: 8 }, () => api.issue(company.id)));
    const assigned = issues.map(({ id }) => api.patch(`/api/issues/${id}`, { assigneeUserId: ada.id }));
    const [removed, ...answers] = await Promise.all([api.delete(at(`members/${ada.id}`)), ...assigned]);
    expect(removed.status).toBe(200);
    for (const { status } of answers) expect([200, 422]).toContain(status);
    expect(await api.sql`select from issues where assignee_user_id = ${ada.id}`).toHaveLength(0);
  });

  it("loses nothing as an admin without a role, until demoted", async () => {
    const admin = await api.user(null);
    await api.patch(`/api/board-users/${admin.id}`, { admin: true });
    const issue = await api.issue(company.id, { assigneeUserId: admin.id });
    const assignee = async () => (await api.get(`/api/issues/${issue.id}`)).body.assigneeUserId;
    await api.patch(`/api/board-users/${admin.id}`, { name: "Renamed" });
    expect(await assignee()).toBe(admin.id);
    await api.patch(`/api/board-users/${admin.id}`, { admin: false });
    expect(await assignee()).toBeNull();
  });
});

describe("The inbox of the assignee", () => {
  it("has what is assigned, and nobody else's has", async () => {
    const { issue, run } = await issueAtWork();
    const hand = { status: "in_review", assigneeUserId: ada.id };
    await api.patch(`/api/issues/${issue.id}`, hand, run.as);
    const entry = {
      id: `review:${issue.id}`,
      reason: "Worker is ready for your review.",
      actions: ["finish", "send_back", "comment"],
      dismissible: false,
      issue: { id: issue.id },
      agent: { id: run.agentId },
    };
    expect(await inboxOf(ada)).toMatchObject([entry]);
    expect(await inboxOf(bob)).toEqual([]);
    expect(await waiting(ada)).toBe(1);
    expect(await waiting(bob)).toBe(0);
    await api.patch(`/api/issues/${issue.id}`, { assigneeUserId: bob.id }, { token: ada.token });
    expect(await inboxOf(ada)).toEqual([]);
    expect(await inboxOf(bob)).toMatchObject([{ id: `review:${issue.id}` }]);
    await api.patch(`/api/issues/${issue.id}`, { status: "done" }, { token: bob.token });
    expect(await inboxOf(bob)).toEqual([]);
  });

  it("offers of a review only what is taken: not done with unmet gates, not back to an agent that is gone", async () => {
    const project = await api.make(at("projects"), { name: "Gated" });
    const gate = { name: "Looked at", kind: "review", reviewerUserId: ada.id };
    await api.put(`/api/projects/${project.id}/gates`, { gates: [gate] });
    const { issue, run } = await issueAtWork();
    await api.patch(`/api/issues/${issue.id}`, { projectId: project.id });
    const hand = { status: "in_review", assigneeUserId: ada.id };
    await api.patch(`/api/issues/${issue.id}`, hand, run.as);
    const offered = async () => (await inboxOf(ada)).map(({ actions }) => actions);
    expect(await offered()).toEqual([["send_back", "comment"]]);
    expect((await inboxOf(ada))[0]?.callerMay.finish).toMatchObject({ allowed: false, code: "gates_unmet" });
    const as = { token: ada.token };
    await api.post(`/api/issues/${issue.id}/reviews`, { verdict: "approved", commits: [] }, as);
    await api.make(`/api/agents/${run.agentId}/terminate`);
    expect(await offered()).toEqual([["finish", "comment"]]);
    const back = { status: "todo", assigneeAgentId: run.agentId };
    expect((await api.patch(`/api/issues/${issue.id}`, back, as)).body.code).toBe("agent_not_assignable");
    expect((await api.patch(`/api/issues/${issue.id}`, { status: "done" }, as)).status).toBe(200);
    const own = await api.issue(company.id, { assigneeUserId: ada.id, status: "in_review" });
    expect(await inboxOf(ada)).toMatchObject([
      { subject: { id: own.id }, agent: null, actions: ["finish", "comment"] },
    ]);
  });

  it("says who assigned an issue, and takes it aside until its status or assignee changes", async () => {
    const issue = await api.issue(company.id, { assigneeUserId: ada.id });
    const [entry] = await inboxOf(ada);
    expect(entry).toMatchObject({ id: `assigned_issue:${issue.id}`, dismissible: true });
    expect(entry?.reason).toMatch(/^Assigned to you by /);
    const dismissal = at(`inbox/${entry!.id}/dismissal`);
    await api.put(dismissal, { version: entry!.version }, { token: ada.token });
    expect(await waiting(ada)).toBe(0);
    await api.patch(`/api/issues/${issue.id}`, { title: "Another title" });
    expect(await waiting(ada)).toBe(0);
    await api.patch(`/api/issues/${issue.id}`, { status: "blocked" });
    expect(await inboxOf(ada)).toMatchObject([{ id: entry!.id }]);
  });

  it("has no issue that waits for another issue", async () => {
    const blocker = await api.issue(company.id);
    const waits = await api.issue(company.id, { assigneeUserId: ada.id, blockedByIssueIds: [blocker.id] });
    expect(await inboxOf(ada)).toEqual([]);
    await api.patch(`/api/issues/${blocker.id}`, { status: "done" });
    expect(await inboxOf(ada)).toMatchObject([{ id: `assigned_issue:${waits.id}` }]);
  });
});

describe("Watching an issue", () => {
  const watch = (issueId: string, who: { token: string }, body?: object) =>
    api.put(`/api/issues/${issueId}/watchers/me`, body ?? {}, { token: who.token });

  it("begins with creating it, commenting on it and being assigned it, or by itself; and ends", async () => {
    const issue = await api.make(at("issues"), { title: "T" }, { token: ada.token });
    expect(await names(issue.id)).toEqual([ada.id]);
    await api.make(`/api/issues/${issue.id}/comments`, { body: "x" }, { token: bob.token });
    await api.make(`/api/issues/${issue.id}/comments`, { body: "y" }, { token: bob.token });
    const carol = await api.user(company.id, "owner");
    await api.patch(`/api/issues/${issue.id}`, { assigneeUserId: carol.id }, { token: ada.token });
    expect(await watch(issue.id, viewer)).toMatchObject({ status: 200 });
    expect(await watch(issue.id, viewer)).toMatchObject({ status: 200 });
    expect((await names(issue.id)).sort()).toEqual([ada.id, bob.id, carol.id, viewer.id].sort());
    const me = `/api/issues/${issue.id}/watchers/me`;
    expect(await api.delete(me, { token: bob.token })).toMatchObject({ status: 200 });
    expect(await api.delete(me, { token: bob.token })).toMatchObject({ status: 200 });
    await api.delete(at(`members/${carol.id}`));
    expect((await names(issue.id)).sort()).toEqual([ada.id, viewer.id].sort());
  });

  it("tells the watcher of comments by others and of moves to review, blocked and done, each person apart", async () => {
    const { issue, agent, run } = await issueAtWork();
    await watch(issue.id, ada);
    await watch(issue.id, viewer);
    expect(await waiting(ada)).toBe(0);
    await api.make(`/api/issues/${issue.id}/comments`, { body: "One" }, run.as);
    expect(await inboxOf(ada)).toMatchObject([
      {
        id: `watched_issue:${issue.id}`,
        reason: "Worker commented.",
        actions: ["comment", "unwatch"],
        agent: { id: agent.id },
      },
    ]);
    await api.patch(`/api/issues/${issue.id}`, { status: "in_review", comment: "Two" }, run.as);
    expect((await inboxOf(viewer))[0]?.reason).toBe("2 new comments, and the issue is in review.");
    expect(await inboxOf(bob)).toEqual([]);
    await watch(issue.id, ada);
    expect(await inboxOf(ada)).toEqual([]);
    expect(await waiting(viewer)).toBe(1);
    await api.make(`/api/issues/${issue.id}/comments`, { body: "Mine" }, { token: ada.token });
    expect(await inboxOf(ada)).toEqual([]);
    await api.patch(`/api/issues/${issue.id}`, { status: "done" }, { token: bob.token });
    expect((await inboxOf(ada))[0]?.reason).toBe("The issue is done.");
    await api.patch(`/api/issues/${issue.id}`, { status: "todo" }, { token: bob.token });
    expect(await inboxOf(ada)).toEqual([]);
    await api.patch(`/api/issues/${issue.id}`, { status: "done" }, { token: bob.token });
    expect((await inboxOf(ada))[0]?.reason).toBe("The issue is done.");
    await api.delete(`/api/issues/${issue.id}/watchers/me`, { token: ada.token });
    expect(await inboxOf(ada)).toEqual([]);
  });

  it("counts what was seen until the time that is sent", async () => {
    const issue = await api.issue(company.id);
    await watch(issue.id, ada);
    const first = await api.make(`/api/issues/${issue.id}/comments`, { body: "One" }, { token: bob.token });
    await api.make(`/api/issues/${issue.id}/comments`, { body: "Two" }, { token: bob.token });
    expect((await inboxOf(ada))[0]?.reason).toBe("2 new comments.");
    // It asks for nothing: a badge need not count it.
    const { body: counts } = await api.get("/api/inbox/counts", { token: ada.token });
    expect(counts).toContainEqual({ companyId: company.id, waiting: 1, news: 1 });
    await watch(issue.id, ada, { seenUntil: first.createdAt });
    expect((await inboxOf(ada))[0]?.reason).toMatch(/^User \d+ commented\.$/);
    await watch(issue.id, ada, { seenUntil: "2001-01-01T00:00:00.000Z" });
    expect((await inboxOf(ada))[0]?.reason).toMatch(/^User \d+ commented\.$/);
    await watch(issue.id, ada, { seenUntil: "2999-01-01T00:00:00.000Z" });
    expect(await inboxOf(ada)).toEqual([]);
    await api.make(`/api/issues/${issue.id}/comments`, { body: "Three" }, { token: bob.token });
    expect(await waiting(ada)).toBe(1);
  });

  it("reaches a watcher who is also the assignee once: a move is the assignment's own entry", async () => {
    const { issue, run } = await issueAtWork();
    await watch(issue.id, ada);
    const hand = { status: "in_review", assigneeUserId: ada.id };
    await api.patch(`/api/issues/${issue.id}`, hand, run.as);
    expect(await inboxOf(ada)).toMatchObject([{ kind: "review" }]);
  });

  it("can be dismissed by a viewer until there is more news", async () => {
    const issue = await api.issue(company.id);
    await watch(issue.id, viewer);
    const comment = () => api.make(`/api/issues/${issue.id}/comments`, { body: "x" }, { token: bob.token });
    await comment();
    const [entry] = await inboxOf(viewer);
    const dismissal = at(`inbox/${entry!.id}/dismissal`);
    expect(await api.put(dismissal, { version: entry!.version }, { token: viewer.token })).toMatchObject({
      status: 200,
    });
    expect(await inboxOf(viewer)).toEqual([]);
    await comment();
    expect(await inboxOf(viewer)).toMatchObject([{ id: entry!.id }]);
  });
});

describe("What a comment said before it was edited", () => {
  it("is listed newest first, until the comment is deleted, and only under its own issue", async () => {
    const issue = await api.issue(company.id);
    const comment = await api.make(`/api/issues/${issue.id}/comments`, { body: "One" });
    const path = `/api/issues/${issue.id}/comments/${comment.id}`;
    const revisions = async () =>
      (await api.get(`${path}/revisions`)).body.map(({ body }: { body: string }) => body);
    expect(await revisions()).toEqual([]);
    await api.patch(path, { body: "Two" });
    await api.patch(path, { body: "Three" });
    expect(await revisions()).toEqual(["Two", "One"]);
    const first = await api.get(`${path}/revisions?limit=1`);
    expect(first.body).toMatchObject([{ commentId: comment.id, replacedAt: expect.any(String) }]);
    const cursor = first.headers.get("x-next-cursor");
    expect((await api.get(`${path}/revisions?limit=1&cursor=${cursor}`)).body).toMatchObject([
      { body: "One" },
    ]);
    const other = await api.issue(company.id);
    for (const wrong of [`${other.id}/comments/${comment.id}`, `${issue.id}/comments/${nowhere}`])
      expect(await api.get(`/api/issues/${wrong}/revisions`)).toMatchObject({
        status: 404,
        body: { code: "comment_not_found" },
      });
    await api.delete(path);
    expect(await revisions()).toEqual([]);
  });
});
