import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";

let api: ApiService;
let companyId: string;

beforeAll(async () => {
  api = await startApi({ role: "all" });
  companyId = (await api.company()).id;
});
afterAll(() => api?.stop());

const inCompany = (things: string) => `/api/companies/${companyId}/${things}`;
const worker = (program: string) =>
  api.agent(companyId, { adapterConfig: { command: "sh", args: ["-c", program] } });

/** The last run of an issue, once it has ended. */
const ended = (issueId: string) =>
  eventually(
    async () => (await api.get(`/api/issues/${issueId}/runs`)).body[0],
    (run) => Boolean(run?.finishedAt),
  );

describe("A failed run", () => {
  it("is tried again for its issue and its purpose, by the board", async () => {
    const agent = await worker("exit 3");
    const issue = await api.issue(companyId, { status: "backlog" });
    await api.make(`/api/issues/${issue.id}/comments`, { body: `@${agent.name} Look at this.` });
    const failed = await ended(issue.id);
    expect(failed).toMatchObject({ status: "failed", wakeReason: "issue_comment_mentioned" });
    const answer = await api.post(`/api/heartbeat-runs/${failed.id}/retry`);
    expect(answer).toMatchObject({ status: 202, body: { agentId: agent.id, issueId: issue.id } });
    const again = await eventually(
      async () => (await api.get(`/api/issues/${issue.id}/runs`)).body[0],
      (run) => run.id !== failed.id && run.finishedAt !== null,
    );
    expect(again).toMatchObject({
      wakeReason: "run_retried",
      retryOfRunId: failed.id,
      issueTitle: issue.title,
    });
    const { context } = (await api.get(`/api/heartbeat-runs/${again.id}`)).body;
    expect(context.retryOfReason).toBe("issue_comment_mentioned");
    const [entry] = (await api.get(inCompany(`activity?entityId=${failed.id}`))).body;
    expect(entry).toMatchObject({ action: "heartbeat.retried", actorType: "board", actorName: "board" });
  });

  it("makes one new run for one key, however often the request is repeated", async () => {
    const agent = await worker("exit 3");
    const issue = await api.issue(companyId, { assigneeAgentId: agent.id });
    const failed = await ended(issue.id);
    const ask = () =>
      api.post(`/api/heartbeat-runs/${failed.id}/retry`, undefined, {
        headers: { "idempotency-key": `again ${failed.id}` },
      });
    const [first, second] = [await ask(), await ask()];
    expect(second.body.wakeId).toBe(first.body.wakeId);
  });

  it("is not tried again while its agent is paused, and never where it went well or is live", async () => {
    const agent = await worker("exit 3");
    const issue = await api.issue(companyId, { assigneeAgentId: agent.id });
    const failed = await ended(issue.id);
    await api.make(`/api/agents/${agent.id}/pause`);
    expect(await api.post(`/api/heartbeat-runs/${failed.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "agent_paused", details: { reason: "agent_paused" } },
    });
    const good = await worker("exit 0");
    const done = await api.issue(companyId, { status: "backlog" });
    await api.make(`/api/issues/${done.id}/comments`, { body: `@${good.name} Go.` });
    const went = await ended(done.id);
    expect(await api.post(`/api/heartbeat-runs/${went.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "run_not_failed", details: { status: "succeeded" } },
    });
  });
});

