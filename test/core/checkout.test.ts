import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transactorOf } from "../../adapters-infra/postgres/transactor.ts";
import type { AgentId, CompanyId, IssueId, RunId } from "../../core/model/shared/ids.ts";
import { checkoutIssue } from "../../core/work/issues/checkout-issue.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { aCompany, anAgent, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { waitingForLock } from "../support/lock-waits.ts";
import { replaceStores } from "../support/replace-stores.ts";

const clock = { now: () => new Date().toISOString() };

let storage: TestStorage;
let companyId: CompanyId;
beforeAll(async () => {
  storage = await openTestStorage();
  companyId = (await aCompany(storage)).id;
});
afterAll(() => storage.close());

interface Contender {
  readonly agentId: AgentId;
  readonly runId: RunId;
}

const contenders = (count: number): Promise<readonly Contender[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const { id: agentId } = await anAgent(storage, { companyId });
      const runId = newId<RunId>();
      await storage.sql`
        insert into runs (
          id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, started_at, created_at,
          updated_at
        )
        values (${runId}, ${companyId}, ${agentId}, 'process', 'running', 'manual', 'on_demand', now(), now(), now())
      `;
      return { agentId, runId };
    }),
  );

const endRuns = (of: readonly Contender[]) => storage.sql`
  update runs set status = 'cancelled', finished_at = now() where id = any(${of.map(({ runId }) => runId)})
`;

/** The checkout of one service, with the number of its transactions, and of the callers whom the issue does not refuse. */
const aService = ({ transact }: Pick<Transactor, "transact"> = storage.transactor) => {
  const counts = { transactions: 0, asked: 0 };
  const checkout = checkoutIssue({
    transactor: transactorOf((work) => {
      counts.transactions += 1;
      return transact((stores) =>
        work(
          replaceStores(stores, {
            issues: {
              ...stores.issues,
              openBlockers: (id) => {
                counts.asked += 1;
                return stores.issues.openBlockers(id);
              },
            },
          }),
        ),
      );
    }),
    clock,
    ids: { newId },
  });
  return {
    counts,
    claim: (issueId: IssueId, { agentId, runId }: Contender) =>
      checkout({
        issueId,
        companyId,
        by: { kind: "agent", agentId, runId },
        agentId,
        expectedStatuses: ["todo"],
      }),
  };
};

/** Says who has it, the code of the refusal, or that the request broke off. */
const answerTo = async (claim: ReturnType<ReturnType<typeof aService>["claim"]>): Promise<string> => {
  const exit = await Effect.runPromiseExit(Effect.result(claim));
  if (Exit.isFailure(exit)) return "broken off";
  return Result.isSuccess(exit.value)
    ? `won by ${exit.value.success.issue.assigneeAgentId}`
    : exit.value.failure.code;
};

/** Keeps the issue locked until it is released, as the change of another service does. */
const lockOf = async (issueId: IssueId) => {
  const sql = await storage.sql.reserve();
  await sql`begin`;
  await sql`select from issues where id = ${issueId} for no key update`;
  return async () => {
    await sql`commit`;
    sql.release();
  };
};

const holderOf = async (issueId: IssueId) => {
  const [issue] = await storage.sql`select status, checkout_run_id from issues where id = ${issueId}`;
  return issue!;
};

