import { access, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pc from "picocolors";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { applyIn, createMigrationsTable, readMigrations } from "../../adapters-infra/postgres/migrate.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import type { Log } from "../../hosts/composition/log.ts";
import { openScope } from "../../hosts/composition/open-scope.ts";
import { openStorage } from "../../hosts/composition/open-storage.ts";
import { backups } from "../../hosts/composition/wiring/backup.ts";
import { laterMigrations } from "../support/later-migrations.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { refusedProgram } from "../support/service-program.ts";
import { withEmbedded } from "../support/with-embedded.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let dataDir: string;
let schemaVersion: number;
let later: Awaited<ReturnType<typeof laterMigrations>>;
beforeAll(async () => {
  dataDir = await preparedDataDirectory(await mkdtemp(join(memoryFolder(), "boardroom-upgrade-")));
  later = await laterMigrations("create table upgraded (id integer)");
  schemaVersion = (await readMigrations()).at(-1)!.version;
});
afterAll(async () => {
  await later.remove();
  await rm(dataDir, { recursive: true, force: true });
});

const settings = (env: Readonly<Record<string, string>> = {}) => ({
  SERVICE_DATA_DIR: dataDir,
  SERVICE_DATABASE_DURABLE: "false",
  ...env,
});
const rollBack = async () => {
  let [out, err] = ["", ""];
  const code = await cli(["upgrade", "rollback"], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdin: async () => "",
    env: settings(),
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { code, out, err };
};
const withSql = <T>(work: (sql: postgres.Sql) => Promise<T>) =>
  withEmbedded(dataDir, async (url) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end();
    }
  });
/** Opens the database as a start of the service does, and returns what it says. */
const start = async (env: Readonly<Record<string, string>> = {}) => {
  const output: string[] = [];
  const log = { warn: (text: string) => output.push(text), info: () => {} } as unknown as Log;
  const { close } = await openScope(openStorage(readConfig(settings(env)), log));
  await close();
  return output;
};
const backupFiles = async () => (await readdir(join(dataDir, "backups")).catch(() => [])).sort();
const company = (name: string) => (sql: postgres.Sql) =>
  sql`
    insert into companies (id, name, status, issue_prefix, created_at, updated_at)
    values (gen_random_uuid(), ${name}, 'active', ${name.toUpperCase()}, now(), now())
  `;
const companies = () =>
  withSql(async (sql) => (await sql`select name from companies order by name`).map(({ name }) => name));

describe("An upgrade of the embedded database", () => {
  it("backs it up at its schema before it is migrated, unless a setting turns that off", async () => {
    const older = (version: number) => async (sql: postgres.Sql) => {
      await sql.unsafe("drop schema public cascade; create schema public");
      await createMigrationsTable(sql);
      for (const migration of (await readMigrations()).filter((each) => each.version <= version))
        await sql.begin((tx) => applyIn(tx as unknown as postgres.Sql, migration));
    };
    await withSql(older(schemaVersion - 1));
    await start({ SERVICE_BACKUP_BEFORE_MIGRATION: "false" });
    expect(await backupFiles()).toEqual([]);

    await withSql(older(schemaVersion - 1));
    await withSql(company("Before"));
    const output = await start();
    const [name] = await backupFiles();
    expect(name).toMatch(/^boardroom-before-migration-.*\.tar\.gz$/);
    expect(output[0]).toContain(join(dataDir, "backups", name!));
    expect(output[0]).toContain("boardroom upgrade rollback");
    // Nothing is to be migrated at the next start.
    expect(await start()).toEqual([]);
    expect(await backupFiles()).toEqual([name]);
  });

  it("is not undone by the version that would migrate it again: the sentence says which to install", async () => {
    const { code, err } = await rollBack();
    expect(code).toBe(1);
    expect(err).toContain(`(schema version ${schemaVersion - 1})`);
    expect(err).toContain("Install the former version");
    expect(await companies()).toEqual(["Before"]);
  });

  it("that cannot be backed up is not made", async () => {
    await withSql((sql) => sql`delete from schema_migrations where version = ${schemaVersion}`);
    await rm(join(dataDir, "backups"), { recursive: true });
    await writeFile(join(dataDir, "backups"), "");
    await expect(start()).rejects.toThrow(/backup before the migration failed.*Nothing was migrated/);
    await rm(join(dataDir, "backups"));
    const migration = (await readMigrations()).at(-1)!;
    const { version, name, checksum } = migration;
    await withSql((sql) => sql`insert into schema_migrations ${sql({ version, name, checksum })}`);
  });

  it("is undone with the version that made the backup; an interrupted rollback keeps services away and is repeated", async () => {
    await withEmbedded(dataDir, (url) =>
      backups.make(
        { ...readConfig(settings()), databaseUrl: url },
        {
          kind: "before_migration",
          to: join(dataDir, "backups"),
          passphrase: null,
          withKey: false,
          encrypt: false,
        },
      ),
    );
    await withSql(company("After"));
    const masterKey = await readFile(join(dataDir, "master.key"), "utf8").catch(() => null);
    const done = await rollBack();
    expect([done.code, done.err]).toEqual([0, ""]);
    expect(await companies()).toEqual(["Before"]);
    expect(await readFile(join(dataDir, "master.key"), "utf8").catch(() => null)).toBe(masterKey);
    const former = (await readdir(dataDir)).find((name) => name.startsWith("before-rollback-"))!;
    expect(await readdir(join(dataDir, former))).toContain("database");

    // As after SIGKILL between the first two renames of the next one.
    await writeFile(join(dataDir, "rolling-back"), `${former}-2\n`);
    const refused = await refusedProgram(dataDir);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("Run `boardroom upgrade rollback` again");
    expect((await rollBack()).code).toBe(0);
    await expect(access(join(dataDir, "rolling-back"))).rejects.toThrow("ENOENT");
    expect(await companies()).toEqual(["Before"]);
  });
});
