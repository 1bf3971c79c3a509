import * as Effect from "effect/Effect";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { recordAct } from "../../core/access/record-act.ts";
import type { UseCaseContext } from "../../core/access/unit-of-work.ts";
import { updateCompany } from "../../core/companies/update-company.ts";
import { type Actor, bySystem } from "../../core/model/access/caller.ts";
import { type Agent, nextTimer } from "../../core/model/agents/agent.ts";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { Run } from "../../core/model/runs/run.ts";
import { type WakeReason, wakeReasons } from "../../core/model/runs/wake-reason.ts";
import type { CompanyId, RunId, ServiceId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { wake as wakeAgent } from "../../core/queue/wake-agent.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { correctTimers } from "../../core/runs/correct-timers.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { tickTimers } from "../../core/runs/tick-timers.ts";
import { updateIssue } from "../../core/work/issues/update-issue.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { anOutcome, theBoard } from "../support/nouns.ts";
import { contextOf, unitAt } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

const reasons = Object.keys(wakeReasons) as WakeReason[];
const wide: Caps = { instance: 1_000, company: 1_000, adapterType: 1_000 };
const service = newId<ServiceId>();

let storage: TestStorage;
let tables: readonly { readonly name: string }[] | null = null;
let at = new Date().toISOString();
const frontOf = (context: UseCaseContext) => ({
  claim: claimRuns(context),
  finish: finishRun(context),
  tickTimers: tickTimers(context),
  correctTimers: correctTimers(context),
});
let front: ReturnType<typeof frontOf>;
const later = (seconds: number) => {
  at = addSeconds(at, seconds);
};

beforeAll(async () => {
  storage = await openTestStorage();
  front = frontOf(contextOf(storage.transactor, { now: () => at }));
  await storage.sql`
    insert into services (id, host, pid, process_started_at, role, started_at, lease_until)
    values (${service}, 'here', 1, 'x', 'all', now(), now() + interval '1 hour')
  `;
});
afterAll(() => storage.close());
/** Empties tables and those that refer to them. Truncating costs a multiple of deleting a few rows. */
const empty = () =>
  storage.sql.begin(async (sql) => {
    tables ??= await sql<{ name: string }[]>`
      with recursive emptied as (
        select  name::regclass as name
        from    unnest(array['runs', 'wakes', 'account_holds', 'activity']) as name
        union
        select  conrelid::regclass
        from    pg_constraint
        join    emptied on emptied.name = confrelid::regclass
        where   contype = 'f'
      )
      select name::text from emptied
    `;
    await sql.unsafe(
      `set local session_replication_role = replica; ${tables.map(({ name }) => `delete from ${name}`).join(";")}`,
    );
  });
afterEach(async () => {
  await empty();
  later(3600);
});

const claimOnce = (caps: Caps = wide, limit = 20) =>
  Effect.runPromise(
    front.claim({ serviceId: service, adapterTypes: ["process", "other"], ...localClaims, limit, caps }),
  );

const claim = async (caps?: Caps, limit?: number) =>
  (await claimOnce(caps, limit)).claimed.map(({ run }) => run);

const wake = async (agent: AgentInCompany, more: Partial<Parameters<typeof aWakeRequest>[0]> = {}) => {
  const request = aWakeRequest({ agent, at, ...more });
  await storage.run(({ wakes }) => wakes.add(request));
  return request;
};

const wakeRow = async (id: string) =>
  (
    await storage.sql<{ status: string; endReason: string | null }[]>`
    select status, end_reason from wakes where id = ${id}`
  )[0];
const runRow = async (id: string) =>
  (
    await storage.sql<
      { status: string; errorCode: string | null; error: string | null; quarantinedSince: string | null }[]
    >`
    select status, error_code, error, quarantined_since from runs where id = ${id}`
  )[0];

const finish = (run: { id: RunId; companyId: CompanyId; agentId: never; issueId: never }, more = {}) =>
  Effect.runPromise(front.finish({ run, outcome: anOutcome(), lastOutput: null, ...more }));

/** Creates an obstacle to the start of a woken run, and states the result. */
interface Against {
  readonly agent?: Partial<Agent>;
  readonly make: (of: { agent: AgentInCompany; issueId: string }) => Promise<Caps | undefined>;
  /** The run ends with this code; null: it waits. */
  readonly refused: string | null;
  readonly onlyOwnIssue?: true;
  /** A tick of a timer starts all the same. */
  readonly butTimers?: true;
}

const update = (query: PromiseLike<unknown>) => Promise.resolve(query).then(() => undefined);
/** A running run of the same agent without an issue. */
const oneRunning = async ({ agent }: { agent: AgentInCompany }) => {
  await storage.sql`
    insert into runs (id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, service_id,
                      started_at, created_at, updated_at)
    values (${newId()}, ${agent.companyId}, ${agent.id}, ${agent.adapterType}, 'running', 'manual', 'on_demand',
            ${service}, ${addSeconds(at, -7200)}, ${addSeconds(at, -7200)}, ${at})
  `;
};

const obstacles: Readonly<Record<string, Against>> = {
  "the agent is paused": {
    make: ({ agent }) =>
      update(storage.sql`update agents set held_manually_at = ${at} where id = ${agent.id}`),
    refused: "agent_paused",
  },
  "the agent is terminated": {
    make: ({ agent }) =>
      update(storage.sql`update agents set lifecycle_state = 'terminated' where id = ${agent.id}`),
    refused: "agent_terminated",
  },
  "the agent waits for approval": {
    make: ({ agent }) =>
      update(storage.sql`update agents set lifecycle_state = 'pending_approval' where id = ${agent.id}`),
    refused: "agent_pending_approval",
  },
  "the agent is out of budget": {
    make: ({ agent }) =>
      update(storage.sql`update agents set held_by_budget_at = ${at} where id = ${agent.id}`),
    refused: "budget_exhausted",
  },
  "the company is paused": {
    make: ({ agent }) =>
      update(storage.sql`update companies set status = 'paused' where id = ${agent.companyId}`),
    refused: "company_not_active",
  },
  "the company is archived": {
    make: ({ agent }) =>
      update(storage.sql`update companies set status = 'archived' where id = ${agent.companyId}`),
    refused: "company_not_active",
  },
  "the issue is somebody else's now": {
    make: ({ issueId }) =>
      update(storage.sql`update issues set assignee_agent_id = null where id = ${issueId}`),
    refused: "issue_reassigned",
    onlyOwnIssue: true,
  },
  "the issue is closed": {
    make: ({ issueId }) => update(storage.sql`update issues set status = 'done' where id = ${issueId}`),
    refused: "issue_closed",
    onlyOwnIssue: true,
  },
  "the agent's cap is reached": {
    agent: { runtimeConfig: { heartbeat: { maxConcurrentRuns: 1 } } },
    make: async (of) => {
      await oneRunning(of);
      return wide;
    },
    refused: null,
  },
  ...Object.fromEntries(
    (["instance", "company", "adapterType"] as const).map((scope): [string, Against] => [
      `the cap of the ${scope} is reached`,
      {
        make: async (of) => {
          await oneRunning(of);
          return { ...wide, [scope]: 1 };
        },
        refused: null,
      },
    ]),
  ),
  "a provider allows its account no runs": {
    make: async ({ agent }) => {
      await storage.run(({ runs }) =>
        runs.holdAccount({
          agentId: agent.id,
          adapterType: agent.adapterType,
          notBefore: addSeconds(at, 600),
          runId: newId(),
          at,
        }),
      );
      return wide;
    },
    refused: null,
  },
  "the same has run too often": {
    make: async ({ agent, issueId }) => {
      const [queued] = await storage.sql<{ wakeReason: string }[]>`
        select wake_reason from runs where issue_id = ${issueId} and status = 'queued'`;
      for (let i = 1; i <= 5; i++)
        await storage.sql`
          insert into runs (id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source,
                            started_at, finished_at, created_at, updated_at)
          values (${newId()}, ${agent.companyId}, ${agent.id}, ${issueId}, 'process', 'succeeded',
                  ${queued!.wakeReason}, 'automation', ${addSeconds(at, -i)}, ${at}, ${at}, ${at})
        `;
      return wide;
    },
    refused: null,
    butTimers: true,
  },
};

/** Reasons that are about the agent's own issue. */
const aboutOwnIssue = new Set<WakeReason>([
  "heartbeat_timer",
  "issue_assigned",
  "issue_status_changed",
  "issue_checked_out",
  "issue_continuation_needed",
  "issue_blockers_resolved",
  "issue_children_completed",
  "issue_card_accepted",
  "issue_card_answered",
  "issue_merge_conflicted",
  "issue_feedback",
  "agent_resumed",
  "process_lost_retry",
  "provider_quota_recovery",
  "run_retried",
]);

describe("every wake of an agent passes the gate", () => {
  const cases = Object.entries(obstacles).flatMap(([name, against]) =>
    reasons.map((reason) => [reason, name, against] as const),
  );
  it.each(cases)(
    "%s: does not start if %s",
    async (reason, _name, { agent: fields, make, refused, onlyOwnIssue, butTimers }) => {
      const company = await aCompany(storage);
      const agent = await anAgent(storage, { companyId: company.id, ...fields });
      const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
      const request = await wake(agent, { issueId: issue.id, reason });
      const caps = (await make({ agent, issueId: issue.id })) ?? wide;

      const claimed = await claim(caps);
      if ((onlyOwnIssue && !aboutOwnIssue.has(reason)) || (butTimers && reason === "heartbeat_timer")) {
        expect(claimed.map(({ id }) => id)).toEqual([request.runId]);
        return;
      }
      expect(claimed).toEqual([]);
      if (refused === null) {
        expect(await wakeRow(request.id)).toMatchObject({ status: "pending" });
        expect(await runRow(request.runId)).toMatchObject({ status: "queued" });
      } else {
        expect(await wakeRow(request.id)).toEqual({ status: "cancelled", endReason: refused });
        expect(await runRow(request.runId)).toMatchObject({ status: "cancelled", errorCode: refused });
        expect((await runRow(request.runId))?.error).toMatch(/^Not started: .*\.$/);
        // Followers of the run get its end, like every other end.
        const events = storage.views.runs.events(request.runId, 0, { limit: 10 });
        expect((await Effect.runPromise(events)).items).toMatchObject([
          { seq: 1, payload: { status: "cancelled", errorCode: refused } },
        ]);
      }
    },
  );

  it.each(reasons)("%s: starts if nothing prevents it", async (reason) => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
    const request = await wake(agent, { issueId: issue.id, reason });
    expect((await claim()).map(({ id }) => id)).toEqual([request.runId]);
    expect(await wakeRow(request.id)).toMatchObject({ status: "started" });
    // One live run per agent and issue: the next wake waits for its end.
    const second = await wake(agent, { issueId: issue.id, reason });
    expect(await claim()).toEqual([]);
    expect(await wakeRow(second.id)).toMatchObject({ status: "pending" });
  });
});

