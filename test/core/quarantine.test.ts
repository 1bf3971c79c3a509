import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Actor, bySystem } from "../../core/model/access/caller.ts";
import type { ActivityAction } from "../../core/model/activity/activity-entry.ts";
import { situationOf } from "../../core/model/agents/situation.ts";
import { inboxScope } from "../../core/model/inbox/inbox-entry.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { CompanyId, IssueId, RunId, ServiceId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { wake as wakeAgent } from "../../core/queue/wake-agent.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { addComment } from "../../core/work/issues/comments/add-comment.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { aCompany, anAgent, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { whatNextOf } from "../support/explained-runs.ts";
import { root } from "../support/imports.ts";
import { waitingForLock } from "../support/lock-waits.ts";
import * as nouns from "../support/nouns.ts";
import { contextOf, unitAt } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

const wide: Caps = { instance: 1_000, company: 1_000, adapterType: 1_000 };
const full: Caps = { ...wide, instance: 0 };
const service = newId<ServiceId>();
const _ids = { newId };

let storage: TestStorage;
let at = new Date().toISOString();
const clock = { now: () => at };
const later = (seconds: number) => {
  at = addSeconds(at, seconds);
};
beforeAll(async () => {
  storage = await openTestStorage({ max: 12 });
  await storage.sql`insert into board_users (id, name, created_at) values (${nouns.boardUserId}, 'Board', now())`;
  await storage.sql`
    insert into services (id, host, pid, process_started_at, role, started_at, lease_until)
    values (${service}, 'here', 1, 'x', 'all', now(), now() + interval '1 hour')
  `;
});
afterAll(() => storage.close());

const claimWith = (transactor: Transactor, caps: Caps = wide) =>
  Effect.runPromise(
    claimRuns(contextOf(transactor, clock))({
      serviceId: service,
      adapterTypes: ["process"],
      ...localClaims,
      limit: 50,
      caps,
    }),
  ).then(({ claimed }) => claimed.map(({ run }) => run));
const claim = (caps?: Caps) => claimWith(storage.transactor, caps);
const finish = (run: object) =>
  Effect.runPromise(
    finishRun(contextOf(storage.transactor, clock))({
      run,
      outcome: nouns.anOutcome(),
      lastOutput: null,
    } as never),
  );
const commentWith = (transactor: Transactor, issueId: IssueId, by: Actor) =>
  Effect.runPromise(
    addComment(contextOf(transactor, clock), { find: () => Effect.succeed(null) } as never)({
      id: newId(),
      issueId,
      by,
      body: "Please go on.",
    }),
  );
const comment = (issueId: IssueId, by: Actor = nouns.theBoard) =>
  commentWith(storage.transactor, issueId, by);
const wake = (agent: AgentInCompany, issueId: IssueId | null, by: Actor = bySystem) =>
  storage.run((stores) => wakeAgent(unitAt(stores, at, by), agent, { issueId, reason: "manual" }));
const act = (action: ActivityAction, companyId: CompanyId, id: string, by: Actor) =>
  storage.run((stores) => unitAt(stores, at, by).log(action, { companyId, id }, {} as never));
const heldSince = async (id: RunId) => {
  const [run] = await storage.sql<{ quarantinedSince: string | null; status: string }[]>`
    select quarantined_since, status from runs where id = ${id}
  `;
  return run!.status === "queued" ? run!.quarantinedSince : null;
};
/** A run that the loop breaker has quarantined, with its agent and issue. */
interface Quarantined {
  readonly agent: AgentInCompany;
  readonly issue: Issue;
  readonly runId: RunId;
  /** An issue of an earlier run that agents caused. */
  readonly earlier: Issue;
}

const world = async () => {
  const company = await aCompany(storage, { agentCausedRunLimit: 3 });
  const agent = await anAgent(storage, { companyId: company.id });
  const fresh = () =>
    anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id, status: "in_review" });
  return { agent, fresh };
};
const startAndEnd = async () => {
  for (const run of await claim()) await finish(run);
  later(1);
};

const make: Readonly<Record<"loop" | "agents", () => Promise<Quarantined>>> = {
  async loop() {
    const { agent, fresh } = await world();
    const issue = await fresh();
    const earlier = await fresh();
    for (let n = 0; n < 6; n++) {
      await wake(agent, issue.id);
      await startAndEnd();
    }
    return { agent, issue, earlier, runId: await queuedOf(agent) };
  },
  async agents() {
    const { agent, fresh } = await world();
    const issues = [await fresh(), await fresh(), await fresh(), await fresh()] as const;
    for (const { id } of issues) {
      await wake(agent, id, { kind: "agent", agentId: agent.id, runId: null });
      await startAndEnd();
    }
    return { agent, issue: issues[3], earlier: issues[1], runId: await queuedOf(agent) };
  },
};
const queuedOf = async (agent: AgentInCompany) => {
  const runs = await storage.sql<{ id: RunId; quarantinedSince: string | null }[]>`
    select id, quarantined_since from runs where agent_id = ${agent.id} and status = 'queued'
  `;
  expect(runs.map((run) => run.quarantinedSince !== null)).toEqual([true]);
  return runs[0]!.id;
};

