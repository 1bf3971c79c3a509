import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { UrlKeyTaken } from "../../core/model/agents/agent.ts";
import type { Company } from "../../core/model/companies/company.ts";
import { checkOut, type Issue } from "../../core/model/issues/issue.ts";
import type { AgentId, CompanyId, GoalId, IssueId, RunId } from "../../core/model/shared/ids.ts";
import { aCompany, anAgent, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";
import * as nouns from "../support/nouns.ts";

let storage: TestStorage;
let company: Company;
let admin: postgres.Sql;

beforeAll(async () => {
  storage = await openTestStorage({ max: 4 });
  company = await aCompany(storage);
  admin = postgres(storage.url, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await admin.end({ timeout: 5 });
  await storage.close();
});

const nameOf = async (id: CompanyId): Promise<string> =>
  (await admin<{ name: string }[]>`select name from companies where id = ${id}`)[0]!.name;

const openTransactions = async (): Promise<number> =>
  (
    await admin<{ n: number }[]>`
      select  count(*)::integer as n
      from    pg_stat_activity
      where   datname = current_database()
      and     application_name = 'boardroom'
      and     state in ('active', 'idle in transaction', 'idle in transaction (aborted)')
      -- Not the look for stalled statements, which comes every few seconds.
      and     query not like '%ClientRead%'
    `
  )[0]!.n;

/** Resolves once a transaction of this test waits for a lock. */
const someoneWaits = (count = 1) =>
  eventually(
    () => admin`
      select  pid
      from    pg_stat_activity
      where   datname = current_database()
      and     wait_event_type = 'Lock'
    `,
    ({ length }) => length >= count,
    { everyMs: 5 },
  );

/** Locks the issue and holds it until released. */
const holderOf = async (issue: Issue): Promise<{ letGo(): Promise<void> }> => {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((locked) => {
    ended = storage.run(({ issues }) =>
      Effect.gen(function* () {
        yield* issues.lock(issue.id);
        locked();
        yield* Effect.promise(() => released);
      }),
    );
  });
  return {
    letGo: () => {
      letGo();
      return ended;
    },
  };
};

const renameTo = (name: string) => ({ ...company, name });

describe("a transaction", () => {
  it("stores everything on success, and nothing on a refusal", async () => {
    await storage.run(({ companies }) => companies.save(renameTo("stored")));
    expect(await nameOf(company.id)).toBe("stored");

    const refused = await Effect.runPromiseExit(
      storage.transactor.transact(({ companies }) =>
        Effect.andThen(companies.save(renameTo("refused")), Effect.fail("no" as const)),
      ),
    );
    expect(refused).toEqual(Exit.fail("no"));
    expect(await nameOf(company.id)).toBe("stored");
    expect(await openTransactions()).toBe(0);
  });

  it("leaves no trace of a defect, and reports it", async () => {
    const died = await Effect.runPromiseExit(
      storage.transactor.transact(({ companies }) =>
        Effect.andThen(companies.save(renameTo("died")), Effect.die(new Error("a bug"))),
      ),
    );
    expect(Exit.hasDies(died)).toBe(true);
    expect(String(died)).toContain("a bug");
    expect(await nameOf(company.id)).toBe("stored");
    expect(await openTransactions()).toBe(0);
  });

  it("that fails to begin leaves no connection in a transaction", async () => {
    const broken = () => {
      throw new TypeError("not even an effect");
    };
    for (let n = 0; n < 5; n++)
      await expect(Effect.runPromise(storage.transactor.transact(broken))).rejects.toThrow(
        "not even an effect",
      );
    expect(await openTransactions()).toBe(0);
    expect(await storage.run(({ runs }) => runs.isActive(newId<RunId>()))).toBe(false);
  });

  it("sees its own writes in its reads", async () => {
    const seen = await storage.run(({ companies }) =>
      Effect.andThen(companies.save(renameTo("seen")), companies.lock(company.id)),
    );
    expect(seen.name).toBe("seen");
  });

  it("lets one of fifty win that claim the same issue", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, { companyId: company.id });
    const claims = Array.from({ length: 50 }, () =>
      Effect.result(
        storage.transactor.transact(({ issues }) =>
          Effect.gen(function* () {
            const found = yield* issues.lock(issue.id);
            const claimed = yield* Effect.fromResult(
              checkOut(found, {
                agentId: agent.id,
                runId: newId<RunId>(),
                expectedStatuses: ["todo", "in_progress"],
                holderIsActive: true,
                openBlockers: [],
                at: nouns.now,
              }),
            );
            yield* issues.save(claimed);
            return claimed.checkoutRunId;
          }),
        ),
      ),
    );
    const results = await Effect.runPromise(Effect.all(claims, { concurrency: "unbounded" }));
    const winners = results.filter((result) => result._tag === "Success");
    expect(winners).toHaveLength(1);
    const [row] = await admin`select checkout_run_id from issues where id = ${issue.id}`;
    expect(row!.checkout_run_id).toBe(winners[0]!.success);
  });

  it("waits for the holder of a lock, and then sees its changes", async () => {
    const issue = await anIssue(storage, { companyId: company.id });
    let second: Promise<string> | undefined;
    await storage.run(({ issues }) =>
      Effect.gen(function* () {
        const before = yield* issues.lock(issue.id);
        second = storage.run((stores) => Effect.map(stores.issues.lock(issue.id), ({ title }) => title));
        yield* Effect.promise(() => someoneWaits());
        yield* issues.save({ ...before, title: "by the first" });
      }),
    );
    expect(await second).toBe("by the first");
  });

  it("does not hang if more transactions run than connections exist", async () => {
    const names = await Promise.all(
      Array.from({ length: 40 }, () => storage.run(({ companies }) => companies.lock(company.id))),
    );
    expect(names).toHaveLength(40);
  });

  it("gets a connection while reads keep arriving", async () => {
    let reading = true;
    let reads = 0;
    const reader = async () => {
      while (reading) {
        await Effect.runPromise(storage.views.companies.get(company.id, nouns.now));
        reads += 1;
      }
    };
    const readers = Array.from({ length: 40 }, reader);
    const transactions = 20;
    for (let i = 0; i < transactions; i++) await storage.run(({ companies }) => companies.status(company.id));
    const readsMeanwhile = reads;
    reading = false;
    await Promise.all(readers);
    // The queue is fair: each waits only for the reads before it.
    expect(readsMeanwhile).toBeLessThan(transactions * 3 * readers.length);
  });
});