describe("a provider's quota", () => {
  const failed = (retryNotBefore: string) => ({
    outcome: anOutcome({ exitCode: 1, errorMessage: "Out of credit.", errorCode: "provider_quota" }),
    retryNotBefore,
  });

  it("holds every run of the adapter and account until it is lifted, and no other run", async () => {
    const company = await aCompany(storage);
    const env = { API_KEY: "one" };
    const mine = await anAgent(storage, { companyId: company.id, adapterConfig: { env } });
    const sameAccount = await anAgent(storage, {
      companyId: company.id,
      adapterConfig: { env: { ...env, LANG: "C" } },
    });
    const otherAccount = await anAgent(storage, {
      companyId: company.id,
      adapterConfig: { env: { API_KEY: "two" } },
    });
    const otherAdapter = await anAgent(storage, {
      companyId: company.id,
      adapterType: "other",
      adapterConfig: { env },
    });
    const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: mine.id });
    await wake(mine, { issueId: issue.id });
    const [run] = await claim();
    await finish(run as never, failed(addSeconds(at, 600)));

    for (const agent of [sameAccount, otherAccount, otherAdapter]) await wake(agent);
    later(10);
    expect((await claim()).map(({ agentId }) => agentId).sort()).toEqual(
      [otherAccount.id, otherAdapter.id].sort(),
    );
    later(580);
    expect(await claim()).toEqual([]);
    later(20);
    const goOn = await claim();
    expect(goOn.map(({ agentId, wakeReason }) => [agentId, wakeReason])).toEqual(
      expect.arrayContaining([
        [mine.id, "provider_quota_recovery"],
        [sameAccount.id, "issue_assigned"],
      ]),
    );
    expect(goOn.find(({ agentId }) => agentId === mine.id)).toMatchObject({
      retryOfRunId: run!.id,
      context: { retryOfReason: "issue_assigned" },
    });
  });

  it.each([
    ["words that are no time", "soon"],
    ["the past", "2001-01-01T00:00:00Z"],
  ])("does not hold after %s", async (_, retryNotBefore) => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    await wake(agent);
    const [run] = await claim();
    await finish(run as never, failed(retryNotBefore));
    await wake(agent);
    expect(await claim()).toHaveLength(1);
  });

  it("holds for at most a week, whatever an adapter reports", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    await wake(agent);
    const [run] = await claim();
    await finish(run as never, failed("9999-01-01T00:00:00Z"));
    later(7 * 24 * 3600 + 1);
    await wake(agent);
    expect(await claim()).toHaveLength(1);
  });
});

