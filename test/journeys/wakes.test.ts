import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

/** Leaves its task in review, where only others wake it. */
const parkingAgent = nodeAgent(`
if (task !== "") await call("PATCH", "/api/issues/" + task, { status: "in_review" });
`);

/** Waits for the test before each step: `until("name")` returns when the test calls `say` with the name. */
const steered = (body: string) =>
  nodeAgent(`
const { existsSync, writeFileSync } = await import("node:fs");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (name) => { while (!existsSync(process.env.STEER + "/" + name)) await sleep(20); };
${body}`);

let service: TestService;
let companyId: string;
let folder: string;
let steers = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "wakes-"));
  service = await startService();
  companyId = (await service.admin.companies.create({ name: "Wakes" })).id;
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Makes the agent's timer due. */
const tick = async (agentId: string) => {
  const sql = postgres(service.databaseUrl, { max: 1 });
  await sql`update agents set next_timer_at = now() where id = ${agentId}`;
  await sql.end();
};

let names = 0;
const agentOf = async (
  program: { command: string; args: readonly string[] },
  more: Readonly<Record<string, unknown>> = {},
) =>
  service.admin.agents.create({
    companyId,
    name: `Agent ${++names}`,
    adapterType: "process",
    adapterConfig: { ...program, graceSec: 1 },
    ...more,
  });

/** An agent whose program waits for `say`. */
const steeredAgent = async (
  body: string,
  more: Readonly<Record<string, unknown>> = {},
  config: Readonly<Record<string, unknown>> = {},
) => {
  const steer = await mkdtemp(join(folder, `steer-${++steers}-`));
  const program = steered(body);
  const agent = await agentOf(program, {
    adapterConfig: { ...program, graceSec: 1, env: { STEER: steer }, ...config },
    ...more,
  });
  return {
    agent,
    say: (name: string) => writeFile(join(steer, name), ""),
    wrote: (name: string) =>
      eventually(
        async () => (existsSync(join(steer, name)) ? readFile(join(steer, name), "utf8") : ""),
        (text) => text !== "",
      ),
  };
};

const issueOf = (fields: Readonly<Record<string, unknown>> = {}) =>
  service.admin.issues.create({ companyId, title: "Work", ...fields });

const runsOf = async (filter: { agentId?: string; issueId?: string }) =>
  [...(await service.admin.runs.list({ companyId, ...filter })).items].reverse();

const isOver = ({ status }: { status: string }) => status !== "queued" && status !== "running";

/** Returns the runs of an agent on an issue, oldest first, once that many have ended. */
const endedRuns = (filter: { agentId?: string; issueId?: string }, count: number) =>
  eventually(
    () => runsOf(filter),
    (runs) => runs.length >= count && runs.every(isOver),
  );

const reasons = (runs: readonly { wakeReason: string }[]) => runs.map(({ wakeReason }) => wakeReason);