describe("a write that fails", () => {
  const clash = async () => {
    const name = `Clash ${newId<AgentId>()}`;
    const existing = await anAgent(storage, { companyId: company.id, name });
    return nouns.anAgent({ id: newId<AgentId>(), companyId: company.id, name, urlKey: existing.urlKey });
  };

  it("leaves the transaction as the refusal of its constraint", async () => {
    const agent = await clash();
    const exit = await Effect.runPromiseExit(
      storage.transactor.transact(({ agents, companies }) =>
        Effect.andThen(agents.insert(agent), companies.save(renameTo("not this"))),
      ),
    );
    expect(exit).toEqual(Exit.fail(new UrlKeyTaken()));
    expect(await nameOf(company.id)).not.toBe("not this");
    expect(await openTransactions()).toBe(0);
  });

  it("is the reported failure if a later read fails because of it", async () => {
    const agent = await clash();
    const exit = await Effect.runPromiseExit(
      storage.transactor.transact(({ agents, companies }) =>
        Effect.andThen(agents.insert(agent), companies.lock(company.id)),
      ),
    );
    expect(exit).toEqual(Exit.fail(new UrlKeyTaken()));
  });

  it("is a defect if no refusal matches, reported without the values", async () => {
    const exit = await Effect.runPromiseExit(
      storage.transactor.transact(({ issues }) =>
        issues.insert(
          nouns.anIssue({
            id: newId<IssueId>(),
            companyId: company.id,
            identifier: newId(),
            goalId: newId<GoalId>(),
            title: "a secret title",
          }),
        ),
      ),
    );
    expect(Exit.hasDies(exit)).toBe(true);
    expect(String(exit)).toContain("violates foreign key constraint");
    expect(String(exit)).not.toContain("a secret title");
    expect(await openTransactions()).toBe(0);
  });

  it("leaves a refusal of the work unchanged", async () => {
    const agent = await clash();
    const exit = await Effect.runPromiseExit(
      storage.transactor.transact(({ agents }) =>
        Effect.andThen(agents.insert(agent), Effect.fail("decided before" as const)),
      ),
    );
    expect(exit).toEqual(Exit.fail("decided before"));
  });
});

