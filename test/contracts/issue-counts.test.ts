import * as Effect from "effect/Effect";
import fc from "fast-check";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IssueStatus, issueStatuses } from "../../core/model/issues/issue-status.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import { aCompany, anIssue, openTestStorage, type TestStorage } from "../support/builders.ts";

let storage: TestStorage;
/** Another client of the database, in transactions of its own. */
let other: postgres.Sql;
beforeAll(async () => {
  storage = await openTestStorage();
  other = postgres(storage.url, { max: 12, onnotice: () => {} });
});
afterAll(async () => {
  await other?.end();
  await storage?.close();
});

let made = 0;
const insert = (sql: postgres.ISql, companyId: CompanyId, status: IssueStatus, count = 1) => {
  made += count;
  return sql`
    insert into issues (
      id, company_id, identifier, title, status, priority, last_activity_at, created_at, updated_at
    )
    select uuidv7(), ${companyId}, 'MADE-' || (${made}::integer - n), 'Made', ${status}, 'low', now(), now(), now()
    from   generate_series(0, ${count - 1}::integer) n`;
};

const count = (companyId: CompanyId, statuses?: readonly IssueStatus[]): Promise<number> =>
  Effect.runPromise(storage.views.issues.count({ companyId, statuses }));

const counted = async (
  sql: postgres.ISql | TestStorage["sql"],
  companyId: CompanyId,
  status: IssueStatus,
) => {
  const [row] = await (sql as TestStorage["sql"])<{ n: string }[]>`
    select count(*) as n from issues where company_id = ${companyId} and status = ${status}`;
  return Number(row!.n);
};

/** The kept counts of each status, of two statuses and of all are those of the issues themselves. */
const expectExact = async (companyId: CompanyId): Promise<void> => {
  const real = await Promise.all(issueStatuses.map((status) => counted(storage.sql, companyId, status)));
  expect(await Promise.all(issueStatuses.map((status) => count(companyId, [status])))).toEqual(real);
  expect(await count(companyId)).toBe(real.reduce((sum, n) => sum + n, 0));
  expect(await count(companyId, [issueStatuses[0], issueStatuses[1]])).toBe(real[0]! + real[1]!);
};

const parts = async (companyId: CompanyId): Promise<number> =>
  (await storage.sql`select from issue_counts where company_id = ${companyId}`).length;

class Undone extends Error {}

describe("The kept count of issues by status", () => {
  it("is that of the issues after any changes, of one or many, stored or undone", async () => {
    const companies = [(await aCompany(storage)).id, (await aCompany(storage)).id];
    const company = fc.constantFrom(...companies);
    const status = fc.constantFrom(...issueStatuses);
    const many = fc.integer({ min: 1, max: 5 });
    type Change = (sql: postgres.ISql) => Promise<unknown>;
    const change = fc.oneof(
      fc.tuple(company, status, many).map(
        ([id, to, n]): Change =>
          (sql) =>
            insert(sql, id, to, n),
      ),
      fc.tuple(company, status, many).map(
        ([id, to, n]): Change =>
          (sql) =>
            sql`
            update issues set status = ${to}
            where  id in (select id from issues where company_id = ${id} order by random() limit ${n})`,
      ),
      fc.tuple(company, many).map(
        ([id, n]): Change =>
          (sql) =>
            sql`
            update issues set title = title || '.'
            where  id in (select id from issues where company_id = ${id} limit ${n})`,
      ),
      fc.tuple(company, many).map(
        ([id, n]): Change =>
          (sql) =>
            sql`
            delete from issues where id in (select id from issues where company_id = ${id} limit ${n})`,
      ),
      fc.tuple(company, company, many).map(
        ([from, to, n]): Change =>
          (sql) =>
            sql`
            update issues set company_id = ${to}
            where  id in (select id from issues where company_id = ${from} limit ${n})`,
      ),
    );
    const transaction = fc.record({
      changes: fc.array(change, { minLength: 1, maxLength: 4 }),
      isUndone: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(transaction, { maxLength: 8 }), async (transactions) => {
        for (const { changes, isUndone } of transactions) {
          const stored = other.begin(async (sql) => {
            for (const each of changes) await each(sql);
            if (isUndone) throw new Undone();
          });
          await stored.catch((error) => {
            if (!(error instanceof Undone)) throw error;
          });
        }
        for (const id of companies) await expectExact(id);
      }),
      { numRuns: 40 },
    );
  });

  it("is exact to the issue inside the transaction that changes it, and for nobody else before its commit", async () => {
    const { id } = await aCompany(storage);
    await other.begin(async (sql) => {
      await insert(sql, id, "todo", 3);
      const [inside] = await sql`select sum(issues) as n from issue_counts where company_id = ${id}`;
      expect(Number(inside!.n)).toBe(3);
      expect(await count(id)).toBe(0);
    });
    expect(await count(id)).toBe(3);
  });

  it("makes nobody wait: issues are created while a transaction that created some is open", async () => {
    const { id } = await aCompany(storage);
    await insert(other, id, "todo");
    await other.begin(async (open) => {
      await insert(open, id, "todo");
      await other.begin(async (sql) => {
        await sql`set local lock_timeout = '5s'`;
        await insert(sql, id, "todo");
      });
      expect(await count(id)).toBe(2);
    });
    expect(await count(id)).toBe(3);
    await expectExact(id);
  });

  it("is exact where many clients create, change and undo at once, and is kept in few rows", async () => {
    const { id } = await aCompany(storage);
    const clients = 12;
    const once = async (client: number, n: number) => {
      const from = issueStatuses[(client + n) % issueStatuses.length]!;
      const to = issueStatuses[(client * n) % issueStatuses.length]!;
      await insert(other, id, from);
      await other`
        update issues set status = ${to}
        where  id in (
                 select id from issues where company_id = ${id} order by id limit 2 for update skip locked
               )`;
      const undone = other.begin(async (sql) => {
        await insert(sql, id, to, 2);
        throw new Undone();
      });
      await undone.catch(() => {});
    };
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let n = 0; n < 20; n++) await once(client, n);
      }),
    );
    await expectExact(id);
    expect(await count(id)).toBe(clients * 20);
    expect(await parts(id)).toBeLessThanOrEqual(clients * issueStatuses.length);
  });

  it("needs one row of a status for one issue after another", async () => {
    const { id } = await aCompany(storage);
    for (let n = 0; n < 20; n++) await insert(other, id, "todo");
    expect(await parts(id)).toBe(1);
  });

  it("counts what the service itself stores", async () => {
    const { id } = await aCompany(storage);
    const issue = await anIssue(storage, { companyId: id, status: "todo" });
    await storage.run(({ issues }) => issues.save({ ...issue, title: "Another" }));
    expect(await count(id, ["todo"])).toBe(1);
    await storage.run(({ issues }) => issues.save({ ...issue, status: "blocked" }));
    expect(await count(id, ["todo"])).toBe(0);
    expect(await count(id, ["blocked"])).toBe(1);
  });
});
