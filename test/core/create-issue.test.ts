import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mostInBatch, transactorOf } from "../../adapters-infra/postgres/transactor.ts";
import type { AgentId, CompanyId, IssueId, LabelId, RunId } from "../../core/model/shared/ids.ts";
import { type CreateIssue, createIssue } from "../../core/work/issues/create-issue.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aProject,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { waitingForLock } from "../support/lock-waits.ts";
import * as nouns from "../support/nouns.ts";

const clock = { now: () => new Date().toISOString() };

let storage: TestStorage;
let companyId: CompanyId;
beforeAll(async () => {
  storage = await openTestStorage();
  companyId = (await aCompany(storage)).id;
});
afterAll(() => storage.close());

/** Creates issues, and counts the transactions in which they are created. */
const aService = () => {
  const counts = { transactions: 0 };
  const create = createIssue({
    transactor: transactorOf((work) => {
      counts.transactions += 1;
      return storage.transactor.transact(work);
    }),
    clock,
    ids: { newId },
  });
  const ask = async (title: string, fields: Partial<CreateIssue> = {}): Promise<string> => {
    const command = { id: newId<IssueId>(), companyId, by: { kind: "system" } as const, title, ...fields };
    const exit = await Effect.runPromiseExit(Effect.result(create(command)));
    if (Exit.isFailure(exit)) return "broken off";
    return Result.isSuccess(exit.value) ? "created" : exit.value.failure.code;
  };
  return { counts, ask };
};

/** Everything stored of the issues whose titles begin so, however many a transaction created. */
const stored = async (begin: string) => {
  const [row] = await storage.sql`
    select  count(*)::integer as issues,
            count(distinct identifier)::integer as numbers,
            (
              select  count(*)::integer
              from    activity
              where   action = 'issue.created'
              and     details ->> 'title' like ${`${begin}%`}
            ) as entries,
            (
              select  count(*)::integer
              from    wakes
              join    issues of on of.id = wakes.issue_id
              where   of.title like ${`${begin}%`}
            ) as wakes
    from    issues
    where   title like ${`${begin}%`}
  `;
  return row;
};

/** Begins a transaction that waits until it is released; issues requested meanwhile share the next. */
const blockedTransaction = async (ask: (title: string, fields?: Partial<CreateIssue>) => Promise<string>) => {
  const { id: parentId } = await anIssue(storage, { companyId });
  const sql = await storage.sql.reserve();
  await sql`begin`;
  await sql`select from issues where id = ${parentId} for update`;
  const first = ask("First", { parentId });
  await waitingForLock(storage.sql, 1);
  return {
    first,
    release: async () => {
      await sql`commit`;
      sql.release();
    },
  };
};

const aRun = async (): Promise<{ readonly agentId: AgentId; readonly runId: RunId }> => {
  const { id: agentId } = await anAgent(storage, { companyId });
  const runId = newId<RunId>();
  await storage.sql`
    insert into runs (
      id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, started_at, created_at, updated_at
    )
    values (${runId}, ${companyId}, ${agentId}, 'process', 'running', 'manual', 'on_demand', now(), now(), now())
  `;
  return { agentId, runId };
};

describe("Issues of a company that are requested while one is created", () => {
  it("are created in one transaction, each whole and under its own number", async () => {
    const { ask, counts } = aService();
    const { id: assigneeAgentId } = await anAgent(storage, { companyId });
    const { first, release } = await blockedTransaction(ask);
    const answers = Array.from({ length: mostInBatch }, (_, n) => ask(`Many ${n}`, { assigneeAgentId }));
    await release();
    expect(await Promise.all([first, ...answers])).toEqual(Array(mostInBatch + 1).fill("created"));
    expect(counts.transactions).toBe(2);
    const all = mostInBatch;
    expect(await stored("Many")).toEqual({ issues: all, numbers: all, entries: all, wakes: all });
  });

  it("are refused alone, without a trace, where they name what is not there", async () => {
    const { ask, counts } = aService();
    const { id: terminated } = await anAgent(storage, { companyId, lifecycleState: "terminated" });
    const { id: archived } = await aProject(storage, { companyId, archivedAt: nouns.now });
    const { agentId, runId } = await aRun();
    const { first, release } = await blockedTransaction(ask);
    const asked: readonly (readonly [string, Partial<CreateIssue>])[] = [
      ["created", {}],
      ["reference_not_found", { parentId: newId() }],
      ["reference_not_found", { labelIds: [newId<LabelId>()] }],
      ["created", {}],
      ["agent_not_assignable", { assigneeAgentId: terminated }],
      ["project_archived", { projectId: archived }],
      ["assignee_required", { status: "in_progress" }],
      ["created", { by: { kind: "agent", agentId, runId } }],
    ];
    const answers = asked.map(([, fields]) => ask("Mixed", fields));
    await release();
    await first;
    expect(await Promise.all(answers)).toEqual(asked.map(([answer]) => answer));
    expect(counts.transactions).toBe(2);
    expect(await stored("Mixed")).toEqual({ issues: 3, numbers: 3, entries: 3, wakes: 0 });
  });

  it("are not created by an agent whose run has ended meanwhile, and all others are", async () => {
    const { ask } = aService();
    const [live, ended] = [await aRun(), await aRun()];
    const { first, release } = await blockedTransaction(ask);
    const answers = [live, ended, live].map((of) => ask("Of a run", { by: { kind: "agent", ...of } }));
    await storage.sql`update runs set status = 'cancelled', finished_at = now() where id = ${ended.runId}`;
    await release();
    await first;
    expect(await Promise.all(answers)).toEqual(["created", "run_ended", "created"]);
    expect(await stored("Of a run")).toEqual({ issues: 2, numbers: 2, entries: 2, wakes: 0 });
  });

  it("are created where the database refuses one of them", async () => {
    const { ask } = aService();
    const { first, release } = await blockedTransaction(ask);
    const answers = [ask("Sound 1"), ask("Sound \0"), ask("Sound 2")];
    await release();
    await first;
    expect(await Promise.all(answers)).toEqual(["created", "broken off", "created"]);
    expect(await stored("Sound")).toEqual({ issues: 2, numbers: 2, entries: 2, wakes: 0 });
  });

  it("are all created or none where the connection is lost", async () => {
    const { ask } = aService();
    const { id: parentId } = await anIssue(storage, { companyId });
    const { first, release } = await blockedTransaction(ask);
    const sql = await storage.sql.reserve();
    await sql`begin`;
    await sql`select from issues where id = ${parentId} for update`;
    const answers = [ask("Lost"), ask("Lost", { parentId }), ask("Lost")];
    await release();
    await first;
    const [{ pid } = { pid: 0 }] = await waitingForLock(storage.sql, 1);
    await storage.sql`select pg_terminate_backend(${pid})`;
    await sql`commit`;
    sql.release();
    expect(await Promise.all(answers)).toEqual(["broken off", "broken off", "broken off"]);
    expect(await stored("Lost")).toEqual({ issues: 0, numbers: 0, entries: 0, wakes: 0 });
  });

  it("do not wait for one that waits for a lock of its company's blockers", async () => {
    const { ask } = aService();
    const { id: blocker } = await anIssue(storage, { companyId });
    const sql = await storage.sql.reserve();
    await sql`begin`;
    await sql`select pg_advisory_xact_lock(hashtextextended(${`issue links ${companyId}`}, 0))`;
    const blocked = ask("Blocked", { blockedByIssueIds: [blocker] });
    await waitingForLock(storage.sql, 1);
    expect(await ask("Free")).toBe("created");
    await sql`commit`;
    sql.release();
    expect(await blocked).toBe("created");
  });
});