describe("an interruption", () => {
  it("cancels the running statement, leaves no trace and frees the connection", async () => {
    const issue = await anIssue(storage, { companyId: company.id });
    const holder = await holderOf(issue);
    const waiting = Effect.runFork(
      storage.transactor.transact(({ companies, issues }) =>
        Effect.andThen(companies.save(renameTo("interrupted")), issues.lock(issue.id)),
      ),
    );
    await someoneWaits();
    const began = performance.now();
    await Effect.runPromise(Fiber.interrupt(waiting));
    // The statement would end after thirty seconds.
    expect(performance.now() - began).toBeLessThan(20_000);
    await holder.letGo();
    expect(await nameOf(company.id)).not.toBe("interrupted");
    expect(await openTransactions()).toBe(0);
    await Promise.all(
      Array.from({ length: 8 }, () => storage.run(({ companies }) => companies.lock(company.id))),
    );
  });

  it("does not undo a commit that has begun", async () => {
    const names: string[] = [];
    for (let i = 0; i < 100; i++) {
      const name = `commit ${i}`;
      const fiber = Effect.runFork(
        storage.transactor.transact(({ companies }) => companies.save(renameTo(name))),
      );
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      const exit = await Effect.runPromise(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)));
      if (Exit.isSuccess(exit)) {
        names.push(name);
        expect(await nameOf(company.id)).toBe(name);
      }
    }
    expect(await openTransactions()).toBe(0);
  });

  it("of one read among others leaves the transaction to end by itself", async () => {
    const exit = await Effect.runPromiseExit(
      storage.transactor.transact(({ companies, issues }) =>
        Effect.all([issues.lock(newId()), companies.lock(company.id), companies.status(company.id)], {
          concurrency: "unbounded",
        }),
      ),
    );
    expect(Exit.hasFails(exit)).toBe(true);
    expect(String(exit)).toContain("Issue not found");
    expect(await openTransactions()).toBe(0);
  });
});

