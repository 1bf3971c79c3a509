import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { decrypt } from "../../adapters-infra/backup/age.ts";
import { wholeOf } from "../../adapters-infra/backup/archive-writer.ts";
import { checkBackup } from "../../adapters-infra/backup/read-backup.ts";
import { readMasterKey } from "../../adapters-infra/local/master-key.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import { backups } from "../../hosts/composition/wiring/backup.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hurriedService } from "../support/hurried-service.ts";

const everyMs = 60_000;
const daySec = 86_400;

let database: TestDatabase;
let sql: postgres.Sql;
let directory: string;
beforeAll(async () => {
  [database, directory] = await Promise.all([
    createDatabase(),
    mkdtemp(join(tmpdir(), "boardroom-scheduled-")),
  ]);
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

type Service = Awaited<ReturnType<typeof hurriedService>>;
const services: Service[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
  await sql`delete from instance_settings where name = 'backups'`;
});
const open = async (name: string, to: string, env: Readonly<Record<string, string>> = {}) => {
  const service = await hurriedService(
    { dataDir: join(directory, name), databaseUrl: database.url, everyMs },
    { SERVICE_BACKUP_TO: join(directory, to), SERVICE_BACKUP_KEEP: "2,0,0", ...env },
  );
  services.push(service);
  return service;
};
const shown = async ({ client }: Service) => (await client.system.health({})).backups;
const files = async (to: string) => (await readdir(join(directory, to)).catch(() => [])).sort();
const instanceEntries = async ({ client }: Service) =>
  (await client.inbox.list({})).items.filter(({ companyId }) => companyId === null);

describe("Scheduled backups", () => {
  it("are taken once at each tick by one of several services, and outdated ones are deleted", async () => {
    const [one, two] = [await open("one", "shared"), await open("two", "shared")];
    await eventually(
      () => shown(one),
      (backups) => backups !== null,
    );
    const made: string[] = [];
    for (let day = 1; day <= 3; day++) {
      for (const service of [one, two]) service.advance(daySec);
      const backups = await eventually(
        () => shown(one),
        (now) => now?.last != null && !made.includes(now.last.file) && now.kept <= 2,
      );
      made.push(backups!.last!.file);
      expect(backups).toMatchObject({ trouble: null, kept: Math.min(day, 2) });
      expect(backups!.last!.bytes).toBe((await stat(backups!.last!.file)).size);
      // Both have looked since, and nothing is due.
      for (const service of [one, two]) {
        const rounds = service.rounds();
        await eventually(
          async () => service.rounds(),
          (count) => count > rounds + 6,
        );
      }
      await eventually(
        () => files("shared"),
        (names) => names.length === Math.min(day, 2),
      );
    }
    expect(await files("shared")).toEqual(
      made
        .slice(1)
        .map((file) => basename(file))
        .sort(),
    );
    expect(made.every((file) => basename(file).startsWith("boardroom-scheduled-"))).toBe(true);
    const metrics = await one.client.system.metrics({});
    expect(String(metrics)).toMatch(/^boardroom_backup_bytes [1-9]\d+$/m);
    expect(String(metrics)).toMatch(/^boardroom_backup_trouble 0$/m);
  });

  it("that fail are an entry in the inbox of admins, and are tried again", async () => {
    // A file is where the folder should be.
    await writeFile(join(directory, "blocked"), "");
    const service = await open("failing", "blocked");
    await eventually(
      () => shown(service),
      (backups) => backups !== null,
    );
    expect(await instanceEntries(service)).toEqual([]);
    service.advance(daySec);
    const backups = await eventually(
      () => shown(service),
      (now) => now?.trouble?.includes("Next attempt at") === true,
    );
    expect(backups).toMatchObject({ last: null, kept: 0 });
    expect(await instanceEntries(service)).toMatchObject([
      {
        kind: "failed_backup",
        subject: { type: "backup", title: "Scheduled backup" },
        reason: backups!.trouble,
      },
    ]);
    expect(await service.client.inbox.counts({})).toEqual([{ companyId: null, waiting: 1, news: 0 }]);
    await rm(join(directory, "blocked"));
    service.advance(601);
    await eventually(
      () => shown(service),
      (now) => now?.last != null && now.trouble === null,
    );
    expect(await instanceEntries(service)).toEqual([]);
  });

  it("are encrypted with the key inside, where a file has a passphrase, and fail without it", async () => {
    const passphraseFile = join(directory, "passphrase");
    const service = await open("sealed", "sealed-ones", { SERVICE_BACKUP_PASSPHRASE_FILE: passphraseFile });
    await eventually(
      () => shown(service),
      (backups) => backups !== null,
    );
    service.advance(daySec);
    const refused = await eventually(
      () => shown(service),
      (now) => now?.trouble?.includes("Next attempt at") === true,
    );
    expect(refused!.trouble).toContain(
      `SERVICE_BACKUP_PASSPHRASE_FILE: ${passphraseFile} cannot be read (ENOENT)`,
    );
    expect(await files("sealed-ones")).toEqual([]);
    await writeFile(passphraseFile, "correct horse battery\n");
    service.advance(601);
    const { last } = (await eventually(
      () => shown(service),
      (now) => now?.last != null && now.trouble === null,
      // It is tried again with the next minute.
      { withinMs: 240_000 },
    ))!;
    expect(last!.file).toMatch(/boardroom-scheduled-.*\.tar\.gz\.age$/);
    const { manifest, encryptedKey } = await checkBackup({
      path: last!.file,
      passphrase: "correct horse battery",
    });
    const key = await wholeOf(decrypt([encryptedKey!], "correct horse battery"));
    expect(readMasterKey(key.toString().trim())!.fingerprint).toBe(manifest.masterKey.fingerprint);
    await expect(checkBackup({ path: last!.file, passphrase: null })).rejects.toThrow("is encrypted");
  });

  it("of a service that died are taken by the next one, and a restored copy takes none while it is held", async () => {
    const service = await open("heir", "inherited");
    await eventually(
      () => shown(service),
      (backups) => backups !== null,
    );
    await sql`insert into instance_settings (name, value) values ('restored', '{"id": "x", "heldSince": "2026-01-01T00:00:00.000Z"}')`;
    await sql`update instance_settings set value = value || jsonb_build_object('claimedBy', gen_random_uuid()) where name = 'backups'`;
    service.advance(daySec);
    const rounds = service.rounds();
    await eventually(
      async () => service.rounds(),
      (count) => count > rounds + 6,
    );
    expect(await files("inherited")).toEqual([]);
    await service.client.system.releaseAfterRestore({});
    await eventually(
      () => shown(service),
      (now) => now?.last != null,
    );
    expect(await files("inherited")).toHaveLength(1);
    await sql`delete from instance_settings where name = 'restored'`;
  });

  it("are taken at once for an admin who asks, and continue as scheduled", async () => {
    const service = await open("asked", "asked-for");
    const { id: companyId } = await service.client.companies.create({ name: "Harbour Works" });
    const { dueAt } = (await eventually(
      () => shown(service),
      (backups) => backups !== null,
    ))!;
    const asked = await service.client.system.backUp({});
    expect(asked).toMatchObject({ isScheduled: true, isEncrypted: false, problem: null });
    expect(asked.requestedAt).not.toBeNull();
    const logged = async () =>
      (await service.client.activity.list({ companyId })).items.filter(
        ({ action }) => action === "company.backup_requested",
      );
    expect(await logged()).toMatchObject([
      { entityType: "company", entityId: companyId, actorType: "board" },
    ]);
    const protection = await eventually(
      () => service.client.system.backups({}),
      ({ last, requestedAt }) => last !== null && requestedAt === null,
    );
    expect(protection).toMatchObject({ kept: 1, dueAt, to: join(directory, "asked-for") });
    expect(protection.last!.bytes).toBe((await stat(protection.last!.file)).size);
  });

  it("are an entry in the inbox of admins where there has been none for seven days, also by the command", async () => {
    const service = await open("unprotected", "by-hand", { SERVICE_BACKUP_TO: "" });
    await expect(service.client.system.backUp({})).rejects.toThrow("SERVICE_BACKUP_TO");
    expect(await service.client.system.backups({})).toMatchObject({
      isScheduled: false,
      last: null,
      problem: null,
    });
    expect(await instanceEntries(service)).toEqual([]);
    service.advance(8 * daySec);
    const { problem } = await service.client.system.backups({});
    expect(await instanceEntries(service)).toMatchObject([
      { kind: "no_backup", subject: { type: "backup" }, reason: problem, actions: [] },
    ]);
    const config = readConfig({
      SERVICE_DATA_DIR: join(directory, "unprotected"),
      DATABASE_URL: database.url,
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    });
    const to = join(directory, "by-hand");
    const made = { kind: "manual", to, passphrase: null, withKey: false, encrypt: false } as const;
    const { file } = await backups.make(config, made);
    expect((await service.client.system.backups({})).last?.file).toBe(file);
    await sql`delete from instance_settings where name = 'manual_backup'`;
  });

  it("are not shown where none are scheduled, and a wrong schedule ends the start with the setting's name", async () => {
    const service = await open("without", "none", { SERVICE_BACKUP_TO: "" });
    expect(await shown(service)).toBeNull();
    await expect(open("wrong", "none", { SERVICE_BACKUP_AT: "every day" })).rejects.toThrow(
      "SERVICE_BACKUP_AT: ",
    );
    await expect(open("wrong", "none", { SERVICE_BACKUP_KEEP: "7" })).rejects.toThrow(
      "SERVICE_BACKUP_KEEP: ",
    );
  });
});
