import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "./database.ts";

let databases: TestDatabase[];
beforeAll(async () => {
  databases = await Promise.all([createDatabase(), createDatabase()]);
});
afterAll(() => Promise.all(databases.map((database) => database.drop())));

test("Databases of two test files are independent", async () => {
  const [one, other] = databases.map(({ url }) => postgres(url, { max: 1, onnotice: () => {} }));
  await one!`create table mine (n int)`;
  await expect(other!`select from mine`).rejects.toThrow("does not exist");
  await Promise.all([one!.end(), other!.end()]);
});

test("A database of a test file has the current schema", async () => {
  const sql = postgres(databases[0]!.url, { max: 1, onnotice: () => {} });
  expect((await sql`select from schema_migrations`).length).toBeGreaterThan(0);
  await sql.end();
});

test("A database can be dropped during a connection", async () => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {}, onclose: () => {} });
  await sql`select 1`;
  await database.drop();
  await expect(sql`select 1`).rejects.toThrow();
  await sql.end({ timeout: 0 });
});
