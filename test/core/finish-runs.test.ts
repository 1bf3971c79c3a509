import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transactorOf } from "../../adapters-infra/postgres/transactor.ts";
import { retryReasons } from "../../core/model/runs/wake-reason.ts";
import type { ServiceId } from "../../core/model/shared/ids.ts";
import { type FinishRun, finishRun } from "../../core/runs/finish-run.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { anOutcome, now } from "../support/nouns.ts";
import { replaceStores } from "../support/replace-stores.ts";
import { contextOf } from "../support/units.ts";

let storage: TestStorage;
let transactions = 0;
let finish: ReturnType<typeof finishRun>;

beforeAll(async () => {
  storage = await openTestStorage();
  const counted = transactorOf((work) => {
    transactions += 1;
    return storage.transactor.transact(work);
  });
  finish = finishRun(contextOf(counted, { now: () => now }));
});
afterAll(() => storage.close());

const aRunningRun = async (companyId: string, agentId?: string) => {
  const agent =
    agentId === undefined
      ? await anAgent(storage, { companyId: companyId as never })
      : await storage.run(({ agents }) => agents.lock(agentId as never));
  const issue = await anIssue(storage, { companyId: companyId as never, assigneeAgentId: agent.id });
  const request = aWakeRequest({ agent, issueId: issue.id });
  const by = { serviceId: newId<ServiceId>(), runner: "local", scope: "host/here", volume: null };
  await storage.run(({ wakes, runs }) =>
    Effect.andThen(
      wakes.add(request),
      runs.start([{ runId: request.runId, by, sessionIdBefore: null }], now),
    ),
  );
  return storage.run(({ runs }) => runs.lock(request.runId));
};
type Run = Awaited<ReturnType<typeof aRunningRun>>;
const anEnd = (run: Run, more: Partial<FinishRun> = {}) =>
  Effect.exit(finish({ run, outcome: anOutcome(), lastOutput: null, ...more }));
const inParallel = <A>(effects: readonly Effect.Effect<A>[]) =>
  Effect.runPromise(Effect.all(effects, { concurrency: "unbounded" }));
const statusOf = async ({ id }: Run) => (await storage.run(({ runs }) => runs.lock(id))).status;

describe("runs that end at once", () => {
  it("share transactions, and each gets its own end", async () => {
    const { id } = await aCompany(storage);
    const runs = await Promise.all(Array.from({ length: 12 }, () => aRunningRun(id)));
    transactions = 0;
    await inParallel(runs.map((run, n) => anEnd(run, { outcome: anOutcome({ exitCode: n }) })));
    expect(transactions).toBeLessThanOrEqual(2);
    expect(await Promise.all(runs.map(statusOf))).toEqual(
      runs.map((_, n) => (n === 0 ? "succeeded" : "failed")),
    );
    const codes = await storage.sql`select exit_code from runs where company_id = ${id} order by exit_code`;
    expect(codes.map(({ exitCode }) => exitCode)).toEqual(runs.map((_, n) => n));
    const agents = await Promise.all(
      runs.map(({ agentId }) => storage.run((stores) => stores.agents.lock(agentId))),
    );
    expect(agents.map(({ errorReason }) => errorReason !== null)).toEqual(runs.map((_, n) => n > 0));
    const finished = await storage.sql`
      select entity_id, details ->> 'agentId' as agent_id, details ->> 'status' as status
      from activity where company_id = ${id} and action = 'heartbeat.finished' order by entity_id`;
    expect(finished).toEqual(
      runs
        .map(({ id: entityId, agentId }, n) => ({
          entityId,
          agentId,
          status: n === 0 ? "succeeded" : "failed",
        }))
        .sort((a, b) => (a.entityId < b.entityId ? -1 : 1)),
    );
  });

  it("cost the database not more statements for what each changes alike", async () => {
    const { id } = await aCompany(storage);
    const runs = await Promise.all(Array.from({ length: 8 }, () => aRunningRun(id)));
    const asked: string[] = [];
    const counting = transactorOf((work) =>
      storage.transactor.transact((stores) => {
        const recorded = <Store extends object>(store: Store): Store =>
          new Proxy(store, {
            get: (target, name, receiver) => {
              asked.push(String(name));
              return Reflect.get(target, name, receiver);
            },
          });
        return work(
          replaceStores(stores, {
            agents: recorded(stores.agents),
            runs: recorded(stores.runs),
            activity: recorded(stores.activity),
          }),
        );
      }),
    );
    const together = finishRun(contextOf(counting, { now: () => now }));
    await inParallel(
      runs.map((run) => Effect.exit(together({ run, outcome: anOutcome(), lastOutput: null }))),
    );
    const count = (name: string) => asked.filter((each) => each === name).length;
    // The first end begins a transaction at once, and the others share the next.
    for (const name of ["lockAll", "appendAll", "noteHeartbeats"]) expect(count(name)).toBeLessThanOrEqual(4);
    expect(count("append")).toBe(0);
  });

  it("and belong to one agent end one after the other", async () => {
    const { id } = await aCompany(storage);
    const first = await aRunningRun(id);
    const second = await aRunningRun(id, first.agentId);
    await inParallel([anEnd(first, { outcome: "lost" }), anEnd(second)]);
    expect(await statusOf(first)).toBe("interrupted");
    expect(await statusOf(second)).toBe("succeeded");
    // The agent's error is that of its last run.
    expect((await storage.run(({ agents }) => agents.lock(first.agentId))).errorReason).toBeNull();
    const wakes = await storage.sql`
      select count(*)::integer as retries from wakes
      where agent_id = ${first.agentId} and reason = any(${retryReasons}::text[])`;
    expect(wakes[0]).toEqual({ retries: 1 });
  });

  it("end where the database refuses the end of another", async () => {
    const { id } = await aCompany(storage);
    const [good, bad, other] = await Promise.all([aRunningRun(id), aRunningRun(id), aRunningRun(id)]);
    const [, refused] = await inParallel([
      anEnd(good),
      anEnd(bad, { summary: "no \0 character" }),
      anEnd(other),
    ]);
    expect(refused!._tag).toBe("Failure");
    expect(await Promise.all([good, bad, other].map(statusOf))).toEqual([
      "succeeded",
      "running",
      "succeeded",
    ]);
  });
});

