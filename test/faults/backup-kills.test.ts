import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { backupStages } from "../../adapters-infra/backup/make-backup.ts";
import { restoreStages } from "../../adapters-infra/backup/restore-backup.ts";
import { exchangeStages } from "../../adapters-infra/backup/roll-back.ts";
import { exportStages } from "../../adapters-infra/company-move/export-company.ts";
import { importStages } from "../../adapters-infra/company-move/import-company.ts";
import { readMigrations } from "../../adapters-infra/postgres/migrate.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { backups } from "../../hosts/composition/wiring/backup.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { everyField, furnish } from "../support/backup-cases.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { laterMigrations } from "../support/later-migrations.ts";
import { stateOf } from "../support/run-processes.ts";
import { sampled } from "../support/sample.ts";
import { refusedProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";
import { withEmbedded } from "../support/with-embedded.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const key = { SERVICE_SECRETS_MASTER_KEY: "5a".repeat(32) };
let api: ApiService;
let scratch: string;
let stopping: string;
let before: Awaited<ReturnType<typeof everyField>>;
let file: string;
let companyId: string;

const boardroom = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
  let [out, err] = ["", ""];
  const code = await cli(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdin: async () => "",
    env: { ...key, SERVICE_DATABASE_DURABLE: "false", ...env },
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { code, out, err };
};

const begin = (stage: string, env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, [stopping], {
    env: { PATH: process.env.PATH, ...key, SERVICE_DATABASE_DURABLE: "false", ...env, STOP_AT: stage },
    stdio: ["ignore", "inherit", "inherit"],
  });

/** Runs it until it suspends itself at that stage, and kills it there. */
const killedAt = async (stage: string, env: Readonly<Record<string, string>>) => {
  const child = begin(stage, env);
  const ended = once(child, "close");
  const state = await eventually(
    async () => (child.exitCode === null ? stateOf(child.pid!) : "ended"),
    (now) => now === "T" || now === "ended",
    { everyMs: 5 },
  );
  child.kill("SIGKILL");
  await ended;
  expect(state).toBe("T");
};

beforeAll(async () => {
  [scratch, stopping, api] = await Promise.all([
    mkdtemp(join(tmpdir(), "boardroom-kills-")),
    buildStoppingProgram("stopping-backup"),
    startApi({ env: key }),
  ]);
  ({ companyId } = await furnish(api, 20261124));
  before = await everyField(api.databaseUrl);
});
afterAll(async () => {
  await api.stop();
  await rm(scratch, { recursive: true, force: true });
});

describe("A backup that is killed", () => {
  it("at any stage leaves no file under a backup's name but whole ones, and the next one succeeds", async () => {
    const folder = join(scratch, "made");
    const env = { SERVICE_DATA_DIR: api.dataDir, DATABASE_URL: api.databaseUrl };
    const whole = async () => (await readdir(folder)).filter((name) => !name.endsWith(".partial")).sort();
    const first = await boardroom(env, "backup", "--to", folder, "--json");
    file = JSON.parse(first.out).file;
    const bytes = await readFile(file);
    const there = await whole();
    for (const stage of backupStages) {
      await killedAt(stage, { ...env, WORK: "backup", FILE: folder });
      // At the last one the file is stored.
      expect([stage, (await whole()).length]).toEqual([stage, there.length + (stage === "stored" ? 1 : 0)]);
    }
    expect(await readFile(file)).toEqual(bytes);
    // Its lock went with it.
    const next = await boardroom(env, "backup", "--to", folder, "--json");
    expect([next.code, next.err]).toEqual([0, ""]);
    // The restores below read the one whose maker was killed.
    file = join(folder, (await whole()).find((name) => !there.includes(name) && !next.out.includes(name))!);
  });
});

describe("A move of a company that is killed", () => {
  it("at any stage leaves a whole company or none, and its files to the sweep", async () => {
    const folder = join(scratch, "moved");
    const path = join(folder, "company");
    const env = { SERVICE_DATA_DIR: api.dataDir, DATABASE_URL: api.databaseUrl };
    for (const stage of exportStages) {
      await rm(path, { force: true });
      await killedAt(stage, { ...env, WORK: "export", COMPANY: companyId, FILE: path });
      expect([stage, await isThere(path)]).toEqual([stage, stage === "stored"]);
    }
    const copies = () => api.sql<{ id: string }[]>`select id from companies where name = 'Killed copy'`;
    const loose = async () =>
      (await api.sql`select from loose_blobs where blob_key like 'moved/%' and due_at > now()`).length;
    for (const stage of importStages) {
      const before = await loose();
      await killedAt(stage, { ...env, WORK: "import", COMPANY: "Killed copy", FILE: path });
      const isDone = stage === "imported";
      await eventually(
        () => api.sql`select from pg_stat_activity where query like '%moving_%' and pid <> pg_backend_pid()`,
        (left) => left.length === 0,
      );
      expect([stage, (await copies()).length]).toEqual([stage, isDone ? 1 : 0]);
      expect([stage, (await loose()) > before]).toEqual([stage, stage === "database"]);
    }
    const [copy] = await copies();
    const counts = await api.sql<{ count: number }[]>`
      select count(*)::int as count from issues where company_id in ${api.sql([companyId, copy!.id])} group by company_id
    `;
    expect(counts[0]).toEqual(counts[1]);
    await once(begin("", { ...env, WORK: "import", COMPANY: "Killed copy", FILE: path }), "close");
    expect(await copies()).toHaveLength(2);
  });
});

describe("A scheduled backup that is killed with its service", () => {
  it("at any stage is taken by the next one, and is never a file under a backup's name that is not whole", async () => {
    const folder = join(scratch, "scheduled");
    const env = {
      ...{ SERVICE_DATA_DIR: api.dataDir, DATABASE_URL: api.databaseUrl, SERVICE_BACKUP_TO: folder },
      WORK: "scheduled",
    };
    const whole = async () => (await readdir(folder)).filter((name) => name.endsWith(".tar.gz"));
    const state = async () =>
      (await api.sql`select value from instance_settings where name = 'backups'`)[0]?.value;
    // The first look only begins the schedule.
    await once(begin("", env), "close");
    const due = () =>
      api.sql`
        update instance_settings
        set    value = value || '{"dueAt": "2026-01-01T00:00:00.000Z"}'
        where  name = 'backups'`;
    await due();
    // Scheduled ones have no workspaces.
    for (const stage of backupStages.filter((each) => each !== "workspaces")) {
      await killedAt(stage, env);
      expect([stage, (await whole()).length]).toEqual([stage, stage === "stored" ? 1 : 0]);
      expect([stage, await state()]).toMatchObject([stage, { kept: [], claimedBy: expect.any(String) }]);
    }
    await once(begin("", env), "close");
    expect(await state()).toMatchObject({ claimedBy: null, failure: null });
    const [backup] = (await state()).kept;
    expect((await whole()).map((name) => join(folder, name))).toContain(backup.file);
    expect(await boardroom(env, "backup", "verify", backup.file)).toMatchObject({ code: 0, err: "" });
    await api.sql`delete from instance_settings where name = 'backups'`;
  });
});

describe("A migration that is killed", () => {
  it("between its steps and within one leaves whole steps, and the next start ends it", async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 2, onnotice: () => {} });
    const former = await readMigrations();
    const later = await laterMigrations(
      "create table part (id integer); alter table documents add column novelty integer",
      ...Array.from({ length: 6 }, (_, step) => `create table step_${step} (id integer)`),
    );
    const all = await readMigrations();
    const versions = async () =>
      (await sql<{ version: number }[]>`select version from schema_migrations order by version`).map(
        ({ version }) => version,
      );
    try {
      const env = {
        ...{ DATABASE_URL: database.url, SERVICE_DATA_DIR: scratch, WORK: "migrate" },
        MIGRATIONS: later.folder,
      };
      const companyId = randomUUID();
      await sql`
        insert into companies (id, name, status, issue_prefix, created_at, updated_at)
        values (${companyId}, 'Old', 'active', 'OLD', now(), now())`;

      // Within: it waits for a lock that others have, with part of its step done.
      const lockHolder = await sql.reserve();
      await lockHolder`begin`;
      await lockHolder`lock table documents in access exclusive mode`;
      const child = begin("nowhere", env);
      const ended = once(child, "close");
      await eventually(
        () => sql`select from pg_locks where not granted and relation = 'documents'::regclass`,
        (waiting) => waiting.length > 0,
      );
      child.kill("SIGKILL");
      await ended;
      await lockHolder`commit`;
      lockHolder.release();
      await eventually(
        () =>
          sql`select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
        (locks) => locks.length === 0,
      );
      expect(await versions()).toEqual(former.map(({ version }) => version));
      expect(await sql`select from pg_class where relname = 'part'`).toEqual([]);

      // Between: before a step.
      for (const { name, version: next } of sampled(all.slice(former.length), 6)) {
        await killedAt(name, env);
        const done = all.filter(({ version }) => version < next);
        expect(await versions()).toEqual(done.map(({ version }) => version));
      }
      expect(await once(begin("nowhere", env), "close")).toEqual([0, null]);
      expect(await versions()).toEqual(all.map(({ version }) => version));
      expect(await sql`select id from companies`).toEqual([{ id: companyId }]);
    } finally {
      await later.remove();
      await sql.end();
      await database.drop();
    }
  });
});

describe("A rollback that is killed", () => {
  it("at any step of its exchange keeps services away, and its repetition continues", async () => {
    const env = {
      SERVICE_DATA_DIR: join(scratch, "rolled-back"),
      SERVICE_SECRETS_MASTER_KEY: "5a".repeat(32),
    };
    const dataDir = env.SERVICE_DATA_DIR;
    expect((await boardroom(env, "restore", file)).code).toBe(0);
    await withEmbedded(dataDir, (url) =>
      backups.make(
        { ...readConfig({ ...key, ...env }), databaseUrl: url },
        {
          ...{ kind: "before_migration", passphrase: null, withKey: false, encrypt: false },
          to: join(dataDir, "backups"),
        },
      ),
    );
    await withEmbedded(dataDir, async (url) => {
      const sql = postgres(url, { max: 1 });
      await sql`update companies set name = 'After the upgrade'`;
      await sql.end();
    });
    for (const stage of exchangeStages) {
      await killedAt(stage, { ...env, WORK: "rollback" });
      const refused = await refusedProgram(dataDir, { ...key });
      expect([stage, refused.code]).toEqual([stage, 1]);
      expect(refused.output).toContain("Run `boardroom upgrade rollback` again");
    }
    const done = await boardroom(env, "upgrade", "rollback");
    expect([done.code, done.err]).toEqual([0, ""]);
    await withEmbedded(dataDir, async (url) => expect(await everyField(url)).toEqual(before));
    const former = (await readdir(dataDir)).filter((name) => name.startsWith("before-rollback-"));
    expect(former).toHaveLength(1);
    expect(await readdir(join(dataDir, former[0]!))).toContain("database");
    expect(await isThere(join(dataDir, "rollback"))).toBe(false);
  });
});

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe("A restore that is killed", () => {
  it("at any stage leaves a server's database empty or whole, and each repetition continues", async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1, onnotice: () => {} });
    try {
      await sql.unsafe("drop schema public cascade; create schema public");
      const dataDir = join(scratch, "server");
      const env = { DATABASE_URL: database.url };
      for (const stage of restoreStages) {
        await killedAt(stage, {
          ...env,
          SERVICE_DATA_DIR: dataDir,
          WORK: "restore",
          FILE: file,
        });
        const tables = await sql`select from pg_tables where schemaname = 'public'`;
        const isWhole = stage === "ending" || stage === "restored";
        expect([stage, tables.length > 0]).toEqual([stage, isWhole]);
        const isMarked = await isThere(join(dataDir, "restoring"));
        expect([stage, isMarked]).toEqual([stage, stage !== "checking" && stage !== "restored"]);
        if (stage !== "ending") continue;
        const refused = await refusedProgram(dataDir, { ...key, ...env });
        expect(refused.code).toBe(1);
        expect(refused.output).toContain("didn't finish. Run `boardroom restore` again");
      }
      expect(await everyField(database.url)).toEqual(before);
    } finally {
      await sql.end();
      await database.drop();
    }
  });

  it("before and after the commit of an embedded database is repeated", async () => {
    const env = { SERVICE_DATA_DIR: join(scratch, "embedded") };
    for (const stage of ["database", "ending"])
      await killedAt(stage, { ...env, WORK: "restore", FILE: file });
    const again = await boardroom(env, "restore", file);
    expect([again.code, again.err]).toEqual([0, ""]);
    await withEmbedded(env.SERVICE_DATA_DIR, async (url) => expect(await everyField(url)).toEqual(before));
    expect(await isThere(join(env.SERVICE_DATA_DIR, "restoring"))).toBe(false);
  });
});