describe("The pulse", () => {
  it("shows who works on what, what waits, what failed today and what it costs", async () => {
    companyId = (await api.company()).id;
    const busy = await worker("sleep 3600");
    const broken = await worker("exit 3");
    const paused = await worker("exit 0");
    await api.make(`/api/agents/${paused.id}/pause`);
    const [task, other] = [
      await api.issue(companyId, { assigneeAgentId: busy.id }),
      await api.issue(companyId, { assigneeAgentId: broken.id }),
    ];
    await api.make(inCompany("cost-events"), {
      agentId: busy.id,
      provider: "p",
      model: "m",
      costCents: 420,
      issueId: task.id,
    });
    await ended(other.id);
    const pulse = await eventually(
      async () => (await api.get(inCompany("pulse"))).body,
      ({ running, failed, queued }) => running.count === 1 && failed.count > 0 && queued.count === 0,
    );
    expect(pulse).toMatchObject({
      status: "active",
      running: { count: 1, runs: [{ agentId: busy.id, issueTitle: task.title }] },
      failed: { runs: expect.arrayContaining([expect.objectContaining({ issueId: other.id })]) },
      recent: expect.arrayContaining([
        expect.objectContaining({ agentId: busy.id, status: "running", finishedAt: null }),
        expect.objectContaining({ agentId: broken.id, status: "failed", issueIdentifier: other.identifier }),
      ]),
      spend: { todayCents: 420, monthCents: 420, budgetCents: 0 },
    });
    const now = { issueId: task.id, issueIdentifier: task.identifier, issueTitle: task.title };
    const shown = (id: string) => pulse.agents.find((each: { id: string }) => each.id === id);
    expect(shown(busy.id)).toMatchObject({ status: "running", currentRun: now });
    expect(shown(broken.id)).toMatchObject({ status: "error", currentRun: null });
    expect(shown(paused.id)).toMatchObject({ status: "paused", pauseReason: "manual" });
    const agents = (await api.get(inCompany("agents"))).body;
    expect(agents.find(({ id }: { id: string }) => id === busy.id).currentRun).toMatchObject(now);
    const [dearest] = (await api.get(inCompany("costs/by-issue?count=1"))).body;
    expect(dearest).toMatchObject({ issueId: task.id, issueIdentifier: task.identifier, costCents: 420 });
    const daysOf = async (agentId: string) =>
      (await api.get(inCompany(`costs/by-day?agentId=${agentId}`))).body.at(-1).costCents;
    expect([await daysOf(busy.id), await daysOf(broken.id)]).toEqual([420, 0]);
    const failedNow = (await api.get(inCompany("heartbeat-runs?errorCode=adapter_failed"))).body;
    expect(failedNow.map(({ issueId }: { issueId: string }) => issueId)).toContain(other.id);
    expect((await api.get(inCompany("heartbeat-runs?errorCode=timeout"))).body).toEqual([]);
    const [{ createdAt }] = failedNow;
    const later = new Date(Date.parse(createdAt) + 1).toISOString();
    expect((await api.get(inCompany(`heartbeat-runs?errorCode=adapter_failed&from=${later}`))).body).toEqual(
      [],
    );
    expect((await api.get(inCompany(`heartbeat-runs?to=2020-01-01`))).body).toEqual([]);
    await api.make(`/api/agents/${busy.id}/pause`);
  });

  it("divides queued runs into those that wait for a slot, and those that wait for a person or their provider", async () => {
    const { id } = await api.company();
    const agents = await Promise.all(
      ["one", "another"].map((account) =>
        api.agent(id, {
          adapterConfig: {
            command: "sh",
            args: ["-c", "sleep 3600"],
            env: { PROFILE: `${account} of ${id}` },
          },
          runtimeConfig: { heartbeat: { maxConcurrentRuns: 1 } },
        }),
      ),
    );
    const [first, limited] = agents as [{ id: string }, { id: string }];
    const pulse = async () => (await api.get(`/api/companies/${id}/pulse`)).body;
    const wakesOf = (agent: { id: string }, count: number) =>
      Promise.all(Array.from({ length: count }, () => api.issue(id, { assigneeAgentId: agent.id })));
    await wakesOf(first, 4);
    await wakesOf(limited, 3);
    const { running } = await eventually(pulse, (now) => now.running.count === 2 && now.queued.count === 5);
    const [quarantined] = (await pulse()).queued.runs.filter(
      ({ agentId }: { agentId: string }) => agentId === first.id,
    );
    await api.sql`
      update runs
      set    quarantined_since = now(), quarantined_for = 'loop'
      where  id = ${quarantined.id}
    `;
    await api.sql`
      insert into account_holds (adapter_type, account_key, not_before, run_id, created_at)
      select      adapter_type, account, now() + interval '1 hour', ${quarantined.id}, now()
      from        agents
      where       id = ${limited.id}
    `;
    const { waiting, queued, running: still } = await pulse();
    const idsOf = ({ runs }: { runs: { id: string }[] }) => runs.map((run) => run.id);
    expect([idsOf(still), still.count]).toEqual([idsOf(running), 2]);
    expect([waiting.count, queued.count]).toEqual([3, 2]);
    expect(idsOf(waiting)).toContain(quarantined.id);
    expect(queued.runs.every(({ agentId }: { agentId: string }) => agentId === first.id)).toBe(true);
    for (const { runs } of [waiting, queued]) {
      const times = runs.map(({ createdAt }: { createdAt: string }) => createdAt);
      expect(times).toEqual(times.toSorted());
    }
    for (const agent of agents) await api.make(`/api/agents/${agent.id}/pause`);
  });

  it("shows 50 runs of a kind, and counts them all", async () => {
    const { id } = await api.company();
    const agent = await api.agent(id);
    await api.make(`/api/agents/${agent.id}/pause`);
    const failed = async (more: number) => {
      await api.sql`
        insert into runs (id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, finished_at, created_at, updated_at)
        select gen_random_uuid(), ${id}, ${agent.id}, 'process', 'failed', 'api', 'on_demand', now(), now(), now()
        from   generate_series(1, ${more})
      `;
      const { count, runs } = (await api.get(`/api/companies/${id}/pulse`)).body.failed;
      return [count, runs.length];
    };
    expect([await failed(49), await failed(1), await failed(1)]).toEqual([
      [49, 49],
      [50, 50],
      [51, 50],
    ]);
  });
});

