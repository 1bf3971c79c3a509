import { randomUUID } from "node:crypto";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { migrate } from "../../adapters-infra/postgres/migrate.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";

const shipped = join(import.meta.dirname, "../../adapters-infra/postgres/migrations");
const at = "2026-01-01T00:00:00.000Z";

let database: TestDatabase;
let sql: Sql;
let folder: string;
const [company, admin, operator] = [randomUUID(), randomUUID(), randomUUID()];

/** Applies the migrations before the one that adds grants, or all. */
const bringUp = () => Effect.runPromise(migrate(sql, { folder: pathToFileURL(`${folder}/`) }));

beforeAll(async () => {
  database = await createDatabase();
  sql = openDatabase(database.url, { max: 2 });
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  folder = await mkdtemp(join(tmpdir(), "granted-"));
  const names = (await readdir(shipped)).sort();
  const own = names.findIndex((name) => name.endsWith("-granted-paths.sql"));
  for (const name of names.slice(0, own)) await cp(join(shipped, name), join(folder, name));
  await bringUp();
  await sql`
    insert into companies (id, name, status, issue_prefix, created_at, updated_at)
    values (${company}, 'Acme', 'active', 'ACM', ${at}, ${at})
  `;
  await sql`
    insert into board_users (id, name, is_admin, created_at)
    values (${admin}, 'Admin', true, ${at}), (${operator}, 'Operator', false, ${at})
  `;
  for (const name of names.slice(own)) await cp(join(shipped, name), join(folder, name));
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.drop();
  await rm(folder, { recursive: true });
});

/** An agent whose configuration was set in these steps. */
const anAgent = async (steps: readonly (readonly [by: string, adapterConfig: object])[]) => {
  const id = randomUUID();
  const last = steps.at(-1)![1];
  await sql`
    insert into agents (
      id, company_id, name, url_key, role, standing, adapter_type, adapter_config, runtime_config, created_at, updated_at
    )
    values (
      ${id}, ${company}, ${id}, ${id}, 'general', 'active', 'process', ${sql.json(last as never)}, '{}', ${at}, ${at}
    )
  `;
  let before: object | null = null;
  for (const [number, [by, adapterConfig]] of steps.entries()) {
    const after = { adapterConfig };
    await sql`
      insert into agent_config_revisions (
        id, company_id, agent_id, source, changed_keys, before_config, after_config, created_by_user_id, created_at
      )
      values (
        ${randomUUID()}, ${company}, ${id}, ${before === null ? "create" : "patch"}, ${["adapterConfig"]},
        ${before === null ? null : sql.json(before as never)}, ${sql.json(after as never)}, ${by},
        ${new Date(Date.parse(at) + number * 1000)}
      )
    `;
    before = after;
  }
  return id;
};

it("An upgrade grants the paths whose present value an instance admin has set, and no others", async () => {
  const command = "/srv/agent.sh";
  const byAdmin = await anAgent([
    [admin, { command, cwd: "/srv/project", env: { CODEX_HOME: { type: "plain", value: "/srv/codex" } } }],
    [
      operator,
      { command, cwd: "/root", env: { CODEX_HOME: { type: "plain", value: "/srv/codex" } }, timeoutSec: 3 },
    ],
  ]);
  const byOperator = await anAgent([
    [operator, { command, args: ["/srv/x/y"], env: { PATH: "/usr/bin:/root/bin" } }],
  ]);
  const back = await anAgent([
    [admin, { command }],
    [operator, { command: "/bin/true" }],
    [operator, { command }],
  ]);
  const spelled = await anAgent([
    [admin, { command: "/srv/../root/agent.sh", cwd: "/srv//x", args: ["/srv/a", 1] }],
  ]);
  await bringUp();
  const granted = async (id: string) =>
    (await sql`select granted_paths from agents where id = ${id}`)[0]?.grantedPaths;
  const grant = (path: string, access: string) => ({ path, real: path, access });
  const kept = (await granted(byAdmin)) as { path: string }[];
  expect(kept.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    grant(command, "read"),
    grant("/srv/codex", "write"),
  ]);
  expect(await granted(byOperator)).toEqual([]);
  expect(await granted(back)).toEqual([]);
  expect(await granted(spelled)).toEqual([grant("/srv/a", "read")]);
});