const actors: Readonly<Record<string, (agent: AgentInCompany) => Actor>> = {
  person: () => nouns.theBoard,
  agent: ({ id }) => ({ kind: "agent", agentId: id, runId: null }),
};
const acts: Readonly<
  Record<string, (of: Quarantined & { other: AgentInCompany }, by: Actor) => Promise<unknown>>
> = {
  "an act on its issue": ({ issue }, by) => act("issue.updated", issue.companyId, issue.id, by),
  "an act on an issue of its agent's earlier runs": ({ earlier }, by) =>
    act("issue.comment_added", earlier.companyId, earlier.id, by),
  "an act on its agent": ({ agent }, by) => act("agent.updated", agent.companyId, agent.id, by),
  "an invocation of its agent": ({ agent }, by) => act("heartbeat.invoked", agent.companyId, agent.id, by),
  "an act on another agent": ({ other }, by) => act("agent.updated", other.companyId, other.id, by),
  "an act on its company": ({ agent }, by) =>
    act("company.house_rules_saved", agent.companyId, agent.companyId, by),
  "a wake for its issue": ({ agent, issue }, by) => wake(agent, issue.id, by),
  "a wake of another agent for its issue": ({ other, issue }, by) => wake(other, issue.id, by),
  "a wake of its agent without an issue": ({ agent }, by) => wake(agent, null, by),
  "a wake for another issue": ({ agent, earlier }, by) => wake(agent, earlier.id, by),
};
const always = ["an act on its issue", "a wake for its issue", "a wake of another agent for its issue"];
const releasing: Readonly<Record<string, readonly string[]>> = {
  loop: [...always, "a wake of its agent without an issue"],
  agents: [
    ...always,
    "a wake of its agent without an issue",
    "an act on an issue of its agent's earlier runs",
    "an act on its agent",
    "an invocation of its agent",
  ],
};

describe("A quarantined run", () => {
  const cases = (["loop", "agents"] as const).flatMap((kind) =>
    Object.keys(acts).flatMap((name) => Object.keys(actors).map((by) => [kind, name, by] as const)),
  );
  it.each(cases)(
    "(%s) after %s, by the %s: the stored release and the count of the gate agree",
    async (kind, name, by) => {
      const quarantined = await make[kind]();
      const { agent, runId } = quarantined;
      const other = await anAgent(storage, { companyId: agent.companyId });
      later(1);
      await acts[name]!({ ...quarantined, other }, actors[by]!(agent));
      const isReleased = by === "person" && releasing[kind]!.includes(name);
      expect((await heldSince(runId)) === null).toBe(isReleased);
      later(1);
      expect((await claim()).some(({ id }) => id === runId)).toBe(isReleased);
      // The gate itself, without the mark: it quarantines again what nobody has released.
      if (isReleased) return;
      await storage.sql`update runs set quarantined_since = null, quarantined_for = null where id = ${runId}`;
      await claim();
      expect(await heldSince(runId)).not.toBeNull();
    },
  );

  it("is released for all readers when a person comments, while no slot is free", async () => {
    const { agent, issue, runId } = await make.loop();
    const read = async () => {
      const scope = inboxScope(nouns.anAdmin, agent.companyId, at);
      const inbox = await Effect.runPromise(
        storage.views.inbox.list(scope, {}, { limit: 100, cursor: undefined }),
      );
      const [facts] = await Effect.runPromise(storage.views.agents.situations({ agentId: agent.id }, at));
      const situation = situationOf(
        facts!,
        { caps: full, unavailable: null, isElsewhere: false, isDiskFull: false },
        at,
      );
      const pulse = await Effect.runPromise(storage.views.runs.pulse(agent.companyId, at));
      return {
        inbox: inbox.items.filter(({ kind }) => kind.startsWith("held_")).map(({ subjectId }) => subjectId),
        runAsksForAct: /comment/i.test(await whatNextOf(storage, runId, at, full)),
        agent: situation.reasons.map(({ code }) => code).filter((code) => code !== "in_review"),
        pulse: [pulse.waiting.count, pulse.queued.count],
        metrics: (await Effect.runPromise(storage.views.operations.now(at))).runsHeld,
      };
    };
    const before = await read();
    expect(before).toEqual({
      inbox: [runId],
      runAsksForAct: true,
      agent: ["run_held"],
      pulse: [1, 0],
      metrics: expect.any(Number),
    });
    later(1);
    await comment(issue.id, { kind: "agent", agentId: agent.id, runId: null });
    expect(await read()).toEqual(before);
    await comment(issue.id);
    expect(await read()).toEqual({
      inbox: [],
      runAsksForAct: false,
      agent: ["no_slot"],
      pulse: [0, 1],
      metrics: before.metrics - 1,
    });
    expect(await claim(full)).toEqual([]);
    expect((await claim()).map(({ id }) => id)).toContain(runId);
  });
});