describe("the loop breaker", () => {
  const round = async (agent: AgentInCompany, issueId: never, reason: WakeReason = "issue_commented") => {
    await wake(agent, { issueId, reason });
    const claimed = await claim();
    for (const run of claimed) await finish(run as never);
    // Continuations of runs that left their issue in progress do not count here.
    await storage.sql`update runs set status = 'cancelled', finished_at = ${at} where status = 'queued' and quarantined_since is null`;
    await storage.sql`update wakes set status = 'cancelled', ended_at = ${at} where status = 'pending'
                     and run_id in (select id from runs where status = 'cancelled')`;
    later(1);
    return claimed.length;
  };
  const world = async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, {
      companyId: company.id,
      assigneeAgentId: agent.id,
      status: "in_review",
    });
    return { company, agent, issue, issueId: issue.id as never };
  };
  const quarantineEntries = (issueId: string) => storage.sql<{ details: object }[]>`
    select details from activity where entity_id = ${issueId} and action = 'issue.wakes_held'`;

  it("lets five runs with the same reason start in ten minutes; it holds the sixth and reports it once", async () => {
    const { agent, issueId } = await world();
    for (let i = 0; i < 5; i++) expect(await round(agent, issueId)).toBe(1);
    for (let i = 0; i < 3; i++) expect(await round(agent, issueId)).toBe(0);
    expect((await quarantineEntries(issueId)).map(({ details }) => details)).toEqual([
      expect.objectContaining({ agentId: agent.id, reason: "issue_commented", recentRuns: 5 }),
    ]);
    later(3600);
    expect(await claim()).toEqual([]);
  });

  it("counts fifteen runs of any agents and reasons on one issue", async () => {
    const { company, agent, issueId } = await world();
    const other = await anAgent(storage, { companyId: company.id });
    const reasons = ["issue_commented", "issue_comment_mentioned"] as const;
    let started = 0;
    for (let i = 0; i < 20; i++)
      started += await round(i % 2 === 0 ? agent : other, issueId, reasons[Math.floor(i / 2) % 2]);
    expect(started).toBe(15);
    expect(await quarantineEntries(issueId)).not.toEqual([]);
  });

  it("ignores runs that are more than ten minutes apart", async () => {
    const { agent, issueId } = await world();
    for (let i = 0; i < 12; i++) {
      expect(await round(agent, issueId)).toBe(1);
      later(150);
    }
  });

  it.each([
    [
      "any action of a person on the issue",
      async ({ issue }: Awaited<ReturnType<typeof world>>) =>
        storage.run((stores) =>
          recordAct(stores, {
            companyId: issue.companyId,
            by: theBoard,
            at,
            action: "issue.updated",
            entityId: issue.id,
            details: { identifier: issue.identifier, changed: ["title"] },
          }),
        ),
    ],
    [
      "a person's wake",
      async ({ agent, issueId }: Awaited<ReturnType<typeof world>>) =>
        storage.run((stores) =>
          wakeAgent(unitAt(stores, at, theBoard), agent, { issueId, reason: "manual" }),
        ),
    ],
  ])("resets after %s", async (_, act) => {
    const here = await world();
    for (let i = 0; i < 6; i++) await round(here.agent, here.issueId);
    later(1);
    await act(here);
    later(1);
    const [freed] = await claim();
    expect(freed).toMatchObject({ agentId: here.agent.id, issueId: here.issue.id });
    expect((await runRow(freed!.id))?.quarantinedSince).toBeNull();
  });

  it("does not reset after an agent's action", async () => {
    const { agent, issue, issueId } = await world();
    for (let i = 0; i < 6; i++) await round(agent, issueId);
    await storage.run((stores) =>
      recordAct(stores, {
        companyId: issue.companyId,
        by: { kind: "agent", agentId: agent.id, runId: null },
        at: addSeconds(at, 1),
        action: "issue.updated",
        entityId: issue.id,
        details: { identifier: issue.identifier, changed: ["title"] },
      }),
    );
    later(2);
    expect(await claim()).toEqual([]);
  });
});