describe("every cause of a wake makes a run with its reason", () => {
  interface Cause {
    readonly cause: string;
    readonly reason: string;
    /** Triggers the cause for the agent; returns the issue of the expected run. */
    bring(agentId: string, name: string): Promise<string | null>;
  }
  /** This alone wakes no agent. */
  const blocked = (assigneeAgentId: string) => issueOf({ assigneeAgentId, status: "blocked" });
  const causes: readonly Cause[] = [
    {
      cause: "an issue created for it",
      reason: "issue_assigned",
      bring: async (assigneeAgentId) => (await issueOf({ assigneeAgentId })).id,
    },
    {
      cause: "an issue given to it",
      reason: "issue_assigned",
      bring: async (assigneeAgentId) => {
        const { id } = await issueOf({ status: "todo" });
        await service.admin.issues.update({ issueId: id, assigneeAgentId });
        return id;
      },
    },
    {
      cause: "a comment of the board on its issue",
      reason: "issue_commented",
      bring: async (agentId) => {
        const { id } = await blocked(agentId);
        await service.admin.issues.comment({ issueId: id, body: "How far is it?" });
        return id;
      },
    },
    {
      cause: "a comment of another agent on its issue",
      reason: "issue_commented",
      bring: async (agentId) => {
        const { id } = await blocked(agentId);
        const peer = await agentOf(parkingAgent);
        const { token } = await service.admin.agents.createKey({ agentId: peer.id });
        await service.as(token).issues.comment({ issueId: id, body: "I need this too." });
        return id;
      },
    },
    {
      cause: "a mention in a comment on an issue of nobody",
      reason: "issue_comment_mentioned",
      bring: async (_, name) => {
        const { id } = await issueOf();
        await service.admin.issues.comment({ issueId: id, body: `What does @${name} say?` });
        return id;
      },
    },
    {
      cause: "a mention in the comment of a change",
      reason: "issue_comment_mentioned",
      bring: async (_, name) => {
        const { id } = await issueOf();
        await service.admin.issues.update({ issueId: id, priority: "high", comment: `@${name}: urgent` });
        return id;
      },
    },
    {
      cause: "its issue taken from the backlog",
      reason: "issue_status_changed",
      bring: async (assigneeAgentId) => {
        const { id } = await issueOf({ assigneeAgentId, status: "backlog" });
        expect(await runsOf({ issueId: id })).toEqual([]);
        await service.admin.issues.update({ issueId: id, status: "todo" });
        return id;
      },
    },
    {
      cause: "its issue unblocked",
      reason: "issue_status_changed",
      bring: async (assigneeAgentId) => {
        const { id } = await issueOf({ assigneeAgentId, status: "blocked" });
        expect(await runsOf({ issueId: id })).toEqual([]);
        await service.admin.issues.update({ issueId: id, status: "todo" });
        return id;
      },
    },
    {
      cause: "a checkout by the board in its name",
      reason: "issue_checked_out",
      bring: async (agentId) => {
        const { id } = await issueOf({ status: "todo" });
        await service.admin.issues.checkout({ issueId: id, agentId, expectedStatuses: ["todo"] });
        return id;
      },
    },
    {
      cause: "the last blocker done",
      reason: "issue_blockers_resolved",
      bring: async (assigneeAgentId) => {
        const [one, two] = [await issueOf({ status: "todo" }), await issueOf({ status: "todo" })];
        const { id } = await issueOf({ assigneeAgentId, blockedByIssueIds: [one.id, two.id] });
        await service.admin.issues.update({ issueId: one.id, status: "done" });
        expect(await runsOf({ issueId: id })).toEqual([]);
        await service.admin.issues.update({ issueId: two.id, status: "done" });
        return id;
      },
    },
    {
      cause: "the last sub-issue closed",
      reason: "issue_children_completed",
      bring: async (assigneeAgentId) => {
        const { id } = await blocked(assigneeAgentId);
        const [one, two] = [await issueOf({ parentId: id }), await issueOf({ parentId: id })];
        await service.admin.issues.update({ issueId: one.id, status: "cancelled" });
        expect(await runsOf({ issueId: id })).toEqual([]);
        await service.admin.issues.update({ issueId: two.id, status: "todo" });
        await service.admin.issues.update({ issueId: two.id, status: "done" });
        return id;
      },
    },
    {
      cause: "its closed issue reopened by a comment",
      reason: "issue_reopened_via_comment",
      bring: async (assigneeAgentId) => {
        const { id } = await issueOf({ assigneeAgentId, status: "done" });
        await service.admin.issues.comment({ issueId: id, body: "Once more, please.", reopen: true });
        return id;
      },
    },
    {
      cause: "a hand on the button",
      reason: "manual",
      bring: async (agentId) => {
        const { id } = await service.admin.agents.invoke({ agentId, message: "Look around." });
        expect(await runsOf({ agentId })).toMatchObject([{ id }]);
        return null;
      },
    },
    {
      cause: "a hand on the button for an issue",
      reason: "manual",
      bring: async (agentId) => {
        const { id } = await blocked(agentId);
        await service.admin.agents.invoke({ agentId, issueId: id });
        return id;
      },
    },
  ];

  it.each(causes)("$cause: $reason", async ({ reason, bring }) => {
    const { id: agentId, name } = await agentOf(parkingAgent);
    const issueId = await bring(agentId, name);
    const runs = await endedRuns({ agentId }, 1);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({ status: "succeeded", wakeReason: reason, issueId });
  });

  it("its timer, also without an issue: managers check their reports", async () => {
    const manager = await agentOf(nodeAgent(""), {
      runtimeConfig: { heartbeat: { enabled: true, intervalSec: 30 } },
    });
    await tick(manager.id);
    const [run] = await eventually(
      () => runsOf({ agentId: manager.id }),
      ([first]) => first !== undefined && isOver(first),
    );
    expect(run).toMatchObject({ wakeReason: "heartbeat_timer", issueId: null, status: "succeeded" });
    await service.admin.agents.update({
      agentId: manager.id,
      runtimeConfig: { heartbeat: { enabled: false } },
    });
  });

  it("its timer: heartbeat_timer, for its most urgent issue, and with onlyWithWork not without work", async () => {
    const heartbeat = { enabled: true, intervalSec: 30, wakeOnDemand: false, onlyWithWork: true };
    const idle = await agentOf(parkingAgent, { runtimeConfig: { heartbeat } });
    const { id: agentId } = await agentOf(parkingAgent, {
      runtimeConfig: { heartbeat: { ...heartbeat, enabled: false } },
    });
    const later = await issueOf({ assigneeAgentId: agentId, priority: "low" });
    const urgent = await issueOf({ assigneeAgentId: agentId, priority: "critical" });
    await service.admin.agents.update({ agentId, runtimeConfig: { heartbeat } });
    await tick(idle.id);
    await tick(agentId);
    await eventually(
      () => runsOf({ agentId }),
      ([first]) => first !== undefined && isOver(first),
    );
    await tick(agentId);
    const runs = await eventually(
      () => runsOf({ agentId }),
      (seen) => seen.some(({ issueId }) => issueId === later.id),
    );
    expect(new Set(reasons(runs))).toEqual(new Set(["heartbeat_timer"]));
    expect(runs[0]).toMatchObject({ issueId: urgent.id });
    expect(await runsOf({ agentId: idle.id })).toEqual([]);
  });
});