describe("a conflict", () => {
  it("of two that wait for each other is solved by repeating one of them", async () => {
    const one = await anIssue(storage, { companyId: company.id });
    const other = await anIssue(storage, { companyId: company.id });
    let met = 0;
    let runs = 0;
    const bothMet = async () => {
      met++;
      while (met < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    };
    const inOrder = (first: typeof one, second: typeof one) =>
      storage.run(({ issues }) =>
        Effect.gen(function* () {
          runs++;
          const a = yield* issues.lock(first.id);
          yield* Effect.promise(bothMet);
          const b = yield* issues.lock(second.id);
          yield* issues.save({ ...a, title: `${a.title}+` });
          yield* issues.save({ ...b, title: `${b.title}+` });
        }),
      );
    await Promise.all([inOrder(one, other), inOrder(other, one)]);
    expect(runs).toBe(3);
    const rows = await admin<{ title: string }[]>`
      select title from issues where id in (${one.id}, ${other.id})
    `;
    expect(rows.map(({ title }) => title)).toEqual([`${one.title}++`, `${other.title}++`]);
  });

  it("of serialization is retried, and fails after some time", async () => {
    await admin`create sequence conflicts`;
    await admin`create table conflicts_wanted as select 3 as count`;
    await admin`
      create function conflict() returns trigger language plpgsql as $$
      begin
        if nextval('conflicts') <= (select count from conflicts_wanted) then
          raise exception 'could not serialize access' using errcode = '40001';
        end if;
        return new;
      end $$
    `;
    await admin`create trigger conflict before update on companies for each row execute function conflict()`;
    try {
      let runs = 0;
      const rename = (name: string) =>
        storage.transactor.transact(({ companies }) =>
          Effect.suspend(() => {
            runs++;
            return companies.save(renameTo(name));
          }),
        );
      await Effect.runPromise(rename("serialized"));
      expect(runs).toBe(4);
      expect(await nameOf(company.id)).toBe("serialized");

      await admin`update conflicts_wanted set count = 1000`;
      const exit = await Effect.runPromiseExit(rename("never"));
      expect(Exit.hasDies(exit)).toBe(true);
      expect(runs).toBe(12);
      expect(await nameOf(company.id)).toBe("serialized");
    } finally {
      await admin`drop trigger conflict on companies`;
    }
  });
});

describe("a commit", () => {
  it("that fails is a failure of the transaction", async () => {
    await admin`
      create function too_late() returns trigger language plpgsql as $$
      begin
        if new.name = 'too late' then
          raise exception 'checked at the end' using errcode = '23514';
        end if;
        return null;
      end $$
    `;
    await admin`
      create constraint trigger too_late after update on companies
      deferrable initially deferred
      for each row execute function too_late()
    `;
    try {
      const exit = await Effect.runPromiseExit(
        storage.transactor.transact(({ companies }) => companies.save(renameTo("too late"))),
      );
      expect(Exit.hasDies(exit)).toBe(true);
      expect(String(exit)).toContain("checked at the end");
      expect(await nameOf(company.id)).not.toBe("too late");
      expect(await openTransactions()).toBe(0);
    } finally {
      await admin`drop trigger too_late on companies`;
    }
  });
});

describe("a connection", () => {
  // A session is idle a moment after its client has the answer.
  const kill = () => eventually(terminateOne, (killed) => killed.length === 1, { everyMs: 5 });
  const terminateOne = async () => admin`
    select  pg_terminate_backend(pid)
    from    (
              select  pid
              from    pg_stat_activity
              where   datname = current_database()
              and     application_name = 'boardroom'
              and     state = 'idle in transaction'
              limit   1
            ) as victim
  `;

  it("that is killed between two statements ends the transaction without a trace, and is not reused", async () => {
    for (let round = 0; round < 10; round++) {
      const exit = await Effect.runPromiseExit(
        storage.transactor.transact(({ companies }) =>
          Effect.gen(function* () {
            yield* companies.save(renameTo("killed"));
            yield* companies.lock(company.id);
            yield* Effect.promise(() => kill());
            // The client has noticed it, and has not: nothing of the core says which.
            yield* Effect.sleep(round % 2 === 0 ? 20 : 0);
            // On a connection that another caller holds by now, the statement would be stored.
            yield* companies.save(renameTo("after the kill"));
            yield* companies.lock(company.id);
          }),
        ),
      );
      expect(Exit.hasDies(exit)).toBe(true);
      expect(String(exit)).toContain("connection to the database was lost");
      // The client learns of it before the server has ended the connection.
      await eventually(openTransactions, (count) => count === 0, { everyMs: 5 });
    }
    expect(await nameOf(company.id)).not.toMatch(/kill/);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => storage.run(({ companies }) => companies.status(company.id))),
    );
    expect(statuses.map(({ status }) => status)).toEqual(Array(12).fill("active"));
    await eventually(openTransactions, (count) => count === 0, { everyMs: 5 });
  });

  it("that is killed while a statement waits ends the transaction, too", async () => {
    const issue = await anIssue(storage, { companyId: company.id });
    const holder = await holderOf(issue);
    const waiting = Effect.runPromiseExit(storage.transactor.transact(({ issues }) => issues.lock(issue.id)));
    await someoneWaits();
    await admin`
      select pg_terminate_backend(pid) from pg_stat_activity
      where  datname = current_database() and wait_event_type = 'Lock'
    `;
    const exit = await waiting;
    expect(String(exit)).toContain("connection to the database was lost");
    await holder.letGo();
    await storage.run(({ companies }) => companies.lock(company.id));
  });

  it("to an absent server is a defect with a clear sentence", async () => {
    const sql = openDatabase("postgres://nobody:x@127.0.0.1:1/none", { max: 1 });
    const exit = await Effect.runPromiseExit(
      postgresAdapters(sql, systemClock).transactor.transact(({ companies }) => companies.lock(company.id)),
    );
    expect(String(exit)).toContain("The database does not answer");
    await sql.end({ timeout: 1 });
  });
});

describe("a server that accepts connections and never answers", () => {
  it("does not block interrupted callers", async () => {
    const hole = createServer(() => {});
    await new Promise<void>((resolve) => hole.listen(0, "127.0.0.1", resolve));
    const { port } = hole.address() as AddressInfo;
    const sql = openDatabase(`postgres://a:b@127.0.0.1:${port}/c`, { max: 2 });
    const { transactor, views } = postgresAdapters(sql, systemClock);
    const arrived = once(hole, "connection");
    const fibers = [
      Effect.runFork(transactor.transact(({ companies }) => companies.lock(company.id))),
      Effect.runFork(views.companies.get(company.id, nouns.now)),
      Effect.runFork(views.companies.get(company.id, nouns.now)),
    ];
    await arrived;
    const began = performance.now();
    await Effect.runPromise(Fiber.interruptAll(fibers));
    await sql.end({ timeout: 1 });
    // The client would give up after ten seconds.
    expect(performance.now() - began).toBeLessThan(8_000);
    hole.close();
  });
});