describe("work that agents make for themselves", () => {
  const world = async (agentCausedRunLimit = 30) => {
    const company = await aCompany(storage, { agentCausedRunLimit });
    const agent = await anAgent(storage, { companyId: company.id });
    return { company, agent };
  };
  /** Wakes the agent for an issue of its own, and carries out what may start. Returns the run, if it started. */
  const step = async (
    agent: AgentInCompany,
    origin: { by: Actor; after?: RunId; isTriggered?: boolean },
    reason: WakeReason = "issue_assigned",
  ): Promise<Run | null> => {
    const issue = await anIssue(storage, {
      companyId: agent.companyId,
      assigneeAgentId: agent.id,
      status: "in_review",
    });
    await wake(agent, { issueId: issue.id, reason, ...origin });
    const claimed = await claim();
    for (const run of claimed) await finish(run as never);
    later(1);
    return claimed.find(({ issueId }) => issueId === issue.id) ?? null;
  };
  /** Each run makes the work of the next. Returns how many started. */
  const chain = async (first: Run, agents: readonly AgentInCompany[], most: number) => {
    let run: Run | null = first;
    let started = 0;
    for (let i = 0; i < most && run !== null; i++) {
      const by: Actor = { kind: "agent", agentId: run.agentId, runId: run.id };
      run = await step(agents[i % agents.length]!, i % 2 === 0 ? { by } : { by: bySystem, after: run.id });
      if (run !== null) started++;
    }
    return started;
  };
  const quarantineEntriesOf = (agentId: string) =>
    storage.sql`select id from activity where entity_id = ${agentId} and action = 'agent.wakes_held'`;

  it("is held after thirty runs in ten minutes, reported once, and continues after a person's act", async () => {
    const { agent } = await world();
    const root = await step(agent, { by: theBoard });
    expect(await chain(root!, [agent], 40)).toBe(30);
    expect(await quarantineEntriesOf(agent.id)).toHaveLength(1);
    later(3600);
    expect(await claim()).toEqual([]);
    await storage.run((stores) =>
      recordAct(stores, {
        companyId: agent.companyId,
        by: theBoard,
        at,
        action: "agent.updated",
        entityId: agent.id,
        details: { changed: ["title"] },
      }),
    );
    later(1);
    expect(await claim()).toHaveLength(1);
  });

  it("counts what other agents cause, for each agent", async () => {
    const { company, agent } = await world(10);
    const other = await anAgent(storage, { companyId: company.id });
    const root = await step(agent, { by: theBoard });
    expect(await chain(root!, [other, agent], 40)).toBe(20);
  });

  it("has no limit where the company has set 0", async () => {
    const { agent } = await world(0);
    expect(await chain((await step(agent, { by: theBoard }))!, [agent], 40)).toBe(40);
  });

  it("continues when the company raises its limit", async () => {
    const { company, agent } = await world(3);
    expect(await chain((await step(agent, { by: theBoard }))!, [agent], 9)).toBe(3);
    expect(await claim()).toEqual([]);
    const update = updateCompany({} as never)({
      transactor: storage.transactor,
      clock: { now: () => at },
      ids: { newId },
    });
    await Effect.runPromise(update({ companyId: company.id, by: bySystem, agentCausedRunLimit: 4 }));
    expect(await claim()).toHaveLength(1);
  });

  it.each([
    ["a timer", { by: bySystem }, "heartbeat_timer"],
    ["a schedule or a webhook", { by: bySystem, isTriggered: true }, "issue_assigned"],
  ] as const)("is not counted for ten minutes behind %s", async (_, origin, reason) => {
    const { agent } = await world(5);
    const root = await step(agent, origin, reason);
    expect(await chain(root!, [agent], 12)).toBe(12);
    later(600);
    const by: Actor = { kind: "agent", agentId: agent.id, runId: root!.id };
    for (let i = 0; i < 5; i++) expect(await step(agent, { by })).not.toBeNull();
    expect(await step(agent, { by })).toBeNull();
  });

  it("does not count what people give an agent", async () => {
    const { agent } = await world(3);
    for (let i = 0; i < 9; i++) expect(await step(agent, { by: theBoard })).not.toBeNull();
  });
});