it("is released by every entry of the log: each passes the one function that asks what it releases", async () => {
  const names = (await readdir(join(root, "core"), { recursive: true })).filter((name) =>
    name.endsWith(".ts"),
  );
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(root, "core", name), "utf8")] as const),
  );
  const appending = texts.filter(([, text]) => /\bactivity\.append\(/.test(text));
  expect(appending.map(([name]) => name)).toEqual(["access/record-act.ts"]);
});

describe("A release and a round of claims at the same time", () => {
  const scope = {
    ...localClaims,
    runners: ["local"],
    serviceId: service,
    adapterTypes: ["process"],
    limit: 50,
    caps: wide,
  };

  it("leave no run quarantined whose release was stored: the act waits for the claim that has seen none", async () => {
    const { agent, runId, earlier } = await make.agents();
    await storage.sql`update runs set quarantined_since = null, quarantined_for = null where id = ${runId}`;
    later(1);
    const [chosen, mayGoOn] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()];
    const round = storage.run((stores) =>
      Effect.gen(function* () {
        const { candidates } = yield* stores.runs.lockCandidates({ ...scope, at });
        expect(candidates.map(({ run }) => run.id)).toContain(runId);
        yield* Deferred.succeed(chosen, undefined);
        yield* Deferred.await(mayGoOn);
        yield* stores.runs.quarantine(runId, "agents", at);
      }),
    );
    await Effect.runPromise(Deferred.await(chosen));
    // On another issue, whose row the claim has not locked: only the run is shared.
    const done = act("issue.updated", agent.companyId, earlier.id, nouns.theBoard);
    await waitingForLock(storage.sql, 1);
    await Effect.runPromise(Deferred.succeed(mayGoOn, undefined));
    await Promise.all([round, done]);
    expect(await heldSince(runId)).toBeNull();
    later(1);
    expect((await claim()).map(({ id }) => id)).toContain(runId);
  });

  it("leave no run quarantined: a claim passes over a run whose release is not committed", async () => {
    const { agent, runId, earlier } = await make.agents();
    later(1);
    const [released, mayGoOn] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()];
    const acting = storage.run((stores) =>
      Effect.gen(function* () {
        yield* unitAt(stores, at, nouns.theBoard).log("issue.updated", earlier, {} as never);
        // Its answer follows those of the statements before it.
        yield* stores.runs.lockLive(agent.id, null);
        yield* Deferred.succeed(released, undefined);
        yield* Deferred.await(mayGoOn);
      }),
    );
    await Effect.runPromise(Deferred.await(released));
    expect((await claim()).map(({ id }) => id)).not.toContain(runId);
    await Effect.runPromise(Deferred.succeed(mayGoOn, undefined));
    await acting;
    later(1);
    expect((await claim()).map(({ id }) => id)).toContain(runId);
  });

  it("do not deadlock, whatever the order of their statements", async () => {
    const worlds = [await make.agents(), await make.agents(), await make.loop(), await make.loop()];
    const issues = worlds.flatMap(({ issue, earlier }) => [issue, earlier]);
    let transactions = 0;
    let attempts = 0;
    const counting: Transactor = {
      ...storage.transactor,
      transact: (work) => {
        transactions += 1;
        return storage.transactor.transact((stores) => {
          attempts += 1;
          return work(stores);
        });
      },
    };
    const people = async (order: readonly Issue[]) => {
      for (let round = 0; round < 5; round++)
        for (const { id } of order) await commentWith(counting, id, nouns.theBoard);
    };
    const claims = async () => {
      for (let round = 0; round < 25; round++) for (const run of await claimWith(counting)) await finish(run);
    };
    await Promise.all([people(issues), people(issues.toReversed()), claims(), claims()]);
    expect(transactions).toBeGreaterThan(100);
    expect(attempts).toBe(transactions);
  });
});