describe("a lost run that held issues", () => {
  const aHolder = async () => {
    const { id } = await aCompany(storage);
    const run = await aRunningRun(id);
    const claim = async () => {
      const issue = await anIssue(storage, {
        companyId: id,
        assigneeAgentId: run.agentId,
        status: "in_progress",
        checkoutRunId: run.id,
      });
      return issue.id;
    };
    return { run, claims: [await claim(), await claim()] };
  };
  const wakesOf = ({ agentId }: Pick<Run, "agentId">) => storage.sql<
    { reason: string; issueId: string | null; runId: string }[]
  >`
    select    reason, issue_id, run_id
    from      wakes
    where     agent_id = ${agentId}
    and       reason <> 'issue_assigned'
    order by  id`;

  it("is followed by one run, and what that leaves in progress by one continuation each", async () => {
    const { run, claims } = await aHolder();
    await Effect.runPromise(anEnd(run, { outcome: "lost" }));
    const [retry, ...more] = await wakesOf(run);
    expect([retry!.reason, more]).toEqual(["process_lost_retry", []]);
    const by = { serviceId: newId<ServiceId>(), runner: "local", scope: "host/here", volume: null };
    const started = retry!.runId as Run["id"];
    await storage.run(({ runs }) => runs.start([{ runId: started, by, sessionIdBefore: null }], now));
    await Effect.runPromise(anEnd(await storage.run(({ runs }) => runs.lock(started))));
    expect((await wakesOf(run)).slice(1).map(({ reason, issueId }) => [reason, issueId])).toEqual(
      claims.map((id) => ["issue_continuation_needed", id]),
    );
  });

  it("is followed by nothing for an issue that is finished or another's by then", async () => {
    const { run, claims } = await aHolder();
    await Effect.runPromise(anEnd(run, { outcome: "lost" }));
    await storage.sql`update issues set status = 'done' where id = ${claims[0]!}`;
    const other = await anAgent(storage, { companyId: run.companyId });
    await storage.sql`update issues set assignee_agent_id = ${other.id} where id = ${claims[1]!}`;
    const [retry] = await wakesOf(run);
    const by = { serviceId: newId<ServiceId>(), runner: "local", scope: "host/here", volume: null };
    const started = retry!.runId as Run["id"];
    await storage.run(({ runs }) => runs.start([{ runId: started, by, sessionIdBefore: null }], now));
    await Effect.runPromise(anEnd(await storage.run(({ runs }) => runs.lock(started))));
    expect(await wakesOf(run)).toHaveLength(1);
  });
});

describe("a session", () => {
  /** Ends runs of one task, each of which resumed the session, one after the other. Returns whether it is still there. */
  const staysAfter = async (ends: readonly Partial<FinishRun>[]) => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const { id: issueId } = await anIssue(storage, { companyId, assigneeAgentId: agent.id });
    const by = { serviceId: newId<ServiceId>(), runner: "local", scope: "host/here", volume: null };
    const session = { params: { sessionId: "s-1" }, displayId: "s-1" };
    for (const end of ends) {
      const request = aWakeRequest({ agent, issueId });
      const run = await storage.run(({ wakes, runs }) =>
        wakes
          .add(request)
          .pipe(
            Effect.andThen(runs.start([{ runId: request.runId, by, sessionIdBefore: "s-1" }], now)),
            Effect.andThen(runs.lock(request.runId)),
          ),
      );
      await Effect.runPromise(finish({ run, lastOutput: null, session, outcome: anOutcome(), ...end }));
      // A run that follows would have the session.
      await storage.sql`update runs set status = 'cancelled', finished_at = now() where issue_id = ${issueId} and status = 'queued'`;
    }
    const [stored] = await storage.sql`select display_id from task_sessions where agent_id = ${agent.id}`;
    return stored !== undefined;
  };
  const wordless: Partial<FinishRun> = { outcome: anOutcome({ exitCode: 1, errorCode: "adapter_failed" }) };
  const limited: Partial<FinishRun> = {
    outcome: anOutcome({ exitCode: 1, errorCode: "transient_upstream" }),
  };

  it.each([
    ["after one failure without a word", [wordless], true],
    [
      "after two failures of which the agent said something in one",
      [wordless, { ...wordless, summary: "I tried." }],
      true,
    ],
    ["after two failures that the provider caused", [limited, limited], true],
    ["after a failure, a success and a failure", [wordless, {}, wordless], true],
  ])("is continued %s", async (_, ends, stays) => {
    expect(await staysAfter(ends)).toBe(stays);
  });

  it("is left after two failures in it without a word", async () => {
    expect(await staysAfter([wordless, wordless])).toBe(false);
  });
});