describe("a timer", () => {
  it("fires as often as it is set: its runs are never held, and hold no others", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
    for (let i = 0; i < 20; i++) {
      await wake(agent, { issueId: issue.id, reason: "heartbeat_timer", by: bySystem });
      const claimed = await claim();
      expect(claimed.map(({ wakeReason }) => wakeReason)).toEqual(["heartbeat_timer"]);
      for (const run of claimed) await finish(run as never);
      await storage.sql`update wakes set status = 'cancelled', ended_at = ${at} where status = 'pending'`;
      await storage.sql`update runs set status = 'cancelled', finished_at = ${at} where status = 'queued'`;
      later(30);
    }
    await wake(agent, { issueId: issue.id, reason: "issue_commented", by: bySystem });
    expect(await claim()).toHaveLength(1);
  });

  it("adds no wake while its last tick waits for its run", async () => {
    const company = await aCompany(storage);
    const heartbeat = { enabled: true, intervalSec: 30 };
    const agent = await anAgent(storage, { companyId: company.id, runtimeConfig: { heartbeat } });
    const tick = async () => {
      await storage.sql`update agents set next_timer_at = ${at} where id = ${agent.id}`;
      await Effect.runPromise(front.tickTimers(10));
      later(30);
    };
    const wakes = () => storage.sql`select id from wakes where agent_id = ${agent.id}`;
    for (let i = 0; i < 3; i++) await tick();
    expect(await wakes()).toHaveLength(1);
    // Nor while it waits behind the run that is running.
    const [run] = await claim();
    for (let i = 0; i < 3; i++) await tick();
    expect(await wakes()).toHaveLength(2);
    await finish(run as never);
    await storage.sql`update agents set next_timer_at = null where id = ${agent.id}`;
  });

  it("with an interval below thirty seconds, stored by an earlier version, fires every thirty", () => {
    const runtimeConfig = { heartbeat: { enabled: true, intervalSec: 1 } };
    expect(nextTimer({ runtimeConfig }, "2026-01-01T00:00:00.000Z")).toBe("2026-01-01T00:00:30.000Z");
  });
});

