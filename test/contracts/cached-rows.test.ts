import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import type { TextRow } from "../../adapters-infra/postgres/cursor.ts";
import { databaseOf } from "../../adapters-infra/postgres/database.ts";
import { CachedRows, type RowVersion, rowVersion } from "../../adapters-infra/postgres/views/cached-rows.ts";
import { postgresViews } from "../../adapters-infra/postgres/views/index.ts";
import type { Company } from "../../core/model/companies/company.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { IssueId, LabelId } from "../../core/model/shared/ids.ts";
import type { IssueViews } from "../../ports/views/issue-views.ts";
import { aCompany, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";

let storage: TestStorage;
let company: Company;
let issues: IssueViews;

beforeAll(async () => {
  storage = await openTestStorage();
  issues = postgresViews(databaseOf(storage.sql), systemClock).issues;
});
afterAll(() => storage.close());

const sorts = ["priority", "activity", "newest", "created"] as const;

/** The rows of each sort of the list, whole and slim, to a service that has shown these rows before. */
const lists = () =>
  Promise.all(
    sorts.flatMap((sort) =>
      [false, true].map(async (slim) => {
        const { items } = await Effect.runPromise(
          issues.list({ companyId: company.id, sort, slim }, { limit: 50 }),
        );
        return items.map(({ row }) => row).sort((a, b) => a.id.localeCompare(b.id));
      }),
    ),
  );

/** The same of a service that has kept nothing. */
const listsAnew = async () => {
  const before = issues;
  issues = postgresViews(databaseOf(storage.sql), systemClock).issues;
  const read = await lists();
  issues = before;
  return read;
};

const aLabel = async (name: string): Promise<LabelId> => {
  const id = newId<LabelId>();
  await storage.sql`
    insert into labels (id, company_id, name, color, created_at)
    values (${id}, ${company.id}, ${name}, '#112233', now())
  `;
  return id;
};

const tag = (issue: Issue, labelId: LabelId) =>
  storage.sql`
    insert into issue_labels (company_id, issue_id, label_id) values (${company.id}, ${issue.id}, ${labelId})
  `;

describe("A list that a service has shown before", () => {
  let one: Issue;
  let other: Issue;
  let lamp: LabelId;

  /** Each changes the database without the service, as another service does. */
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    "nothing changed": async () => {},
    "a title changed": () => storage.sql`update issues set title = 'Another' where id = ${one.id}`,
    "a title changed and was restored": async () => {
      await storage.sql`update issues set title = 'Passing' where id = ${one.id}`;
      await lists();
      await storage.sql`update issues set title = ${one.title} where id = ${one.id}`;
    },
    "one transaction changed a title twice": () =>
      storage.sql.begin(async (sql) => {
        await sql`update issues set title = 'First' where id = ${one.id}`;
        await sql`update issues set title = 'Second' where id = ${one.id}`;
      }),
    "a change was rolled back": () =>
      storage.sql
        .begin(async (sql) => {
          await sql`update issues set title = 'Never' where id = ${one.id}`;
          throw new Error("Back.");
        })
        .catch(() => {}),
    "an issue got a label": async () => tag(other, await aLabel("Wick")),
    "an issue lost a label": () => storage.sql`delete from issue_labels where issue_id = ${one.id}`,
    "a label was replaced by another": async () =>
      storage.sql`update issue_labels set label_id = ${await aLabel("Oil")} where issue_id = ${one.id}`,
    "a label was renamed": () => storage.sql`update labels set name = 'Lantern' where id = ${lamp}`,
    "a label was deleted": () => storage.sql`delete from labels where id = ${lamp}`,
    "an issue was deleted": () => storage.sql`delete from issues where id = ${other.id}`,
    "an issue was made": () => anIssue(storage, { companyId: company.id, title: "New" }),
    "the table was rewritten": () => storage.sql`vacuum full issues`,
    "a change stands where a deleted row stood": async () => {
      await storage.sql`update issues set title = 'Moved' where id = ${one.id}`;
      await storage.sql`vacuum issues`;
      await storage.sql`update issues set title = 'Moved back' where id = ${one.id}`;
    },
  };

  it.each(Object.keys(changes))("shows what the database has after %s", async (name) => {
    company = await aCompany(storage);
    one = await anIssue(storage, { companyId: company.id, title: "One" });
    other = await anIssue(storage, { companyId: company.id, title: "Other" });
    lamp = await aLabel("Lamp");
    await tag(one, lamp);
    const first = await lists();
    expect(first[0]!.map(({ labels }) => labels.map((label) => label.name))).toEqual([["Lamp"], []]);
    await changes[name]!();
    expect(await lists()).toEqual(await listsAnew());
  });

  it("shows each of many changes at once, while it reads", async () => {
    company = await aCompany(storage);
    const changed = await anIssue(storage, { companyId: company.id, title: "0" });
    for (let n = 1; n <= 100; n++) {
      const reading = lists();
      await storage.sql`update issues set title = ${String(n)} where id = ${changed.id}`;
      await reading;
      for (const rows of await lists()) expect(rows[0]!.title).toBe(String(n));
    }
  });
});

