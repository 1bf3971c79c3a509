import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";
import { backupStages } from "../../hosts/composition/backup/make-backup.ts";
import { restoreStages } from "../../hosts/composition/backup/restore-backup.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { everyField, furnish } from "../support/backup-cases.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { stateOf } from "../support/run-processes.ts";
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

/** Runs it until it suspends itself at that stage, and kills it there. */
const killedAt = async (stage: string, env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [stopping], {
    env: { PATH: process.env.PATH, ...key, SERVICE_DATABASE_DURABLE: "false", ...env, STOP_AT: stage },
    stdio: ["ignore", "inherit", "inherit"],
  });
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
  await furnish(api, 20261124);
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
      await killedAt(stage, { ...env, MADE_IN: folder });
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
        await killedAt(stage, { ...env, SERVICE_DATA_DIR: dataDir, RESTORED_FROM: file });
        const tables = await sql`select from pg_tables where schemaname = 'public'`;
        const isWhole = stage === "ending" || stage === "restored";
        expect([stage, tables.length > 0]).toEqual([stage, isWhole]);
        const isMarked = await isThere(join(dataDir, "restoring"));
        expect([stage, isMarked]).toEqual([stage, stage !== "checking" && stage !== "restored"]);
        if (stage !== "ending") continue;
        const refused = await refusedProgram(dataDir, { ...key, ...env });
        expect(refused.code).toBe(1);
        expect(refused.said).toContain("has not ended. Run `boardroom restore` again");
      }
      expect(await everyField(database.url)).toEqual(before);
    } finally {
      await sql.end();
      await database.drop();
    }
  });

  it("before and after the commit of an embedded database is repeated", async () => {
    const env = { SERVICE_DATA_DIR: join(scratch, "embedded") };
    for (const stage of ["database", "ending"]) await killedAt(stage, { ...env, RESTORED_FROM: file });
    const again = await boardroom(env, "restore", file);
    expect([again.code, again.err]).toEqual([0, ""]);
    await withEmbedded(env.SERVICE_DATA_DIR, async (url) => expect(await everyField(url)).toEqual(before));
    expect(await isThere(join(env.SERVICE_DATA_DIR, "restoring"))).toBe(false);
  });
});