describe("an issue that is given to another agent while a run works on it", () => {
  it("is taken up by the new assignee once that run has ended, not while it is stopped", async () => {
    const company = await aCompany(storage);
    const [ada, bob, eve] = [
      await anAgent(storage, { companyId: company.id }),
      await anAgent(storage, { companyId: company.id }),
      await anAgent(storage, { companyId: company.id }),
    ] as const;
    const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: ada.id });
    const first = await wake(ada, { issueId: issue.id });
    const [running] = await claim();
    expect(running?.id).toBe(first.runId);
    const reassign = updateIssue({
      transactor: storage.transactor,
      clock: { now: () => at },
      ids: { newId },
    });
    await Effect.runPromise(reassign({ issueId: issue.id, by: theBoard, assigneeAgentId: bob.id }));
    await wake(eve, { issueId: issue.id, reason: "issue_comment_mentioned" });
    expect((await claim()).map(({ agentId }) => agentId)).toEqual([eve.id]);
    expect(await claim()).toEqual([]);
    await finish(running as never);
    expect((await claim()).map(({ agentId }) => agentId)).toEqual([bob.id]);
  });
});

describe("companies", () => {
  it("take turns when the cap is full: a long queue of one does not delay another", async () => {
    const [big, small] = [await aCompany(storage), await aCompany(storage)];
    const ofBig = await Promise.all(
      Array.from({ length: 12 }, () => anAgent(storage, { companyId: big.id })),
    );
    for (const agent of ofBig) {
      await wake(agent);
      later(1);
    }
    const ofSmall = await Promise.all(
      Array.from({ length: 3 }, () => anAgent(storage, { companyId: small.id })),
    );
    for (const agent of ofSmall) {
      await wake(agent);
      later(1);
    }
    const order: string[] = [];
    for (let i = 0; i < 8; i++) {
      const [run] = await claim({ ...wide, instance: 1 });
      order.push(run!.companyId === big.id ? "big" : "small");
      later(1);
      await finish(run as never);
    }
    expect(order).toEqual(["big", "small", "big", "small", "big", "small", "big", "big"]);
  });

  it("share the slots evenly while both have queued runs", async () => {
    const [big, small] = [await aCompany(storage), await aCompany(storage)];
    for (let i = 0; i < 10; i++) await wake(await anAgent(storage, { companyId: big.id }));
    later(1);
    for (let i = 0; i < 10; i++) await wake(await anAgent(storage, { companyId: small.id }));
    const claimed = await claim({ ...wide, instance: 8 }, 20);
    expect(claimed.filter(({ companyId }) => companyId === big.id)).toHaveLength(4);
    expect(claimed.filter(({ companyId }) => companyId === small.id)).toHaveLength(4);
  });
});