describe("Rows that are kept", () => {
  const asked: IssueId[][] = [];
  const newRows = () =>
    new CachedRows(
      (ids) => (sql) => {
        asked.push([...ids]);
        return sql<(RowVersion & TextRow)[]>`
          select  ${rowVersion(sql)}, json_build_object('title', title) as text
          from    issues
          where   id = any(${ids}::uuid[])
        `;
      },
      (text) => text,
    );
  const versionsOf = (ids: readonly IssueId[]) =>
    Effect.runPromise(
      databaseOf(storage.sql).read(
        (sql) => sql<RowVersion[]>`
          select  ${rowVersion(sql)} from issues where id = any(${ids}::uuid[]) order by id
        `,
      ),
    );
  const find = async (rows: CachedRows, versions: readonly RowVersion[]) =>
    (await Effect.runPromise(rows.find(databaseOf(storage.sql), versions)))?.map(
      ({ text }) => (JSON.parse(text) as { title: string }).title,
    );

  it("are not those of a version that is gone: the list is read again", async () => {
    const { id: companyId } = await aCompany(storage);
    const { id } = await anIssue(storage, { companyId, title: "Before" });
    const rows = newRows();
    const before = await versionsOf([id]);
    await storage.sql`update issues set title = 'After' where id = ${id}`;
    expect(await find(rows, before)).toBeUndefined();
    expect(await find(rows, await versionsOf([id]))).toEqual(["After"]);
    await storage.sql`delete from issues where id = ${id}`;
    expect(await find(newRows(), before)).toBeUndefined();
  });

  it("are read once, and take a bounded memory: the oldest are read again", async () => {
    const { id: companyId } = await aCompany(storage);
    const ids: IssueId[] = [];
    for (const letter of ["a", "b", "c"])
      ids.push((await anIssue(storage, { companyId, title: letter.repeat(1_500_000) })).id);
    const versions = await versionsOf(ids);
    const rows = newRows();
    asked.length = 0;
    const lettersOf = async (some: readonly RowVersion[]) => (await find(rows, some))?.map((text) => text[0]);
    expect(await lettersOf(versions.slice(0, 2))).toEqual(["a", "b"]);
    expect(await lettersOf(versions.slice(0, 2))).toEqual(["a", "b"]);
    expect(await lettersOf(versions)).toEqual(["a", "b", "c"]);
    expect(await lettersOf(versions.slice(1))).toEqual(["b", "c"]);
    expect(await lettersOf(versions.slice(0, 1))).toEqual(["a"]);
    expect(asked).toEqual([ids.slice(0, 2), [ids[2]], [ids[0]]]);
  });
});
