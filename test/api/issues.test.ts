import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentAtWork, type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { outcomeOf, type RawAnswer, type RawRequest } from "../support/service.ts";

let api: ApiService;
let companyId: string;
let list: string;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company("Walrus")).id;
  list = `/api/companies/${companyId}/issues`;
});
afterAll(() => api?.stop());

const at = (id: string, tail = "") => `/api/issues/${id}${tail}`;
const show = async (id: string) => (await api.get(at(id))).body;
const patch = (id: string, body: object, raw?: RawRequest) => api.patch(at(id), body, raw);
const everyStatus = ["backlog", "todo", "in_progress", "in_review", "blocked"];

const checkout = (
  id: string,
  { agentId, as }: AgentAtWork,
  expectedStatuses: readonly string[] = everyStatus,
) => api.post(at(id, "/checkout"), { agentId, expectedStatuses }, as);

const worker = async (name?: string) =>
  api.atWork((await api.agent(companyId, name === undefined ? {} : { name })).id);

/** Reads the reasons of wakes about an issue from the queued runs. */
const wakeReasons = async (issueId: string, agentId: string): Promise<string[]> => {
  const runs = (
    await api.get(`/api/companies/${companyId}/heartbeat-runs?issueId=${issueId}&agentId=${agentId}`)
  ).body;
  const details = await Promise.all(
    runs.map(({ id }: { id: string }) => api.get(`/api/heartbeat-runs/${id}`)),
  );
  return details.flatMap(({ body }) => body.wakes.map(({ reason }: { reason: string }) => reason)).sort();
};

describe("A new issue", () => {
  it("is backlog and medium, without an assignee", async () => {
    const answer = await api.post(list, { title: "Plain" });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      companyId,
      title: "Plain",
      description: null,
      status: "backlog",
      priority: "medium",
      assigneeAgentId: null,
      checkoutRunId: null,
      parentId: null,
      projectId: null,
      goalId: null,
      billingCode: null,
      createdByAgentId: null,
      startedAt: null,
      completedAt: null,
      started_at: null,
      completed_at: null,
    });
    expect(answer.body.createdByUserId).not.toBeNull();
    expect((await show(answer.body.id)).title).toBe("Plain");
  });

  it("is todo if it has an assignee, who is woken", async () => {
    const { agentId } = await worker();
    const issue = await api.issue(companyId, { assigneeAgentId: agentId });
    expect(issue.status).toBe("todo");
    expect(await wakeReasons(issue.id, agentId)).toEqual(["issue_assigned"]);
    const later = await api.issue(companyId, { assigneeAgentId: agentId, status: "backlog" });
    expect([later.status, await wakeReasons(later.id, agentId)]).toEqual(["backlog", []]);
  });

  it("is numbered within its company, under a prefix of its own", async () => {
    const [one, other] = [await api.company("Zebra"), await api.company("Zebra")];
    expect(one.issuePrefix).toBe("ZEB");
    expect(other.issuePrefix).not.toBe(one.issuePrefix);
    const titles = [await api.issue(one.id), await api.issue(one.id), await api.issue(other.id)];
    expect(titles.map(({ identifier }) => identifier)).toEqual(["ZEB-1", "ZEB-2", `${other.issuePrefix}-1`]);
  });

  it("has a number of its own, however many are created at once", async () => {
    const { id } = await api.company("Yak");
    const made = await Promise.all(Array.from({ length: 15 }, () => api.issue(id)));
    expect(new Set(made.map(({ identifier }) => identifier)).size).toBe(15);
  });

  it("may have the title of another", async () => {
    const [one, two] = [
      await api.issue(companyId, { title: "Same" }),
      await api.issue(companyId, { title: "Same" }),
    ];
    expect(one.id).not.toBe(two.id);
  });

  it("in progress needs an assignee, and is a checkout for it", async () => {
    expect(outcomeOf(await api.post(list, { title: "t", status: "in_progress" }))).toBe(
      "422 assignee_required",
    );
    const { agentId } = await worker();
    const issue = await api.issue(companyId, { status: "in_progress", assigneeAgentId: agentId });
    expect(issue).toMatchObject({ status: "in_progress", assigneeAgentId: agentId, checkoutRunId: null });
    expect(issue.started_at).toBe(issue.startedAt);
    expect(issue.startedAt).not.toBeNull();
  });

  it("is shown with its project, goal and ancestors", async () => {
    const project = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
    const goal = await api.make(`/api/companies/${companyId}/goals`, { title: "G" });
    const root = await api.issue(companyId, { projectId: project.id });
    const middle = await api.issue(companyId, { parentId: root.id, goalId: goal.id });
    const leaf = await api.issue(companyId, { parentId: middle.id, projectId: project.id });
    const shown = await show(leaf.id);
    const {
      budgetMonthlyCents: _,
      spentMonthlyCents: __,
      pauseReason: ___,
      callerMay: ____,
      ...facts
    } = project;
    expect(shown.project).toEqual(facts);
    expect(shown.goal).toBeNull();
    expect(shown.ancestors.map(({ id }: { id: string }) => id)).toEqual([middle.id, root.id]);
    expect(shown.ancestors[0].goal).toEqual(goal);
    expect(shown.ancestors[1].project).toEqual(facts);
  });
});