describe("another claim", () => {
  const wakeAll = async (count: number) => {
    const { id: companyId } = await aCompany(storage);
    for (let n = 0; n < count; n++) await wake(await anAgent(storage, { companyId }));
  };
  const seen = async (caps?: Caps, limit?: number) => {
    const { claimed, mayBeMore } = await claimOnce(caps, limit);
    return { claimed: claimed.length, mayBeMore };
  };

  it("may find more where one took as many as it may", async () => {
    await wakeAll(3);
    expect(await seen(wide, 2)).toEqual({ claimed: 2, mayBeMore: true });
    expect(await seen(wide, 2)).toEqual({ claimed: 1, mayBeMore: false });
    expect(await seen(wide, 2)).toEqual({ claimed: 0, mayBeMore: false });
  });

  it("finds none where all slots are taken, or all that waits has started", async () => {
    await wakeAll(3);
    expect(await seen({ ...wide, instance: 2 })).toEqual({ claimed: 2, mayBeMore: false });
    expect(await seen(wide)).toEqual({ claimed: 1, mayBeMore: false });
  });

  it("may find more where a run is refused, which stood before another of its agent", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, {
      companyId: company.id,
      runtimeConfig: { heartbeat: { maxConcurrentRuns: 1 } },
    });
    const other = await anAgent(storage, { companyId: company.id });
    const [gone, own] = [
      await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id }),
      await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id }),
    ];
    await wake(agent, { issueId: gone.id, reason: "issue_assigned" });
    later(1);
    await wake(agent, { issueId: own.id, reason: "issue_assigned" });
    await wake(other);
    await storage.sql`update issues set assignee_agent_id = ${other.id} where id = ${gone.id}`;
    expect(await seen()).toEqual({ claimed: 1, mayBeMore: true });
    expect((await claim()).map(({ issueId }) => issueId)).toEqual([own.id]);
  });

  it("may find more where all that it looked at were refused", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, {
      companyId: company.id,
      runtimeConfig: { heartbeat: { maxConcurrentRuns: 1 } },
    });
    const [gone, own] = [
      await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id }),
      await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id }),
    ];
    await wake(agent, { issueId: gone.id, reason: "issue_assigned" });
    later(1);
    await wake(agent, { issueId: own.id, reason: "issue_assigned" });
    await storage.sql`update issues set status = 'done', assignee_agent_id = null where id = ${gone.id}`;
    expect(await seen()).toEqual({ claimed: 0, mayBeMore: true });
    expect((await claim()).map(({ issueId }) => issueId)).toEqual([own.id]);
  });
});

describe("a storm of wakes", () => {
  it("of 1,000 from ten causes at once makes one run; 999 are coalesced into it", async () => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
    const causes = reasons.slice(0, 10);
    await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => wake(agent, { issueId: issue.id, reason: causes[i % 10]! })),
    );
    expect(await claim()).toHaveLength(1);
    expect(await claim()).toEqual([]);
    const ends = await storage.sql`select status, count(*) from wakes group by status order by status`;
    expect([...ends]).toEqual([
      { status: "coalesced", count: 999 },
      { status: "started", count: 1 },
    ]);
    expect([...(await storage.sql`select count(*) from runs`)]).toEqual([{ count: 1 }]);
  });
});

describe("a timer that was set by a clock that was ahead", () => {
  it("counts from now; others stay as they are", async () => {
    const { id: companyId } = await aCompany(storage);
    const timer = async (intervalSec: number, nextTimerAt: string) => {
      const { id } = await anAgent(storage, {
        companyId,
        runtimeConfig: { heartbeat: { enabled: true, intervalSec } },
        nextTimerAt,
      });
      return id;
    };
    const ahead = await timer(60, addSeconds(at, 7_200));
    const longer = await timer(86_400, addSeconds(at, 7_200));
    const soon = await timer(60, addSeconds(at, 59));
    expect(await Effect.runPromise(front.correctTimers(100))).toBe(1);
    expect(await Effect.runPromise(front.correctTimers(100))).toBe(0);
    const rows = await storage.sql<{ id: string; nextTimerAt: string }[]>`
      select id, next_timer_at from agents where company_id = ${companyId}`;
    expect(Object.fromEntries(rows.map((row) => [row.id, row.nextTimerAt]))).toEqual({
      [ahead]: addSeconds(at, 60),
      [longer]: addSeconds(at, 7_200),
      [soon]: addSeconds(at, 59),
    });
    await storage.sql`update agents set next_timer_at = null where company_id = ${companyId}`;
  });
});