describe("a text of an agent", () => {
  it("wakes the other agents that it mentions and never its author, in every kind of text", async () => {
    const other = await agentOf(parkingAgent);
    const { agent, say, wrote } = await steeredAgent(`
      const name = (await call("GET", "/api/agents/me")).body.name;
      const answers = [
        await call("POST", "/api/issues/" + task + "/comments", { body: "I, @" + name + ", think so." }),
        await call("PATCH", "/api/issues/" + task, { comment: "So does @${other.name}; @" + name + " agrees." }),
      ];
      writeFileSync(process.env.STEER + "/answers", JSON.stringify(answers.map(({ status }) => status)));
      await until("leave");
      await call("PATCH", "/api/issues/" + task, { status: "in_review" });
    `);
    const { token } = await service.admin.agents.createKey({ agentId: agent.id });
    const { id } = await issueOf({ assigneeAgentId: agent.id });
    expect(JSON.parse(await wrote("answers"))).toEqual([201, 200]);
    await service.as(token).issues.comment({ issueId: id, body: "And from outside a run." });
    await say("leave");
    const own = await endedRuns({ agentId: agent.id }, 1);
    expect(reasons(own)).toEqual(["issue_assigned"]);
    // Wakes are created in the transaction of their cause, and a wake that waited for a run starts in that of its end.
    expect(reasons(await endedRuns({ agentId: other.id }, 1))).toEqual(["issue_comment_mentioned"]);
    await service.as(token).issues.comment({ issueId: id, body: "And after it." });
    expect(await runsOf({ agentId: agent.id })).toHaveLength(1);
  });
});