describe("A list of issues", () => {
  it("is narrowed by priority and activity, ordered by it, and leaves descriptions out where asked to", async () => {
    companyId = (await api.company()).id;
    const [one, two, three] = [
      await api.issue(companyId, { title: "One", priority: "low", description: "Long." }),
      await api.issue(companyId, { title: "Two", priority: "critical" }),
      await api.issue(companyId, { title: "Three", priority: "high" }),
    ];
    await api.make(`/api/issues/${one.id}/comments`, { body: "Still here." });
    const titles = async (query: string) =>
      (await api.get(inCompany(`issues${query}`))).body.map(({ title }: { title: string }) => title);
    expect(await titles("?priority=critical,high")).toEqual(["Two", "Three"]);
    expect(await titles("?sort=activity")).toEqual(["One", "Three", "Two"]);
    expect(await titles(`?updatedSince=${three.lastActivityAt}&sort=created`)).toEqual(["One", "Three"]);
    const walked: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await api.get(
        inCompany(`issues?sort=activity&limit=1${cursor === undefined ? "" : `&cursor=${cursor}`}`),
      );
      walked.push(...page.body.map(({ id }: { id: string }) => id));
      cursor = page.headers.get("x-next-cursor") ?? undefined;
    } while (cursor !== undefined);
    expect(walked).toEqual([one.id, three.id, two.id]);
    const rows = (await api.get(inCompany("issues?slim=true"))).body;
    expect(rows).toHaveLength(3);
    expect(rows.some((row: object) => "description" in row)).toBe(false);
    const [comment] = (await api.get(`/api/issues/${one.id}/comments`)).body;
    expect(comment.authorName).toBe("board");
  });
});

describe("A change of an issue", () => {
  it("is refused if it has changed since expectedUpdatedAt, with its current state", async () => {
    const issue = await api.issue(companyId, { title: "First" });
    const path = `/api/issues/${issue.id}`;
    const mine = { title: "Mine", expectedUpdatedAt: issue.updatedAt };
    const theirs = (await api.patch(path, { title: "Theirs", priority: "high" })).body;
    expect(await api.patch(path, mine)).toMatchObject({
      status: 409,
      body: {
        code: "issue_changed",
        details: { title: "Theirs", priority: "high", updatedAt: theirs.updatedAt },
      },
    });
    expect((await api.get(path)).body.title).toBe("Theirs");
    const saved = await api.patch(path, { ...mine, expectedUpdatedAt: theirs.updatedAt });
    expect(saved).toMatchObject({ status: 200, body: { title: "Mine" } });
  });

  it("is made to several at once, each by itself: a refusal of one leaves the others changed", async () => {
    const other = await api.company();
    const foreign = await api.issue(other.id);
    const [open, closed] = [
      await api.issue(companyId, { status: "todo" }),
      await api.issue(companyId, { status: "cancelled" }),
    ];
    const { status, body } = await api.patch(inCompany("issues"), {
      issueIds: [open.identifier, closed.id, foreign.id, open.id],
      status: "blocked",
      priority: "high",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject([
      { issueId: open.id, issue: { status: "blocked", priority: "high" }, refusal: null },
      { issueId: closed.id, issue: null, refusal: { code: "invalid_status_transition" } },
      { issueId: foreign.id, issue: null, refusal: { code: "issue_not_found" } },
    ]);
    const { id: theirAgent } = await api.agent(other.id);
    const assigned = await api.patch(inCompany("issues"), {
      issueIds: [open.id],
      assigneeAgentId: theirAgent,
    });
    expect(assigned.body).toMatchObject([{ issue: null, refusal: { code: "reference_not_found" } }]);
    expect((await api.get(`/api/issues/${closed.id}`)).body.priority).toBe("medium");
    expect((await api.get(`/api/issues/${foreign.id}`)).body.priority).toBe("medium");
  });

  it("gives several issues labels and takes labels from them, and leaves their others", async () => {
    const [urgent, docs, old] = await Promise.all(
      ["urgent", "docs", "old"].map((name) => api.make(inCompany("labels"), { name, color: "#336699" })),
    );
    const one = await api.issue(companyId, { labelIds: [docs.id, old.id] });
    const two = await api.issue(companyId);
    const change = { addLabelIds: [urgent.id], removeLabelIds: [old.id] };
    const { body } = await api.patch(inCompany("issues"), { issueIds: [one.id, two.id], ...change });
    expect(body).toMatchObject([{ refusal: null }, { refusal: null }]);
    const labels = async ({ id }: { id: string }) =>
      (await api.get(`/api/issues/${id}`)).body.labels.map(({ name }: { name: string }) => name).sort();
    expect([await labels(one), await labels(two)]).toEqual([["docs", "urgent"], ["urgent"]]);
    const other = await api.company();
    const foreign = await api.make(`/api/companies/${other.id}/labels`, { name: "theirs", color: "#336699" });
    for (const field of ["addLabelIds", "removeLabelIds"])
      expect(
        (await api.patch(inCompany("issues"), { issueIds: [one.id], [field]: [foreign.id] })).body,
      ).toMatchObject([{ issue: null, refusal: { code: "reference_not_found" } }]);
    expect(await labels(one)).toEqual(["docs", "urgent"]);
  });
});