describe("a timer without work", () => {
  it("leaves no row and starts nothing, and the query of due timers reads no other agents", async () => {
    const company = await aCompany(storage);
    const timed = await anAgent(storage, {
      companyId: company.id,
      runtimeConfig: { heartbeat: { enabled: true, intervalSec: 30, onlyWithWork: true } },
      nextTimerAt: at,
    });
    later(1);
    expect(await Effect.runPromise(front.tickTimers(100))).toBe(1);
    expect([...(await storage.sql`select count(*) from wakes`)]).toEqual([{ count: 0 }]);
    expect([...(await storage.sql`select count(*) from runs`)]).toEqual([{ count: 0 }]);
    const [row] = await storage.sql<
      { nextTimerAt: string }[]
    >`select next_timer_at from agents where id = ${timed.id}`;
    expect(row!.nextTimerAt > at).toBe(true);
    expect(await Effect.runPromise(front.tickTimers(100))).toBe(0);

    await storage.sql`analyze agents`;
    const plan = await storage.sql.begin(async (sql) => {
      await sql`set local enable_seqscan = off`;
      return sql`
        explain select id from agents where next_timer_at <= ${at} and lifecycle_state = 'active' order by next_timer_at limit 100`;
    });
    expect(JSON.stringify(plan)).toContain("agents_by_timer");
  });
});

describe("a lost run", () => {
  const table: [
    string,
    { lease: number | null; host: string; endedBy: number | null; neighbour?: boolean },
    string,
  ][] = [
    ["of a living service is nobody else's", { lease: 3_600, host: "there", endedBy: 0 }, "not lost"],
    ["of a living service here is nobody else's", { lease: 3_600, host: "here", endedBy: 0 }, "not lost"],
    ["whose service is gone is lost at once", { lease: null, host: "here", endedBy: null }, "lost here"],
    [
      "whose service elsewhere is gone is lost at once",
      { lease: null, host: "there", endedBy: null },
      "lost there",
    ],
    ["whose lease ended here is lost", { lease: -1, host: "here", endedBy: 0 }, "lost here"],
    ["whose lease ended elsewhere is lost", { lease: -1, host: "there", endedBy: 0 }, "lost there"],
    [
      "is not taken over by a service that starts, which cannot know whether leases could be renewed",
      { lease: -1, host: "here", endedBy: null },
      "not lost",
    ],
    [
      "whose lease ended after the other's renewal before has still time to renew it",
      { lease: -1, host: "here", endedBy: -2 },
      "not lost",
    ],
    [
      "is left to a living service of its own host, which can end its processes",
      { lease: -1, host: "there", endedBy: 0, neighbour: true },
      "not lost",
    ],
  ];
  it.each(table)("%s", async (_, { lease, host, endedBy, neighbour }, expected) => {
    const company = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    await wake(agent);
    const [run] = await claim();
    const owner = newId<ServiceId>();
    await storage.sql`update runs set service_id = ${owner}, scope = ${`host/${host}`} where id = ${run!.id}`;
    const add = (id: string, seconds: number) => storage.sql`
      insert into services (id, host, scopes, pid, role, started_at, lease_until)
      values (${id}, ${host}, ${[`host/${host}`]}, 2, 'all', now(), now() + make_interval(secs => ${seconds}))`;
    if (lease !== null) await add(owner, lease);
    if (neighbour) await add(newId(), 3_600);
    const leaseEndedBy = endedBy === null ? null : new Date(Date.now() + endedBy * 1000).toISOString();
    const lost = await storage.run(({ runs }) => runs.lost({ scopes: ["host/here"], leaseEndedBy }));
    expect(lost.map(({ id, isReachable }) => [id, isReachable ? "lost here" : "lost there"])).toEqual(
      expected === "not lost" ? [] : [[run!.id, expected]],
    );
    await storage.sql`delete from services where id <> ${service}`;
  });
});