describe("a comment that arrives while a run is running", () => {
  it("makes one run after it, however many arrive", async () => {
    const { agent, say, wrote } = await steeredAgent(`
      writeFileSync(process.env.STEER + "/woken-" + process.env.SERVICE_WAKE_REASON,
        process.env.SERVICE_WAKE_PAYLOAD_JSON + " ");
      await until("leave");
      await call("PATCH", "/api/issues/" + task, { status: "in_review" });
    `);
    const { id } = await issueOf({ assigneeAgentId: agent.id });
    await wrote("woken-issue_assigned");
    const comments = [];
    for (const body of ["one", "two", "three"])
      comments.push((await service.admin.issues.comment({ issueId: id, body })).id);
    expect(await runsOf({ issueId: id })).toHaveLength(1);
    await say("leave");
    const runs = await endedRuns({ issueId: id }, 2);
    expect(reasons(runs)).toEqual(["issue_assigned", "issue_commented"]);
    const payload = JSON.parse(await wrote("woken-issue_commented")) as { wakeCommentIds: string[] };
    expect(payload.wakeCommentIds).toEqual(comments);
    const { wakes } = await service.admin.runs.get({ runId: runs[1]!.id });
    expect(wakes.map(({ status }) => status).sort()).toEqual(["coalesced", "coalesced", "started"]);
  });
});

