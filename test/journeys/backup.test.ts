import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { backupLock } from "../../adapters-infra/postgres/backup-lock.ts";
import { readMigrations } from "../../adapters-infra/postgres/migrate.ts";
import { backupFileName } from "../../core/model/backups/backup-kind.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { ageWithPassphrase } from "../support/age.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { emptyTables, everyField, furnish, secretValue } from "../support/backup-cases.ts";
import { createDatabase } from "../support/database.ts";
import { laterMigrations } from "../support/later-migrations.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { has } from "../support/needed-programs.ts";
import { startS3 } from "../support/s3-server.ts";
import { startService } from "../support/service.ts";
import { withEmbedded } from "../support/with-embedded.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const masterKey = "5a".repeat(32);
let api: ApiService;
let scratch: string;
let companyId: string;
let before: Awaited<ReturnType<typeof everyField>>;
let file: string;
/** A backup of a database of which another one runs; begun early, because it waits. */
let second: { readonly done: Promise<Done>; readonly end: () => Promise<void> };

interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command line on the service's machine, with settings of its own. */
const boardroom = async (
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Done> => {
  let out = "";
  let err = "";
  const { default: pc } = await import("picocolors");
  const code = await cli(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdin: async () => "",
    env: { SERVICE_DATABASE_DURABLE: "false", ...env },
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { code, out, err };
};
const original = () => ({
  SERVICE_DATA_DIR: api.dataDir,
  DATABASE_URL: api.databaseUrl,
  SERVICE_SECRETS_MASTER_KEY: masterKey,
});
const folder = (name: string) => join(scratch, name);

/** A database whose server carries a commit out, and whose answer is lost with all later connections. */
const cutAtCommit = async (to: URL) => {
  const open = new Set<Socket>();
  let hasCopied = false;
  let isCut = false;
  const proxy = createServer((client) => {
    const server = connect(Number(to.port || 5432), to.hostname);
    for (const socket of [client, server]) open.add(socket.on("error", () => {}));
    client.on("data", (bytes) => {
      // As the client sends it: the text of a statement, with its end. The checks of the database commit, too, before any row.
      const text = bytes.toString("latin1");
      hasCopied ||= text.includes("copy ");
      isCut ||= hasCopied && /\0commit\0/.test(text);
      server.write(bytes, () => {
        if (!isCut) return;
        // Later connections are refused.
        proxy.close();
        client.destroy();
      });
    });
    server.on("data", (bytes) => {
      if (!isCut) client.write(bytes);
    });
    server.on("close", () => client.destroy());
    client.on("close", () => server.end());
    return server;
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(to);
  url.hostname = "127.0.0.1";
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    close: () => {
      for (const socket of open) socket.destroy();
      proxy.close();
    },
  };
};

const backupDuringAnother = async (): Promise<typeof second> => {
  const database = await createDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  await sql`select pg_advisory_lock(${backupLock})`;
  const env = { SERVICE_DATA_DIR: folder("busy"), DATABASE_URL: database.url };
  return {
    done: boardroom(env, "backup", "--to", folder("second-one"), "--json"),
    end: async () => {
      await sql.end();
      await database.drop();
    },
  };
};

beforeAll(async () => {
  scratch = await mkdtemp(join(memoryFolder(), "boardroom-backup-"));
  api = await startApi({ env: { SERVICE_SECRETS_MASTER_KEY: masterKey } });
  ({ companyId } = await furnish(api, 20261123));
  second = await backupDuringAnother();
  before = await everyField(api.databaseUrl);
  const { code, out, err } = await boardroom(original(), "backup", "--to", folder("backups"), "--json");
  expect([code, err]).toEqual([0, ""]);
  ({ file } = JSON.parse(out) as { file: string });
});
afterAll(async () => {
  await second.end();
  await api.stop();
  await rm(scratch, { recursive: true, force: true });
});

describe("A backup of a running service", () => {
  it("covers every table: each has a row in this test", async () => {
    expect(await emptyTables(api.sql)).toEqual([]);
  });

  it("is one file for its owner alone, and reports its hash", async () => {
    expect(await readdir(folder("backups"))).toEqual([file.split("/").at(-1)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { out } = await boardroom(original(), "backup", "--to", folder("second"), "--json");
    const report = JSON.parse(out);
    const bytes = await readFile(report.file);
    expect(report.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(report).toMatchObject({ bytes: bytes.length, blobs: 4, missingBlobs: [], withKey: false });
  });

  it("shows no secret, no key and no token", async () => {
    const tar = gunzipSync(await readFile(file));
    expect(tar.includes("Attachments") || tar.includes("a second file")).toBe(true);
    const token = (await readFile(join(api.dataDir, "board-token"), "utf8")).trim();
    const password = new URL(api.databaseUrl).password;
    for (const text of [secretValue, token, masterKey, ...(password === "" ? [] : [`:${password}@`])])
      expect([text, tar.includes(text)]).toEqual([text, false]);
    expect(tar.includes(Buffer.from(masterKey, "hex"))).toBe(false);
  });

  it("is verified in a scratch database, where the master key opens its secrets", async () => {
    const { code, out, err } = await boardroom(original(), "backup", "verify", file, "--json");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ secrets: "opened", blobs: 4, missingBlobs: [] });
    const output = await boardroom({ SERVICE_DATA_DIR: folder("nowhere") }, "backup", "verify", file);
    expect(output.out).toContain("every count and hash agrees");
    expect(output.out).toContain("No master key is here");
  });
});

describe("Backups", () => {
  it("that begin in the same millisecond have two names", () => {
    const at = new Date("2026-11-24T03:13:33.093Z");
    const names = ["0a", "0b"].map((suffix) =>
      backupFileName({ kind: "manual", encrypt: false }, at.toISOString(), suffix),
    );
    expect(names).toEqual([
      "boardroom-20261124T031333.093Z-0a.tar.gz",
      "boardroom-20261124T031333.093Z-0b.tar.gz",
    ]);
  });

  it("that are made at once are both whole", async () => {
    const made = await Promise.all(
      [1, 2].map(() => boardroom(original(), "backup", "--to", folder("both"), "--json")),
    );
    expect(made.map(({ code }) => code)).toEqual([0, 0]);
    const files = made.map(({ out }) => JSON.parse(out));
    expect((await readdir(folder("both"))).sort()).toEqual(
      files.map(({ file: path }) => basename(path)).sort(),
    );
    for (const { file: path, sha256 } of files)
      expect(
        createHash("sha256")
          .update(await readFile(path))
          .digest("hex"),
      ).toBe(sha256);
  });

  it("that have waited for another one in vain are refused in one sentence, and leave no file", async () => {
    const { code, out, err } = await second.done;
    expect([code, JSON.parse(out || "null")]).toEqual([1, null]);
    expect(err).toContain("Another backup of this database runs. Try again when it has ended.");
    expect(await readdir(folder("second-one"))).toEqual([]);
  });

  it("with the key are refused where the key here is not the database's", async () => {
    await writeFile(folder("a-passphrase"), "correct horse battery\n");
    const { code, err } = await boardroom(
      { ...original(), SERVICE_SECRETS_MASTER_KEY: "11".repeat(32) },
      ...["backup", "--to", folder("other-key"), "--with-key", "--passphrase-file", folder("a-passphrase")],
    );
    expect(code).toBe(1);
    expect(err).toContain("in SERVICE_SECRETS_MASTER_KEY is not the one of the database");
    expect(await readdir(folder("other-key"))).toEqual([]);
  });

  it("lack a file that the store lost, name it, and exit with 1", async () => {
    const lost = join(
      api.dataDir,
      "blobs",
      (await api.sql`select blob_key from assets limit 1`)[0]!.blob_key,
    );
    await rename(lost, `${lost}.away`);
    try {
      const { code, out, err } = await boardroom(original(), "backup", "--to", folder("lacking"), "--json");
      expect(code).toBe(1);
      expect(err).toContain("1 files that the database names are missing in the store");
      const report = JSON.parse(out);
      expect(report.missingBlobs).toHaveLength(1);
    } finally {
      await rename(`${lost}.away`, lost);
    }
  });

  it("go to S3 whole or not at all, and the exit code says which", async () => {
    const s3 = await startS3("backups");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "not a secret");
    try {
      const env = { ...original(), SERVICE_S3_ENDPOINT: s3.url };
      const { code, out } = await boardroom(env, "backup", "--to", "s3://backups/nightly", "--json");
      const report = JSON.parse(out);
      const name = basename(report.file);
      expect([code, report.file]).toEqual([0, `s3://backups/nightly/${name}`]);
      const bytes = s3.objects.get(`nightly/${name}`)!;
      expect(createHash("sha256").update(bytes).digest("hex")).toBe(report.sha256);
      const absent = await boardroom(env, "backup", "--to", "s3://absent", "--json");
      expect([absent.code, absent.out]).toEqual([1, ""]);
      expect(absent.err).toContain("cannot be stored in s3://absent");
      expect([...s3.objects.keys()]).toEqual([`nightly/${name}`]);
    } finally {
      vi.unstubAllEnvs();
      await s3.stop();
    }
  });
});

describe("A restore", () => {
  it("into the embedded database and back to a server keeps every field of every row", async () => {
    const embedded = { SERVICE_DATA_DIR: folder("embedded"), SERVICE_SECRETS_MASTER_KEY: masterKey };
    const restored = await boardroom(embedded, "restore", file, "--json");
    expect([restored.code, restored.err]).toEqual([0, ""]);
    await withEmbedded(folder("embedded"), async (url) => expect(await everyField(url)).toEqual(before));
    expect(await readFile(join(folder("embedded"), "skills/deploying/SKILL.md"), "utf8")).toContain(
      "Deploy.",
    );
    expect(await readFile(join(folder("embedded"), "runners/far.yaml"), "utf8")).toBe("kind: docker\n");
    expect(await readFile(join(folder("embedded"), "adapters/registry.json"), "utf8")).toBe("[]\n");

    const again = await boardroom(embedded, "backup", "--to", folder("back"), "--json");
    expect([again.code, again.err]).toEqual([0, ""]);
    const server = await createDatabase();
    try {
      const sql = postgres(server.url, { max: 1, onnotice: () => {} });
      await sql.unsafe("drop schema public cascade; create schema public");
      await sql.end();
      const env = {
        SERVICE_DATA_DIR: folder("server"),
        DATABASE_URL: server.url,
        SERVICE_SECRETS_MASTER_KEY: masterKey,
      };
      const moved = await boardroom(env, "restore", JSON.parse(again.out).file, "--json");
      expect([moved.code, moved.err]).toEqual([0, ""]);
      expect(await everyField(server.url)).toEqual(before);
    } finally {
      await server.drop();
    }
  });

  it("whose database is committed without an answer keeps its files, and ends when it is repeated", async () => {
    const server = await createDatabase();
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    await sql.unsafe("drop schema public cascade; create schema public");
    const direct = {
      SERVICE_DATA_DIR: folder("unanswered"),
      DATABASE_URL: server.url,
      SERVICE_SECRETS_MASTER_KEY: masterKey,
    };
    const cut = await cutAtCommit(new URL(server.url));
    try {
      expect((await boardroom({ ...direct, DATABASE_URL: cut.url }, "restore", file)).code).toBe(1);
      await vi.waitFor(
        async () => expect(await sql`select from instance_settings where name = 'restored'`).toHaveLength(1),
        { timeout: 60_000 },
      );
      const again = await boardroom(direct, "restore", file, "--json");
      expect([again.code, again.err]).toEqual([0, ""]);
      expect(await everyField(server.url)).toEqual(before);
      expect(
        (await readdir(join(folder("unanswered"), "blobs"), { recursive: true })).length,
      ).toBeGreaterThan(0);
      expect(await readdir(folder("unanswered"))).not.toContain("restoring");
    } finally {
      cut.close();
      await sql.end();
      await server.drop();
    }
  });

  it("gives a service that opens its files and secrets, and holds its agents until they are released", async () => {
    const server = await createDatabase();
    const sql = postgres(server.url, { max: 1, onnotice: () => {} });
    await sql.unsafe("drop schema public cascade; create schema public");
    const env = {
      SERVICE_DATA_DIR: folder("works"),
      DATABASE_URL: server.url,
      SERVICE_SECRETS_MASTER_KEY: masterKey,
    };
    expect((await boardroom(env, "restore", file)).code).toBe(0);
    const service = await startService({ env: { ...env, SERVICE_DATA_DIR: folder("works") } });
    try {
      const health = async () => (await service.request("GET", "/api/health")).body;
      expect(await health()).toMatchObject({ heldAsRestoredSince: expect.any(String) });
      const files = await sql<{ id: string }[]>`select id from assets`;
      for (const { id } of files)
        expect((await service.request("GET", `/api/assets/${id}/content`)).status).toBe(200);
      const agent = (
        await service.request("POST", `/api/companies/${companyId}/agents`, {
          body: { name: "Eager", adapterType: "process", adapterConfig: { command: "true" } },
        })
      ).body;
      const run = (await service.request("POST", `/api/agents/${agent.id}/heartbeat/invoke`)).body;
      const status = async () => (await service.request("GET", `/api/heartbeat-runs/${run.id}`)).body.status;
      // The service claims after each announcement; a later claim than the one for this run has looked.
      await vi.waitFor(async () => expect((await health()).tickAgeSec).not.toBeNull(), { timeout: 60_000 });
      expect(await status()).toBe("queued");
      expect((await service.request("GET", `/api/heartbeat-runs/${run.id}`)).body.whatNext).toBe(
        "It starts when an instance admin releases the restored agents.",
      );
      const released = await service.request("POST", "/api/system/release-after-restore");
      expect(released).toMatchObject({ status: 200, body: { releasedAt: expect.any(String) } });
      await vi.waitFor(async () => expect(await status()).toBe("succeeded"), { timeout: 60_000 });
      expect((await health()).heldAsRestoredSince).toBeNull();
      const { body: activity } = await service.request(
        "GET",
        `/api/companies/${companyId}/activity?limit=20`,
      );
      expect(JSON.stringify(activity)).toContain("company.released_after_restore");
      // Repeated, it changes nothing.
      expect((await service.request("POST", "/api/system/release-after-restore")).body).toEqual(
        released.body,
      );
    } finally {
      await service.stop();
      await sql.end();
      await server.drop();
    }
  });

  it("takes the key and workspaces from an encrypted backup, with the passphrase alone", async () => {
    const workspace = join(api.dataDir, "workspaces", "an-agent");
    await mkdir(join(workspace, "src"), { recursive: true });
    // No text of UTF-8.
    const strange = Buffer.concat([Buffer.from(`${workspace}/src/`), Buffer.from([0xff, 0x0a, 0xe9])]);
    await writeFile(strange, "strange");
    await writeFile(join(workspace, "run.sh"), "#!/bin/sh\n", { mode: 0o750 });
    await symlink("/etc/passwd", join(workspace, "link"));
    spawnSync("mkfifo", [join(workspace, "pipe\u001b[31m")]);
    if (process.getuid?.() === 0) await chown(join(workspace, "run.sh"), 64_001, 64_002);
    await utimes(join(workspace, "src"), 1_000_000, 1_000_000);
    await chmod(join(workspace, "src"), 0o500);
    await writeFile(folder("passphrase"), "correct horse battery\n");
    await writeFile(folder("other"), "another passphrase\n");
    const made = await boardroom(
      original(),
      ...["backup", "--to", folder("sealed"), "--with-key", "--encrypt", "--with-workspaces", "--json"],
      ...["--passphrase-file", folder("passphrase")],
    );
    expect(made.code).toBe(0);
    expect(made.err).toMatch(/^Workspaces and homes have \d+ files, links and folders: /);
    expect(JSON.parse(made.out).workspaces.leftOut).toEqual({
      count: 1,
      names: ["workspaces/an-agent/pipe\\u001b[31m (a socket, a pipe or a device)"],
    });
    expect(made.err).not.toContain("\u001b");
    const sealed = JSON.parse(made.out).file as string;
    expect((await readFile(sealed)).includes("Attachments")).toBe(false);
    const target = { SERVICE_DATA_DIR: folder("unsealed") };
    const wrong = await boardroom(target, "restore", sealed, "--passphrase-file", folder("other"));
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain("The passphrase does not open the backup");
    await expect(stat(folder("unsealed"))).rejects.toThrow("ENOENT");
    const right = await boardroom(target, "restore", sealed, "--passphrase-file", folder("passphrase"));
    expect([right.code, right.err]).toEqual([0, ""]);
    const key = join(folder("unsealed"), "master.key");
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    expect((await readFile(key, "utf8")).trim()).toBe(masterKey);
    const copy = join(folder("unsealed"), "workspaces", "an-agent");
    expect((await readdir(copy)).sort()).toEqual(["link", "run.sh", "src"]);
    expect(await readlink(join(copy, "link"))).toBe("/etc/passwd");
    const [script, source] = [await stat(join(copy, "run.sh")), await stat(join(copy, "src"))];
    expect([script.mode & 0o777, source.mode & 0o777, source.mtimeMs]).toEqual([0o750, 0o500, 1_000_000_000]);
    if (process.getuid?.() === 0) expect([script.uid, script.gid]).toEqual([64_001, 64_002]);
    const moved = Buffer.concat([Buffer.from(`${copy}/src/`), Buffer.from([0xff, 0x0a, 0xe9])]);
    expect(await readFile(moved, "utf8")).toBe("strange");
    // By it the sessions of agents find their workspaces.
    const volume = join("workspaces", ".boardroom-volume");
    expect(await readFile(join(folder("unsealed"), volume), "utf8")).toBe(
      await readFile(join(api.dataDir, volume), "utf8"),
    );
  });

  it.skipIf(!has("age"))("is not needed by an operator who has `age` and `tar`", async () => {
    const [name] = await readdir(folder("sealed"));
    const sealed = join(folder("sealed"), name!);
    const open = (from: string, to: string) =>
      ageWithPassphrase("correct horse battery", "-d", "-o", to, from);
    await open(sealed, folder("opened.tar.gz"));
    const tar = (...args: readonly string[]) =>
      spawnSync("tar", args, {
        cwd: scratch,
        encoding: "utf8",
        env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
      });
    const { status, stdout } = tar("tzf", "opened.tar.gz");
    expect(status).toBe(0);
    for (const member of [
      /^tables\/issues\/000001\.copy$/m,
      /^blobs\/.+/m,
      /^files\/skills\/deploying\/SKILL\.md$/m,
      /^files\/runners\/far\.yaml$/m,
      /^agents\/workspaces\/an-agent\/run\.sh$/m,
      /^master\.key\.age$/m,
      /^manifest\.json$/m,
      /^checksums\/000001$/m,
    ])
      expect(stdout).toMatch(member);
    expect(tar("xzf", "opened.tar.gz", "manifest.json", "tables", "master.key.age").status).toBe(0);
    const manifest = JSON.parse(await readFile(folder("manifest.json"), "utf8"));
    expect(manifest).toMatchObject({ format: 2 });
    const rows = await readFile(folder("tables/companies/000001.copy"), "utf8");
    expect(rows).toContain(`${companyId}\t`);
    await open(folder("master.key.age"), folder("opened.key"));
    expect(await readFile(folder("opened.key"), "utf8")).toBe(`${masterKey}\n`);
  });
});

describe("A backup of another schema", () => {
  let server: Awaited<ReturnType<typeof createDatabase>>;
  let sql: postgres.Sql;
  let env: Readonly<Record<string, string>>;
  let later: Awaited<ReturnType<typeof laterMigrations>>;
  beforeAll(async () => {
    server = await createDatabase();
    sql = postgres(server.url, { max: 1, onnotice: () => {} });
    await sql`
      insert into companies (id, name, status, issue_prefix, created_at, updated_at)
      values (${companyId}, 'Old', 'active', 'OLD', now(), now())
    `;
    later = await laterMigrations("create table names_of_companies as select name from companies");
    env = { SERVICE_DATA_DIR: folder("elder"), DATABASE_URL: server.url };
  });
  afterAll(async () => {
    await later.remove();
    await sql.end();
    await server.drop();
  });

  it("that is older is restored as it was, then migrated", async () => {
    const made = await boardroom(env, "backup", "--to", folder("older"), "--json");
    expect([made.code, made.err]).toEqual([0, ""]);
    const report = JSON.parse(made.out);
    expect(report.schemaVersion).toBe((await readMigrations()).at(-2)!.version);
    await sql.unsafe("drop schema public cascade; create schema public");
    const { code, err } = await boardroom(env, "restore", report.file);
    expect([code, err]).toEqual([0, ""]);
    const versions = (await sql`select version from schema_migrations order by version`).map(
      (row) => row.version,
    );
    expect(versions).toEqual((await readMigrations()).map(({ version }) => version));
    // The migration after the backup's sees its rows.
    expect(await sql`select name from names_of_companies`).toEqual([{ name: "Old" }]);
  });

  it("that is newer is refused in one sentence, and nothing is written", async () => {
    await sql`insert into schema_migrations (version, name, checksum) values (9999, 'later', ${"0".repeat(64)})`;
    const { out } = await boardroom(env, "backup", "--to", folder("newer"), "--json");
    const { code, err } = await boardroom(
      { SERVICE_DATA_DIR: folder("r7") },
      "restore",
      JSON.parse(out).file,
    );
    expect(code).toBe(1);
    expect(err).toMatch(
      /^\S* ?The backup is at schema version 9999, and this version .* knows version \d+ at most\..*\n$/,
    );
    await expect(stat(folder("r7"))).rejects.toThrow("ENOENT");
  });

  it("of a build before the baseline is refused with the sentence that says what to do", async () => {
    await sql`delete from schema_migrations`;
    await sql`
      insert into schema_migrations (version, name, checksum)
      values (1, '001-ground.sql', ${"0".repeat(64)}), (74, '074-titles-of-requests.sql', ${"1".repeat(64)})
    `;
    const { out } = await boardroom(env, "backup", "--to", folder("before-baseline"), "--json");
    const { code, err } = await boardroom(
      { SERVICE_DATA_DIR: folder("r8") },
      "restore",
      JSON.parse(out).file,
    );
    expect(code).toBe(1);
    expect(err).toMatch(/made by an earlier build .* Restore it with the build that made it\.\n$/);
    await expect(stat(folder("r8"))).rejects.toThrow("ENOENT");
  });
});

describe("A refused restore writes nothing, and says why in one sentence:", () => {
  const refusedInto = async (
    name: string,
    env: Readonly<Record<string, string>>,
    path: string,
    sentence: RegExp,
  ) => {
    const { code, out, err } = await boardroom({ SERVICE_DATA_DIR: folder(name), ...env }, "restore", path);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
    await expect(stat(folder(name))).rejects.toThrow("ENOENT");
  };

  it("a wrong key, and none", async () => {
    await refusedInto(
      "r1",
      { SERVICE_SECRETS_MASTER_KEY: "11".repeat(32) },
      file,
      /need the one with fingerprint/,
    );
    await refusedInto("r2", {}, file, /need the master key with fingerprint/);
  });

  it("a truncated file and a changed byte", async () => {
    const bytes = await readFile(file);
    await writeFile(folder("cut"), bytes.subarray(0, bytes.length - 100));
    const refused = (name: string) =>
      refusedInto(
        "r3",
        { SERVICE_SECRETS_MASTER_KEY: masterKey },
        folder(name),
        /was changed|is truncated|is not a backup/,
      );
    await refused("cut");
    for (const at of [0, 1_000, Math.floor(bytes.length / 2), bytes.length - 30, bytes.length - 1]) {
      const other = Buffer.from(bytes);
      other[at] = other[at]! ^ 1;
      await writeFile(folder("changed"), other);
      await refused("changed");
    }
  });

  it("a file that is no backup, and none", async () => {
    await writeFile(folder("text"), "no backup ".repeat(100));
    await refusedInto("r4", { SERVICE_SECRETS_MASTER_KEY: masterKey }, folder("text"), /is not a backup/);
    await refusedInto("r5", { SERVICE_SECRETS_MASTER_KEY: masterKey }, folder("absent"), /There is no file/);
  });

  it("a database that is not empty", async () => {
    await refusedInto(
      "r6",
      { DATABASE_URL: api.databaseUrl, SERVICE_SECRETS_MASTER_KEY: masterKey },
      file,
      /database is not empty/,
    );
    expect(await everyField(api.databaseUrl)).toEqual(before);
  });

  it("a server that accepts connections and closes them", async () => {
    const server = createServer((client) => client.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `postgres://one@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
    try {
      await refusedInto(
        "r8",
        { DATABASE_URL: url, SERVICE_SECRETS_MASTER_KEY: masterKey },
        file,
        /database closed the connection/,
      );
    } finally {
      server.close();
    }
  });

  it("a data directory that is not empty", async () => {
    const { code, err } = await boardroom(original(), "restore", file);
    expect(code).toBe(1);
    expect(err).toContain("is not empty");
  });
});