describe("Of agents that claim one issue at a service", () => {
  it("one wins, and the others lose in the same transaction and ask for nothing but the issue", async () => {
    const { id } = await anIssue(storage, { companyId });
    const all = await contenders(20);
    const { claim, counts } = aService();
    const release = await lockOf(id);
    const answers = all.map((one) => answerTo(claim(id, one)));
    await waitingForLock(storage.sql, 1);
    await release();
    expect(await Promise.all(answers)).toEqual([
      `won by ${all[0]!.agentId}`,
      ...Array(19).fill("issue_held_by_another"),
    ]);
    expect(counts).toEqual({ transactions: 1, asked: 1 });
  });

  it("the next wins where the run of the first ends before its commit", async () => {
    const { id } = await anIssue(storage, { companyId });
    const [first, second, third, fourth] = (await contenders(4)) as [
      Contender,
      Contender,
      Contender,
      Contender,
    ];
    const { claim } = aService();
    const release = await lockOf(id);
    const answers = [first, second, third, fourth].map((one) => answerTo(claim(id, one)));
    await waitingForLock(storage.sql, 1);
    // The run of the second ends while it waits for the outcome of the first.
    await endRuns([first, second]);
    await release();
    const [lost, alsoLost, ...others] = await Promise.all(answers);
    expect([lost, alsoLost]).toEqual(["run_ended", "run_ended"]);
    expect(others.sort()).toEqual(["issue_held_by_another", expect.stringMatching(/^won by/)]);
    const winner = others.includes(`won by ${third.agentId}`) ? third : fourth;
    expect(await holderOf(id)).toEqual({ status: "in_progress", checkoutRunId: winner.runId });
  });

  it("those who wait claim before one that asks later, however many before them are refused", async () => {
    const { id } = await anIssue(storage, { companyId });
    const [first, second, third, last] = (await contenders(4)) as [
      Contender,
      Contender,
      Contender,
      Contender,
    ];
    const later: Promise<string>[] = [];
    const { claim, counts } = aService({
      transact: (work) => {
        if (counts.transactions === 2) later.push(answerTo(claim(id, last)));
        return storage.transactor.transact(work);
      },
    });
    const release = await lockOf(id);
    const answers = [first, second, third].map((one) => answerTo(claim(id, one)));
    await waitingForLock(storage.sql, 1);
    await endRuns([first, second, third]);
    await release();
    expect(await Promise.all(answers)).toEqual(["run_ended", "run_ended", "run_ended"]);
    expect(await Promise.all(later)).toEqual([`won by ${last.agentId}`]);
  });

  it("none wins where the connection of their transaction is lost, and any may ask again", async () => {
    const { id } = await anIssue(storage, { companyId });
    const [first, second] = (await contenders(2)) as [Contender, Contender];
    const { claim } = aService();
    const release = await lockOf(id);
    const answers = [first, second].map((one) => answerTo(claim(id, one)));
    const [{ pid } = { pid: 0 }] = await waitingForLock(storage.sql, 1);
    await storage.sql`select pg_terminate_backend(${pid})`;
    await release();
    expect(await Promise.all(answers)).toEqual(["broken off", "broken off"]);
    expect(await answerTo(claim(id, second))).toBe(`won by ${second.agentId}`);
  });

  it("one that has gone away while it waited claims nothing", async () => {
    const { id } = await anIssue(storage, { companyId });
    const [first, second] = (await contenders(2)) as [Contender, Contender];
    const { claim } = aService();
    const release = await lockOf(id);
    const answer = answerTo(claim(id, first));
    await waitingForLock(storage.sql, 1);
    const gone = new AbortController();
    const never = Effect.runPromiseExit(claim(id, second), { signal: gone.signal });
    gone.abort();
    expect(Exit.isFailure(await never)).toBe(true);
    await endRuns([first]);
    await release();
    expect(await answer).toBe("run_ended");
    expect(await holderOf(id)).toEqual({ status: "todo", checkoutRunId: null });
  });
});

describe("Of agents that claim one issue at two services", () => {
  it("one wins, though each service has its own in a transaction", async () => {
    const { id } = await anIssue(storage, { companyId });
    const all = await contenders(20);
    const [one, two] = [aService(), aService()];
    const release = await lockOf(id);
    const answers = all.map((each, n) => answerTo((n % 2 === 0 ? one : two).claim(id, each)));
    await waitingForLock(storage.sql, 2);
    await release();
    const outcomes = await Promise.all(answers);
    expect(outcomes.filter((outcome) => outcome.startsWith("won by"))).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "issue_held_by_another")).toHaveLength(19);
    expect(one.counts.transactions + two.counts.transactions).toBe(2);
  });
});