describe("pausing and resuming", () => {
  it("pause ends the process and waiting wakes; resume wakes once for each workable issue", async () => {
    const { agent, wrote } = await steeredAgent(`
      process.on("SIGTERM", () => {});
      writeFileSync(process.env.STEER + "/pid-" + process.env.SERVICE_WAKE_REASON, process.pid + " ");
      if (process.env.SERVICE_WAKE_REASON !== "agent_resumed") await until("never");
      await call("PATCH", "/api/issues/" + task, { status: "in_review" });
    `);
    const running = await issueOf({ assigneeAgentId: agent.id });
    const pid = Number(await wrote("pid-issue_assigned"));
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    await service.admin.issues.comment({ issueId: running.id, body: "Pending when it is paused." });

    await service.admin.agents.pause({ agentId: agent.id });
    const [stopped, ...none] = await endedRuns({ agentId: agent.id }, 1);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(none).toEqual([]);
    expect(stopped).toMatchObject({
      status: "cancelled",
      errorCode: "agent_paused",
      stopReason: "agent_paused",
    });
    expect(await service.admin.agents.get({ agentId: agent.id })).toMatchObject({
      status: "paused",
      pauseReason: "manual",
    });
    // Wakes during the pause are skipped, not kept.
    const second = await issueOf({ assigneeAgentId: agent.id });
    for (const status of ["done", "blocked", "backlog"] as const)
      await issueOf({ assigneeAgentId: agent.id, status });
    expect(await wakesOf(agent.id)).toEqual([
      ["issue_assigned", "started", null],
      ["issue_commented", "cancelled", "agent_paused"],
      ["issue_assigned", "skipped", expect.any(String)],
    ]);

    await service.admin.agents.resume({ agentId: agent.id });
    const runs = (await endedRuns({ agentId: agent.id }, 3)).slice(1);
    expect(reasons(runs)).toEqual(["agent_resumed", "agent_resumed"]);
    expect(runs.map(({ issueId }) => issueId).sort()).toEqual([running.id, second.id].sort());
    expect(runs.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  const wakesOf = async (agentId: string) => {
    const sql = postgres(service.databaseUrl, { max: 1 });
    try {
      const rows = await sql`
        select reason, status, end_reason from wakes where agent_id = ${agentId} order by created_at, id`;
      return rows.map(({ reason, status, end_reason }) => [reason, status, end_reason]);
    } finally {
      await sql.end();
    }
  };
});

describe("an issue that is given to another agent while a run works on it", () => {
  it("is taken up once all processes of that run are dead, not in their grace period", async () => {
    const { agent, say, wrote } = await steeredAgent(
      `
      process.on("SIGTERM", () => writeFileSync(process.env.STEER + "/asked", "x"));
      writeFileSync(process.env.STEER + "/works", "x");
      await until("leave");
      process.exit(0);
    `,
      {},
      { graceSec: 300 },
    );
    const next = await agentOf(parkingAgent);
    const issue = await issueOf({ assigneeAgentId: agent.id });
    await wrote("works");
    await service.admin.issues.update({ issueId: issue.id, assigneeAgentId: next.id });
    await wrote("asked");
    // The service claims runs meanwhile.
    const other = await agentOf(parkingAgent);
    await service.admin.agents.invoke({ agentId: other.id });
    await endedRuns({ agentId: other.id }, 1);
    const [waiting, ...none] = await runsOf({ agentId: next.id });
    expect([waiting?.status, none]).toEqual(["queued", []]);
    expect((await service.admin.runs.get({ runId: waiting!.id })).whatNext).toContain("previous assignee");
    await say("leave");
    const [former, successor] = await endedRuns({ issueId: issue.id }, 2);
    expect([former!.agentId, successor!.agentId]).toEqual([agent.id, next.id]);
    expect(former).toMatchObject({ status: "cancelled", errorCode: "issue_reassigned" });
    expect(successor!.startedAt! >= former!.finishedAt!).toBe(true);
  });
});

describe("a run that leaves its issue in progress", () => {
  it("is continued once even if the run claimed the issue itself", async () => {
    // In its first run the agent finds the issue, as the guide says, and leaves it.
    const agent = await agentOf(
      nodeAgent(`
if (task === "") {
  const mine = "/api/companies/" + process.env.SERVICE_COMPANY_ID + "/issues?assigneeAgentId=" + me;
  const [found] = (await call("GET", mine)).body;
  await call("POST", "/api/issues/" + found.id + "/checkout", { agentId: me, expectedStatuses: ["backlog"] });
}`),
    );
    const issue = await issueOf({ assigneeAgentId: agent.id, status: "backlog" });
    await service.admin.agents.invoke({ agentId: agent.id });
    const runs = await endedRuns({ agentId: agent.id }, 2);
    expect(runs.map(({ wakeReason, issueId }) => [wakeReason, issueId])).toEqual([
      ["manual", null],
      ["issue_continuation_needed", issue.id],
    ]);
    await eventually(
      async () => (await service.admin.activity.ofIssue({ issueId: issue.id })).items,
      (items) => items.some(({ action }) => action === "issue.stalled"),
    );
    expect(await runsOf({ agentId: agent.id })).toHaveLength(2);
    expect(await service.admin.issues.get({ issueId: issue.id })).toMatchObject({ status: "in_progress" });
  });

  it("is continued once; then the issue counts as stalled", async () => {
    const agent = await agentOf(nodeAgent(""));
    const { id } = await issueOf({ assigneeAgentId: agent.id });
    const activity = await eventually(
      async () => (await service.admin.activity.ofIssue({ issueId: id })).items.map(({ action }) => action),
      (actions) => actions.includes("issue.stalled"),
    );
    expect(activity.filter((action) => action === "issue.stalled")).toHaveLength(1);
    expect(reasons(await endedRuns({ issueId: id }, 2))).toEqual([
      "issue_assigned",
      "issue_continuation_needed",
    ]);
    expect(await service.admin.issues.get({ issueId: id })).toMatchObject({
      status: "in_progress",
      assigneeAgentId: agent.id,
      checkoutRunId: null,
    });
  });
});

describe("the log of a run", () => {
  it("is read by offset while the run writes it", async () => {
    const { agent, say } = await steeredAgent(`
      console.log("first");
      await until("second");
      console.log("zweite Zeile: ä");
      await until("leave");
    `);
    await service.admin.agents.invoke({ agentId: agent.id });
    const [run] = await eventually(
      () => runsOf({ agentId: agent.id }),
      ([one]) => one?.status === "running",
    );
    const runId = run!.id;
    const first = await eventually(
      () => service.admin.runs.log({ runId }),
      ({ content }) => content.includes("first"),
    );
    expect(chunks(first.content)).toBe("first\n");
    expect(first.nextOffset).toBe(Buffer.byteLength(first.content));
    expect(await service.admin.runs.log({ runId, offset: first.nextOffset })).toMatchObject({
      content: "",
      nextOffset: first.nextOffset,
    });
    await say("second");
    const second = await eventually(
      () => service.admin.runs.log({ runId, offset: first.nextOffset }),
      ({ content }) => content !== "",
    );
    expect(chunks(second.content)).toBe("zweite Zeile: ä\n");
    expect((await service.admin.runs.get({ runId })).status).toBe("running");
    await say("leave");
    await endedRuns({ agentId: agent.id }, 1);
    const whole = await service.admin.runs.log({ runId });
    expect(whole.content).toBe(first.content + second.content);
  });

  const chunks = (content: string) =>
    content
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
      .join("");
});

describe("the stream of a company's events", () => {
  interface Seen {
    readonly id: string;
    readonly event: string;
    readonly data: Readonly<Record<string, unknown>>;
  }

  it("resumes after the last seen event: nothing twice, nothing missing", async () => {
    const { agent, say } = await steeredAgent(`
      for (let n = 1; n <= 3; n++) {
        console.log("line " + n);
        await call("POST", "/api/issues/" + task + "/comments", { body: "comment " + n });
        await until("after-" + n);
      }
      await call("PATCH", "/api/issues/" + task, { status: "done" });
    `);
    const stop = new AbortController();
    const all: Seen[] = [];
    const uninterrupted = (async () => {
      for await (const event of service.admin.system.events({ companyId }, { signal: stop.signal }))
        all.push(event as Seen);
    })().then(
      () => "ended",
      (error: unknown) => `broke off: ${error}`,
    );
    // A stream begins with the next event, so the test makes events until it has begun.
    const issue = await eventually(
      () => issueOf(),
      () => all.length > 0,
    );
    await eventually(
      async () => all,
      (seen) => seen.some(({ data }) => data.entityId === issue.id),
    );
    const lastEventId = all.at(-1)!.id;

    await service.admin.issues.update({ issueId: issue.id, status: "todo", assigneeAgentId: agent.id });
    // Another reader, which disconnects after every second event.
    const pieces: Seen[] = [];
    const about = (events: readonly Seen[], n: number) =>
      events.some(
        ({ event, data }) => event === "heartbeat.run.log" && String(data.content).includes(`line ${n}`),
      );
    const readOn = async (enough: () => boolean) => {
      while (!enough()) {
        let read = 0;
        const from = { lastEventId: pieces.at(-1)?.id ?? lastEventId };
        for await (const event of service.admin.system.events({ companyId }, from)) {
          pieces.push(event as Seen);
          if (++read === 2 || enough()) break;
        }
      }
    };
    for (let n = 1; n <= 3; n++) {
      await readOn(() => about(pieces, n));
      await say(`after-${n}`);
    }
    const [run] = await endedRuns({ issueId: issue.id }, 1);
    const isEnd = ({ data }: Seen) => data.action === "heartbeat.finished" && data.entityId === run!.id;
    await readOn(() => pieces.some(isEnd));
    const last = await Promise.race([
      uninterrupted,
      eventually(
        async () => all,
        (seen) => seen.some(isEnd),
      ),
    ]);
    expect(last).toBe(all);
    stop.abort();
    await uninterrupted;

    const from = all.findIndex(({ id }) => id === lastEventId) + 1;
    const upTo = all.findIndex(isEnd) + 1;
    const ids = pieces.slice(0, pieces.findIndex(isEnd) + 1).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(all.slice(from, upTo).map(({ id }) => id));
    const comments = pieces.filter(({ data }) => data.action === "issue.comment_added");
    expect(comments).toHaveLength(3);
    const output = pieces.flatMap(({ event, data }) =>
      event === "heartbeat.run.log" && data.runId === run!.id ? [String(data.content)] : [],
    );
    expect(output.join("")).toBe((await service.admin.runs.log({ runId: run!.id })).content);
  });

  it("ends with the run whose token opened it", async () => {
    const { agent, say, wrote } = await steeredAgent(`
      writeFileSync(process.env.STEER + "/token", token);
      await until("leave");
    `);
    await service.admin.agents.invoke({ agentId: agent.id });
    const token = await wrote("token");
    const stream = service.as(token).system.events({ companyId });
    let begun = false;
    const next = stream.next().finally(() => {
      begun = true;
    });
    await eventually(
      () => issueOf(),
      () => begun,
    );
    expect(await next).toMatchObject({ done: false });
    await say("leave");
    await endedRuns({ agentId: agent.id }, 1);
    let after = 0;
    for await (const _ of stream) after += 1;
    expect(after).toBeLessThan(100);
    await expect(service.as(token).agents.me()).rejects.toMatchObject({ status: 401, code: "run_ended" });
  });
});