describe("The list of issues", () => {
  let here: string;
  let path: string;
  const ids = ({ body }: RawAnswer): string[] => body.map(({ id }: { id: string }) => id);

  beforeAll(async () => {
    here = (await api.company()).id;
    path = `/api/companies/${here}/issues`;
  });

  it("is filtered by each parameter, and by all together", async () => {
    const agent = await api.agent(here);
    const project = await api.make(`/api/companies/${here}/projects`, { name: "P" });
    const goal = await api.make(`/api/companies/${here}/goals`, { title: "G" });
    const parent = await api.issue(here);
    const all = { assigneeAgentId: agent.id, projectId: project.id, goalId: goal.id, parentId: parent.id };
    const full = await api.issue(here, all);
    const [projectOnly, goalOnly, childOnly, assignedOnly] = [
      await api.issue(here, { projectId: project.id }),
      await api.issue(here, { goalId: goal.id }),
      await api.issue(here, { parentId: parent.id }),
      await api.issue(here, { assigneeAgentId: agent.id }),
    ];
    const found = async (query: string) => ids(await api.get(`${path}?${query}`)).sort();
    const sorted = (...issues: { id: string }[]) => issues.map(({ id }) => id).sort();
    expect(await found(`projectId=${project.id}`)).toEqual(sorted(full, projectOnly));
    expect(await found(`goalId=${goal.id}`)).toEqual(sorted(full, goalOnly));
    expect(await found(`parentId=${parent.id}`)).toEqual(sorted(full, childOnly));
    expect(await found(`assigneeAgentId=${agent.id}`)).toEqual(sorted(full, assignedOnly));
    expect(await found("assigneeAgentId=null")).toEqual(sorted(parent, projectOnly, goalOnly, childOnly));
    expect(await found("status=todo")).toEqual(sorted(full, assignedOnly));
    expect(await found("createdByUserId=me")).toHaveLength(6);
    expect(await found(`createdByAgentId=${agent.id}`)).toEqual([]);
    expect(await found("status=todo,done,backlog")).toHaveLength(6);
    expect(await found("status=done")).toEqual([]);
    expect(await found(`status=todo&${new URLSearchParams(all)}`)).toEqual(sorted(full));
  });

  it("has the most urgent first, then the last changed", async () => {
    const { id } = await api.company();
    const low = await api.issue(id, { priority: "low" });
    const first = await api.issue(id, { priority: "high" });
    const critical = await api.issue(id, { priority: "critical" });
    const second = await api.issue(id, { priority: "high" });
    const medium = await api.issue(id);
    const order = async () => ids(await api.get(`/api/companies/${id}/issues`));
    expect(await order()).toEqual([critical, second, first, medium, low].map((issue) => issue.id));
    await api.make(at(first.id, "/comments"), { body: "moved" });
    expect(await order()).toEqual([critical, first, second, medium, low].map((issue) => issue.id));
  });

  it("is paged exactly once in order of creation, while others are added", async () => {
    const { id } = await api.company();
    const before: string[] = [];
    for (let n = 0; n < 7; n++) before.push((await api.issue(id)).id);
    const seen: string[] = [];
    const during: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await api.get(`/api/companies/${id}/issues?sort=created&limit=2${next}`);
      expect(answer.body.length).toBeLessThanOrEqual(2);
      seen.push(...ids(answer));
      cursor = answer.headers.get("x-next-cursor");
      if (during.length < 3) {
        during.push((await api.issue(id, { priority: "critical" })).id);
        await patch(before[0]!, { priority: "low", title: `Moved ${during.length}` });
      }
    } while (cursor !== null);
    expect(seen).toEqual([...before, ...during]);
  });

  it("is paged in order of urgency too", async () => {
    const { id } = await api.company();
    const priorities = ["low", "high", "medium", "critical", "high", "low", "medium"];
    for (const priority of priorities) await api.issue(id, { priority });
    const whole = ids(await api.get(`/api/companies/${id}/issues`));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const answer: RawAnswer = await api.get(
        `/api/companies/${id}/issues?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      seen.push(...ids(answer));
      cursor = answer.headers.get("x-next-cursor");
    }
    expect(seen).toEqual(whole);
  });

  it("has no next page after its last, and accepts no cursor of another order", async () => {
    const { id } = await api.company();
    for (let n = 0; n < 2; n++) await api.issue(id);
    const path = `/api/companies/${id}/issues`;
    expect((await api.get(`${path}?limit=2`)).headers.get("x-next-cursor")).toBeNull();
    const cursor = (await api.get(`${path}?limit=1`)).headers.get("x-next-cursor");
    expect((await api.get(`${path}?limit=1&cursor=${cursor}`)).body).toHaveLength(1);
    expect((await api.get(`${path}?limit=1&sort=created&cursor=${cursor}`)).status).toBe(400);
  });
});

const statuses = ["backlog", "todo", "in_progress", "in_review", "blocked", "done", "cancelled"] as const;
type Status = (typeof statuses)[number];

/** The moves of decisions 4.1, for the board. */
const moves: Readonly<Record<Status, readonly Status[]>> = {
  backlog: ["todo", "in_progress", "in_review", "blocked", "done", "cancelled"],
  todo: ["backlog", "in_progress", "in_review", "blocked", "done", "cancelled"],
  in_progress: ["todo", "in_review", "blocked", "done", "cancelled"],
  in_review: ["in_progress", "todo", "blocked", "done", "cancelled"],
  blocked: ["todo", "backlog", "in_progress", "cancelled"],
  done: ["todo", "cancelled"],
  cancelled: ["todo", "done"],
};

describe("A status change by PATCH", () => {
  let agent: AgentAtWork;
  beforeAll(async () => {
    agent = await worker();
  });

  const issueIn = async (status: Status): Promise<string> => {
    const { id } = await api.issue(companyId, { assigneeAgentId: agent.agentId });
    const way = status === "in_review" ? ["in_progress", "in_review"] : [status];
    for (const step of way) expect((await patch(id, { status: step })).body.status).toBe(step);
    return id;
  };

  describe.each(statuses)("from %s", (from) => {
    it.each(statuses.filter((to) => to !== from))("to %s is as the table says", async (to) => {
      const id = await issueIn(from);
      const answer = await patch(id, { status: to });
      if (moves[from].includes(to)) {
        expect([answer.status, answer.body.status]).toEqual([200, to]);
        expect((await show(id)).status).toBe(to);
      } else {
        expect(outcomeOf(answer)).toBe("422 invalid_status_transition");
        expect([...answer.body.details.allowed].sort()).toEqual([...moves[from]].sort());
        for (const allowed of moves[from]) expect(answer.body.error).toContain(allowed);
        expect((await show(id)).status).toBe(from);
      }
    });
  });

  it("sets the start on every entry into progress, and the end on done", async () => {
    const id = await issueIn("in_progress");
    const started = await show(id);
    expect(started.started_at).toBe(started.startedAt);
    const review = (await patch(id, { status: "in_review" })).body;
    expect(review.startedAt).toBe(started.startedAt);
    const again = (await patch(id, { status: "in_progress" })).body;
    expect(Date.parse(again.startedAt)).toBeGreaterThan(Date.parse(started.startedAt));
    const done = (await patch(id, { status: "done" })).body;
    expect(done.completedAt).not.toBeNull();
    expect(done.completed_at).toBe(done.completedAt);
    expect(done.checkoutRunId).toBeNull();
    expect((await patch(id, { status: "todo" })).body).toMatchObject({
      completedAt: null,
      completed_at: null,
    });
    expect((await patch(id, { status: "cancelled" })).body.cancelledAt).not.toBeNull();
  });

  it("into progress needs an assignee", async () => {
    const { id } = await api.issue(companyId);
    expect(outcomeOf(await patch(id, { status: "in_progress" }))).toBe("422 assignee_required");
    const both = await patch(id, { status: "in_progress", assigneeAgentId: agent.agentId });
    expect(both.body).toMatchObject({ status: "in_progress", assigneeAgentId: agent.agentId });
  });

  it("into progress by an agent is only for itself, as by checkout", async () => {
    const other = await worker("Somebody else");
    const { id } = await api.issue(companyId, { assigneeAgentId: other.agentId });
    const refused = [
      await patch(id, { status: "in_progress" }, agent.as),
      await patch(
        (await api.issue(companyId)).id,
        { status: "in_progress", assigneeAgentId: other.agentId },
        agent.as,
      ),
      await api.post(
        list,
        { title: "Theirs", status: "in_progress", assigneeAgentId: other.agentId },
        agent.as,
      ),
    ];
    expect(refused.map(outcomeOf)).toEqual(["403 forbidden", "403 forbidden", "403 forbidden"]);
    expect(await show(id)).toMatchObject({ status: "todo", startedAt: null });
    expect((await patch(id, { status: "in_progress" }, other.as)).body.checkoutRunId).toBe(other.runId);
  });

  it("by an agent is a checkout for its run, and never a reopening", async () => {
    const { id } = await api.issue(companyId);
    const claimed = await patch(id, { status: "in_progress" }, agent.as);
    expect(claimed.body).toMatchObject({ assigneeAgentId: agent.agentId, checkoutRunId: agent.runId });
    expect((await patch(id, { status: "done" }, agent.as)).body.status).toBe("done");
    const reopened = await patch(id, { status: "todo" }, agent.as);
    expect(outcomeOf(reopened)).toBe("422 invalid_status_transition");
    expect(reopened.body.details.allowed).toEqual([]);
  });

  it("from in_progress to todo is a release", async () => {
    const id = await issueIn("in_progress");
    expect((await patch(id, { status: "todo" })).body).toMatchObject({
      status: "todo",
      assigneeAgentId: null,
      checkoutRunId: null,
    });
  });

  it("is in the activity of the issue", async () => {
    const id = await issueIn("todo");
    await patch(id, { status: "blocked" });
    const [entry] = (await api.get(at(id, "/activity"))).body;
    expect(entry).toMatchObject({
      action: "issue.status_changed",
      entityType: "issue",
      entityId: id,
      details: { from: "todo", to: "blocked" },
    });
  });
});

describe("A change by PATCH", () => {
  it("keeps unnamed fields, and clears those that are null", async () => {
    const { id } = await api.issue(companyId, { description: "d", billingCode: "b", priority: "low" });
    const { body } = await patch(id, { description: null });
    expect(body).toMatchObject({ description: null, billingCode: "b", priority: "low", comment: null });
    expect((await patch(id, { title: "T" })).body.title).toBe("T");
  });

  it("of nothing changes nothing", async () => {
    const issue = await api.issue(companyId);
    const { body } = await patch(issue.id, {});
    expect(body).toEqual({ ...issue, comment: null });
    expect((await api.get(at(issue.id, "/activity"))).body).toHaveLength(1);
  });

  it("may carry a comment", async () => {
    const { id } = await api.issue(companyId);
    const { body } = await patch(id, { priority: "high", comment: "Because." });
    expect(body.comment).toMatchObject({ issueId: id, body: "Because.", authorAgentId: null });
    expect((await api.get(at(id, "/comments"))).body).toEqual([{ ...body.comment, authorName: "board" }]);
    expect((await patch(id, { comment: " " })).status).toBe(400);
  });

  it("names the assignee by id or urlKey", async () => {
    const [one, two] = [await api.agent(companyId, { name: "Ada Lovelace" }), await api.agent(companyId)];
    const { id } = await api.issue(companyId);
    expect((await patch(id, { assigneeAgentId: two.id })).body.assigneeAgentId).toBe(two.id);
    expect((await patch(id, { assigneeAgentId: one.urlKey })).body.assigneeAgentId).toBe(one.id);
    expect(await wakeReasons(id, one.id)).toEqual([]);
    expect((await patch(id, { status: "todo" })).status).toBe(200);
    expect(await wakeReasons(id, one.id)).toEqual(["issue_status_changed"]);
    expect((await patch(id, { assigneeAgentId: null })).body.assigneeAgentId).toBeNull();
    const elsewhere = await api.agent((await api.company()).id, { name: "Only Elsewhere" });
    for (const reference of [elsewhere.urlKey, elsewhere.id, "nobody"])
      expect(outcomeOf(await patch(id, { assigneeAgentId: reference }))).toBe("422 reference_not_found");
  });

  it("that changes the assignee stops the run of the former one", async () => {
    const [one, two] = [await worker(), await worker()];
    const { id } = await api.issue(companyId, { assigneeAgentId: one.agentId });
    const [run] = (await api.get(at(id, "/runs"))).body;
    expect((await patch(id, { assigneeAgentId: two.agentId })).body.assigneeAgentId).toBe(two.agentId);
    expect((await api.get(`/api/heartbeat-runs/${run.id}`)).body).toMatchObject({
      status: "cancelled",
      errorCode: "issue_reassigned",
    });
    expect(await wakeReasons(id, two.agentId)).toEqual(["issue_assigned"]);
  });

  it("finds an issue by its identifier, in any case", async () => {
    const issue = await api.issue(companyId);
    const name = issue.identifier.toLowerCase();
    expect((await api.get(at(name))).body.id).toBe(issue.id);
    expect((await patch(name, { title: "By name" })).body.id).toBe(issue.id);
    expect((await api.make(at(name, "/comments"), { body: "b" })).issueId).toBe(issue.id);
    expect(outcomeOf(await checkout(name, await worker()))).toBe("200");
  });
});

describe("A checkout", () => {
  it("claims the issue for the caller's run", async () => {
    const agent = await worker();
    const { id } = await api.issue(companyId);
    const { status, body } = await checkout(id, agent, ["todo", "backlog"]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "in_progress",
      assigneeAgentId: agent.agentId,
      checkoutRunId: agent.runId,
      startedAt: body.heldSince,
    });
  });

  it("is idempotent for the holder, also with other expected statuses", async () => {
    const agent = await worker();
    const { id } = await api.issue(companyId);
    const first = (await checkout(id, agent)).body;
    for (const expected of [["todo"], ["in_progress"], ["done"]])
      expect((await checkout(id, agent, expected)).body).toEqual(first);
  });

  it("of another agent's issue is 409, and names the holder", async () => {
    const [one, two] = [await worker(), await worker()];
    const { id } = await api.issue(companyId);
    const checkedOut = (await checkout(id, one)).body;
    const answer = await checkout(id, two);
    expect(outcomeOf(answer)).toBe("409 issue_held_by_another");
    expect(answer.body.details).toEqual({
      issueId: id,
      status: "in_progress",
      assigneeAgentId: one.agentId,
      assigneeUserId: null,
      checkoutRunId: one.runId,
      heldSince: checkedOut.heldSince,
    });
  });

  it("of an issue that another agent owns is 409 in every open status, and nothing changes", async () => {
    const [one, two] = [await worker(), await worker()];
    const { id } = await api.issue(companyId, { assigneeAgentId: one.agentId });
    const ways = [["todo"], ["blocked"], ["backlog"], ["in_progress"], ["in_review"]];
    for (const [status] of ways) {
      await patch(id, { status });
      const before = await show(id);
      expect([status, outcomeOf(await checkout(id, two))]).toEqual([status, "409 issue_held_by_another"]);
      expect(await show(id)).toEqual(before);
    }
  });

  it("is 409 in an unexpected status", async () => {
    const agent = await worker();
    const { id } = await api.issue(companyId);
    const answer = await checkout(id, agent, ["todo", "blocked"]);
    expect(outcomeOf(answer)).toBe("409 issue_status_unexpected");
    expect(answer.body.details).toMatchObject({ issueId: id, status: "backlog", checkoutRunId: null });
    await patch(id, { status: "cancelled" });
    expect(outcomeOf(await checkout(id, agent))).toBe("409 issue_status_unexpected");
    expect(outcomeOf(await checkout(id, agent, ["cancelled"]))).toBe("422 invalid_status_transition");
  });

  it("takes the run only from the header", async () => {
    const agent = await worker();
    const { id } = await api.issue(companyId);
    const body = { agentId: agent.agentId, expectedStatuses: ["backlog"], runId: agent.runId };
    const answer = await api.post(at(id, "/checkout"), body, agent.as);
    expect(outcomeOf(answer)).toBe("400 validation_error");
    expect(answer.body.details).toMatchObject([{ path: ["runId"] }]);
    expect((await show(id)).status).toBe("backlog");
  });

  it.each([[[]], [["open"]], ["todo"], [null]])("expects statuses, not %j", async (expectedStatuses) => {
    const agent = await worker();
    const { id } = await api.issue(companyId);
    const answer = await api.post(
      at(id, "/checkout"),
      { agentId: agent.agentId, expectedStatuses },
      agent.as,
    );
    expect(outcomeOf(answer)).toBe("400 validation_error");
  });

  it("of another live run of the same agent is 409; when that run has ended, its lock is taken over", async () => {
    const first = await worker();
    const { id } = await api.issue(companyId);
    const checkedOut = (await checkout(id, first)).body;
    const other = await api.issue(companyId);
    const second = await api.atWork(first.agentId, other.id);
    expect(second.runId).not.toBe(first.runId);
    expect(outcomeOf(await checkout(id, second))).toBe("409 issue_held_by_another");
    await api.make(`/api/heartbeat-runs/${first.runId}/cancel`);
    expect(await show(id)).toMatchObject({
      status: "in_progress",
      assigneeAgentId: first.agentId,
      checkoutRunId: null,
    });
    expect(outcomeOf(await checkout(id, second, ["todo"]))).toBe("409 issue_status_unexpected");
    const adopted = (await checkout(id, second, ["in_progress"])).body;
    expect(adopted).toMatchObject({
      checkoutRunId: second.runId,
      assigneeAgentId: first.agentId,
      startedAt: checkedOut.startedAt,
    });
    const [entry] = (await api.get(at(id, "/activity"))).body;
    expect(entry.action).toBe("issue.checkout_lock_adopted");
  });

  it("by the board is for an agent, without a run, and wakes it", async () => {
    const { agentId } = await worker();
    const { id } = await api.issue(companyId);
    const { body } = await api.post(at(id, "/checkout"), { agentId, expectedStatuses: ["backlog"] });
    expect(body).toMatchObject({ status: "in_progress", assigneeAgentId: agentId, checkoutRunId: null });
    expect(await wakeReasons(id, agentId)).toEqual(["issue_checked_out"]);
  });

  it("has one winner of many", async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, () => worker()));
    const { id } = await api.issue(companyId);
    const answers = await Promise.all(agents.map((agent) => checkout(id, agent)));
    expect(answers.map(outcomeOf).sort()).toEqual(["200", ...Array(7).fill("409 issue_held_by_another")]);
    const winner = agents[answers.findIndex(({ status }) => status === 200)]!;
    expect(await show(id)).toMatchObject({ assigneeAgentId: winner.agentId, checkoutRunId: winner.runId });
  });
});

describe("A release", () => {
  it("gives the issue back for any agent to take", async () => {
    const [one, two] = [await worker(), await worker()];
    const { id } = await api.issue(companyId);
    await checkout(id, one);
    const released = await api.post(at(id, "/release"), undefined, one.as);
    expect(released.body).toMatchObject({
      status: "todo",
      assigneeAgentId: null,
      checkoutRunId: null,
      heldSince: null,
    });
    expect(outcomeOf(await checkout(id, two))).toBe("200");
  });

  it("is allowed to the holder and the board", async () => {
    const [one, two] = [await worker(), await worker()];
    const { id } = await api.issue(companyId);
    await checkout(id, one);
    expect(outcomeOf(await api.post(at(id, "/release"), {}, two.as))).toBe("409 not_the_assignee");
    expect((await api.post(at(id, "/release"))).body.assigneeAgentId).toBeNull();
    expect(outcomeOf(await api.post(at(id, "/release"))).slice(0, 3)).toBe("200");
  });
});

describe("Blockers", () => {
  it("keep an issue from being claimed until they are done, which wakes its assignee", async () => {
    const agent = await worker();
    const [a, b] = [
      await api.issue(companyId, { status: "todo" }),
      await api.issue(companyId, { status: "todo" }),
    ];
    const { id } = await api.issue(companyId, {
      assigneeAgentId: agent.agentId,
      blockedByIssueIds: [a.id, b.id],
    });
    expect(await wakeReasons(id, agent.agentId)).toEqual([]);
    const shown = await show(id);
    expect(shown.blockedBy.map((blocker: { id: string }) => blocker.id)).toEqual([a.id, b.id]);
    expect((await show(a.id)).blocks).toMatchObject([{ id }]);
    const refused = await checkout(id, agent);
    expect(outcomeOf(refused)).toBe("422 unresolved_blockers");
    expect([...refused.body.details.blockedByIssueIds].sort()).toEqual([a.id, b.id].sort());
    await patch(a.id, { status: "done" });
    expect(await wakeReasons(id, agent.agentId)).toEqual([]);
    await patch(b.id, { status: "done" });
    expect(await wakeReasons(id, agent.agentId)).toEqual(["issue_blockers_resolved"]);
    expect(outcomeOf(await checkout(id, agent))).toBe("200");
  });

  it("wake the assignee, too, when the last open one is removed", async () => {
    const agent = await worker();
    const [open, done] = [await api.issue(companyId), await api.issue(companyId, { status: "done" })];
    const given = { assigneeAgentId: agent.agentId, blockedByIssueIds: [open.id, done.id] };
    const { id } = await api.issue(companyId, given);
    const blocked = await api.issue(companyId, { ...given, status: "blocked" });
    await patch(id, { blockedByIssueIds: [open.id] });
    expect(await wakeReasons(id, agent.agentId)).toEqual([]);
    for (const issue of [id, blocked.id]) {
      await patch(issue, { blockedByIssueIds: [done.id] });
      expect(await wakeReasons(issue, agent.agentId)).toEqual(["issue_blockers_resolved"]);
      await patch(issue, { blockedByIssueIds: [] });
      expect(await wakeReasons(issue, agent.agentId)).toHaveLength(1);
    }
  });

  it.each([
    [
      "is made to wait for it",
      async () => (blocker: string, assigneeAgentId: string) =>
        api.issue(companyId, { assigneeAgentId, blockedByIssueIds: [blocker] }),
    ],
    [
      "is given to an agent",
      async (blocker: string) => {
        const { id } = await api.issue(companyId, { status: "todo", blockedByIssueIds: [blocker] });
        return async (_: string, assigneeAgentId: string) => (await patch(id, { assigneeAgentId })).body;
      },
    ],
  ])("wake the assignee, too, of an issue that %s at the moment they close", async (_, prepare) => {
    const { agentId } = await worker();
    const blocker = (await api.issue(companyId, { status: "todo" })).id;
    const give = await prepare(blocker);
    const interaction = await api.make(at(blocker, "/interactions"), {
      kind: "request_confirmation",
      payload: { prompt: "Sure?" },
    });
    const [closing, given] = await api.sql
      .begin(async (sql) => {
        // The closing transaction locks its interactions after it has found the unblocked issues, and before it commits.
        await sql`select from interactions where id = ${interaction.id} for update`;
        const closing = patch(blocker, { status: "done" });
        await eventually(api.waiting, (count) => count === 1);
        let isGiven = false;
        const given = give(blocker, agentId).finally(() => {
          isGiven = true;
        });
        await eventually(api.waiting, (count) => isGiven || count === 2);
        return [closing, given] as const;
      })
      .then(([closing, given]) => Promise.all([closing, given]));
    expect(outcomeOf(closing)).toBe("200");
    expect(await wakeReasons(given.id, agentId)).toEqual(["issue_assigned"]);
  });

  it("form no circle", async () => {
    const [a, b, c] = [await api.issue(companyId), await api.issue(companyId), await api.issue(companyId)];
    const blockedBy = (id: string, ...by: string[]) => patch(id, { blockedByIssueIds: by });
    expect(outcomeOf(await blockedBy(a.id, a.id))).toBe("422 would_form_a_cycle");
    expect(outcomeOf(await blockedBy(a.id, b.id))).toBe("200");
    expect(outcomeOf(await blockedBy(b.id, c.id))).toBe("200");
    expect(outcomeOf(await blockedBy(c.id, a.id))).toBe("422 would_form_a_cycle");
    expect((await show(c.id)).blockedBy).toEqual([]);
    expect(outcomeOf(await blockedBy(b.id))).toBe("200");
    expect(outcomeOf(await blockedBy(c.id, a.id))).toBe("200");
  });

  it("form no circle even if two are linked at once", async () => {
    const [a, b] = [await api.issue(companyId), await api.issue(companyId)];
    const answers = await Promise.all([
      patch(a.id, { blockedByIssueIds: [b.id] }),
      patch(b.id, { blockedByIssueIds: [a.id] }),
    ]);
    expect(answers.map(outcomeOf).sort()).toEqual(["200", "422 would_form_a_cycle"]);
  });

  it("form no circle even if two far ends are linked at once", async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b, c, d] = [
        await api.issue(companyId),
        await api.issue(companyId),
        await api.issue(companyId),
        await api.issue(companyId),
      ];
      await patch(a.id, { blockedByIssueIds: [b.id] });
      await patch(c.id, { blockedByIssueIds: [d.id] });
      const answers = await Promise.all([
        patch(b.id, { blockedByIssueIds: [c.id] }),
        patch(d.id, { blockedByIssueIds: [a.id] }),
      ]);
      expect(answers.map(outcomeOf).sort()).toEqual(["200", "422 would_form_a_cycle"]);
    }
  });

  it("are stored once if named twice", async () => {
    const blocker = await api.issue(companyId);
    const issue = await api.issue(companyId, { blockedByIssueIds: [blocker.id, blocker.id] });
    expect((await show(issue.id)).blockedBy).toHaveLength(1);
  });
});

describe("Parents", () => {
  it("form no circle", async () => {
    const root = await api.issue(companyId);
    const child = await api.issue(companyId, { parentId: root.id });
    const grandchild = await api.issue(companyId, { parentId: child.id });
    for (const parentId of [root.id, child.id, grandchild.id])
      expect(outcomeOf(await patch(root.id, { parentId }))).toBe("422 would_form_a_cycle");
    expect((await patch(grandchild.id, { parentId: null })).body.parentId).toBeNull();
    expect(outcomeOf(await patch(root.id, { parentId: grandchild.id }))).toBe("200");
  });

  it("form no circle even if two are moved at once", async () => {
    const [a, b] = [await api.issue(companyId), await api.issue(companyId)];
    const answers = await Promise.all([patch(a.id, { parentId: b.id }), patch(b.id, { parentId: a.id })]);
    expect(answers.map(outcomeOf).sort()).toEqual(["200", "422 would_form_a_cycle"]);
  });

  it("wake their assignee when the last child is done", async () => {
    const { agentId } = await worker();
    const parent = await api.issue(companyId, { assigneeAgentId: agentId, status: "backlog" });
    const children = [
      await api.issue(companyId, { parentId: parent.id, status: "todo" }),
      await api.issue(companyId, { parentId: parent.id, status: "todo" }),
    ];
    await patch(children[0].id, { status: "done" });
    expect(await wakeReasons(parent.id, agentId)).toEqual([]);
    await patch(children[1].id, { status: "done" });
    expect(await wakeReasons(parent.id, agentId)).toEqual(["issue_children_completed"]);
  });
});

describe("A comment", () => {
  const comment = (id: string, body: string, raw?: RawRequest) =>
    api.post(at(id, "/comments"), { body }, raw);

  it("is listed newest first, or oldest first, page by page", async () => {
    const { id } = await api.issue(companyId);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await comment(id, `${n}`)).body.id);
    const idsOf = ({ body }: RawAnswer) => body.map((each: { id: string }) => each.id);
    expect(idsOf(await api.get(at(id, "/comments")))).toEqual(made.toReversed());
    const first = await api.get(at(id, "/comments?order=asc&limit=3"));
    const rest = await api.get(
      at(id, `/comments?order=asc&limit=3&cursor=${first.headers.get("x-next-cursor")}`),
    );
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(made);
    expect(rest.headers.get("x-next-cursor")).toBeNull();
  });

  it("wakes the assignee, except for its own comment", async () => {
    const [assignee, other] = [await worker(), await worker()];
    const { id } = await api.issue(companyId, { status: "backlog", assigneeAgentId: assignee.agentId });
    await comment(id, "mine", assignee.as);
    expect(await wakeReasons(id, assignee.agentId)).toEqual([]);
    await comment(id, "theirs", other.as);
    expect(await wakeReasons(id, assignee.agentId)).toEqual(["issue_commented"]);
    expect(await wakeReasons(id, other.agentId)).toEqual([]);
    await comment(id, "the board's");
    expect(await wakeReasons(id, assignee.agentId)).toEqual(["issue_commented", "issue_commented"]);
  });

  it("wakes the mentioned agents, once each, by name, urlKey or link", async () => {
    const name = `Grace Hopper ${randomUUID().slice(0, 8)}`;
    const [named, keyed, linked] = [await worker(name), await worker(), await worker()];
    const { urlKey } = (await api.get(`/api/agents/${keyed.agentId}`)).body;
    const { id } = await api.issue(companyId);
    const text = `@${name.toUpperCase()}, and @${urlKey}: see [her](agent://${linked.agentId}). @${name}!`;
    await comment(id, text, linked.as);
    expect(await wakeReasons(id, named.agentId)).toEqual(["issue_comment_mentioned"]);
    expect(await wakeReasons(id, keyed.agentId)).toEqual(["issue_comment_mentioned"]);
    // The author itself.
    expect(await wakeReasons(id, linked.agentId)).toEqual([]);
    await patch(id, { comment: `[x](agent://${linked.agentId})` });
    expect(await wakeReasons(id, linked.agentId)).toEqual(["issue_comment_mentioned"]);
  });

  it("mentions no one in code, in an address or in another company", async () => {
    const { agentId } = await worker("Quine");
    const foreign = await api.agent((await api.company()).id);
    const { id } = await api.issue(companyId);
    await comment(id, `\`@Quine\` me@quine.example @${foreign.urlKey} [x](agent://${foreign.id})`);
    expect(await wakeReasons(id, agentId)).toEqual([]);
    expect((await api.get(at(id, "/runs"))).body).toEqual([]);
  });

  it("on a closed issue wakes only mentioned agents, unless the board reopens it", async () => {
    const [assignee, other] = [await worker(), await worker("Reopener")];
    const { id } = await api.issue(companyId, { assigneeAgentId: assignee.agentId });
    await patch(id, { status: "cancelled" });
    const before = await wakeReasons(id, assignee.agentId);
    await comment(id, "and @Reopener");
    expect(await wakeReasons(id, assignee.agentId)).toEqual(before);
    expect(await wakeReasons(id, other.agentId)).toEqual(["issue_comment_mentioned"]);
    const byAgent = await api.post(at(id, "/comments"), { body: "again", reopen: true }, other.as);
    expect(outcomeOf(byAgent)).toBe("403 forbidden");
    expect((await show(id)).status).toBe("cancelled");
    await api.make(at(id, "/comments"), { body: "again", reopen: true });
    expect(await show(id)).toMatchObject({ status: "todo", cancelledAt: null });
    expect(await wakeReasons(id, assignee.agentId)).toEqual([...before, "issue_reopened_via_comment"].sort());
  });

  it("is never blank", async () => {
    const { id } = await api.issue(companyId);
    for (const body of ["", " \n\t"]) expect(outcomeOf(await comment(id, body))).toBe("400 validation_error");
  });
});

describe("An agent that cannot work", () => {
  const refusalText = ({ status, body }: { status: number; body: { code?: string; error?: string } }) =>
    `${status} ${body.code} ${body.error}`;
  const terminated = "422 agent_not_assignable The agent is terminated, so it can't be assigned work.";

  it("is refused by its state, and never as missing, in each request that gives it work", async () => {
    const company = await api.company();
    const gone = await api.agent(company.id);
    const issue = await api.issue(company.id, { assigneeAgentId: gone.id });
    await api.make(`/api/agents/${gone.id}/terminate`);
    const other = await api.issue(company.id);
    const at = (things: string) => `/api/companies/${company.id}/${things}`;
    const task = { clientKey: "a", title: "A", assigneeAgentId: gone.id };
    const interaction = { kind: "suggest_tasks", payload: { version: 1, tasks: [task] } };
    const grant = { agentId: gone.id, permission: "ownership:decide", classes: ["tooling"] };
    const strategy = { type: "approve_ceo_strategy", payload: {}, requestedByAgentId: gone.id };
    const claim = { agentId: gone.id, expectedStatuses: ["backlog"] };
    for (const answer of [
      await api.patch(`/api/issues/${issue.id}`, { status: "in_progress" }),
      await api.patch(`/api/issues/${other.id}`, { assigneeAgentId: gone.id }),
      await api.patch(`/api/issues/${other.id}`, { assigneeAgentId: gone.urlKey }),
      await api.post(`/api/issues/${other.id}/checkout`, claim),
      await api.post(at("issues"), { title: "I", assigneeAgentId: gone.id }),
      await api.post(`/api/issues/${other.id}/interactions`, interaction),
      await api.post(at("projects"), { name: "P", leadAgentId: gone.id }),
      await api.post(at("goals"), { title: "G", ownerAgentId: gone.id }),
      await api.post(at("grants"), grant),
      await api.post(at("approvals"), strategy),
    ])
      expect(refusalText(answer)).toBe(terminated);
    expect((await api.get(`/api/issues/${issue.id}`)).body.status).toBe("todo");
  });
});

describe("The board corrects records", () => {
  it("by status changes that no agent makes", async () => {
    const company = await api.company();
    const work = await api.atWork((await api.agent(company.id)).id);
    const move = async (id: string, status: string, as = {}) => {
      const answer = await api.patch(`/api/issues/${id}`, { status }, as);
      return `${answer.status} ${answer.body.code ?? answer.body.status}`;
    };
    for (const [from, to] of [
      ["backlog", "in_review"],
      ["backlog", "done"],
      ["todo", "in_review"],
      ["done", "cancelled"],
      ["cancelled", "done"],
    ] as const) {
      const { id } = await api.issue(company.id, { status: from });
      expect(await move(id, to, work.as)).toBe("422 invalid_status_transition");
      expect(await move(id, to)).toBe(`200 ${to}`);
    }
  });
});

describe("An identifier such as ABC-12", () => {
  it("names an issue in each body and query that names one, only in its own company", async () => {
    const company = await api.company();
    const { id: agentId } = await api.agent(company.id);
    const at = (things: string) => `/api/companies/${company.id}/${things}`;
    const parent = await api.issue(company.id);
    const name = parent.identifier.toLowerCase();
    const child = await api.issue(company.id, { parentId: name });
    expect(child.parentId).toBe(parent.id);
    const waiting = await api.issue(company.id, { blockedByIssueIds: [parent.identifier] });
    expect((await api.get(`/api/issues/${waiting.id}`)).body.blockedBy).toMatchObject([{ id: parent.id }]);
    const children = (await api.get(at(`issues?parentId=${parent.identifier}`))).body;
    expect(children.map(({ id }: { id: string }) => id)).toEqual([child.id]);
    const moved = await api.patch(`/api/issues/${waiting.identifier}`, { parentId: child.identifier });
    expect(moved.body.parentId).toBe(child.id);
    const invoked = await api.make(`/api/agents/${agentId}/heartbeat/invoke`, { issueId: parent.identifier });
    expect(invoked.issueId).toBe(parent.id);
    const asked = { type: "approve_ceo_strategy", payload: {}, issueIds: [parent.identifier] };
    const approval = await api.make(at("approvals"), asked);
    expect((await api.get(`/api/approvals/${approval.id}/issues`)).body).toMatchObject([{ id: parent.id }]);
    const tasks = [{ clientKey: "a", title: "A", parentId: parent.identifier }];
    const interaction = await api.make(`/api/issues/${parent.id}/interactions`, {
      kind: "suggest_tasks",
      payload: { version: 1, tasks },
    });
    expect(interaction.payload.tasks[0].parentId).toBe(parent.id);

    const foreign = await api.issue((await api.company()).id);
    for (const parentId of [foreign.identifier, "NONE-999"])
      expect(await api.post(at("issues"), { title: "I", parentId })).toMatchObject({
        status: 422,
        body: { code: "reference_not_found", details: { path: ["parentId"] } },
      });
    expect((await api.post(at("issues"), { title: "I", parentId: "ABC" })).status).toBe(400);
  });
});
