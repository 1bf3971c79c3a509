import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type RawAnswer, startService, type TestService } from "../support/service.ts";
import { refusedProgram, serveProgram } from "../support/service-program.ts";

let storage: TestService;
let companyId: string;
let admin: postgres.Sql;
let name: string;

beforeAll(async () => {
  storage = await startService({ role: "api", env: { SERVICE_LOG_LEVEL: "silent" } });
  companyId = (await storage.admin.companies.create({ name: "Outages" })).id;
  const url = new URL(storage.databaseUrl);
  name = url.pathname.slice(1);
  url.pathname = "/postgres";
  admin = postgres(url.href, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await admin?.end();
  await storage?.stop();
});

const endConnections = () => admin`
  select  pg_terminate_backend(pid, 5000)
  from    pg_stat_activity
  where   datname = ${name}
`;

const write = () =>
  storage.request("POST", `/api/companies/${companyId}/issues`, { body: { title: "Written" } });
const seen = ({ status, body, headers }: RawAnswer) => [status, body.code, headers.get("retry-after")];

/** Runs the work during the outage and repairs it in any case. */
const during = async (
  begin: () => Promise<unknown>,
  end: () => Promise<unknown>,
  check: () => Promise<void>,
) => {
  await begin();
  await endConnections();
  try {
    await check();
  } finally {
    await end();
    await eventually(write, ({ status }) => status === 201 || status === 503);
    await endConnections();
  }
  await eventually(write, ({ status }) => status === 201);
};

describe("a database that refuses connections", () => {
  it("is reported with its cause, anonymously too, and the service recovers", async () => {
    await during(
      () => admin.unsafe(`alter database ${name} allow_connections false`),
      () => admin.unsafe(`alter database ${name} allow_connections true`),
      async () => {
        await eventually(write, ({ status }) => status === 503);
        for (const answer of [await write(), await storage.request("GET", "/api/companies")]) {
          expect(seen(answer)).toEqual([503, "database_unavailable", "5"]);
          expect(Object.keys(answer.body)).toEqual(["error", "code"]);
          expect(JSON.stringify(answer.body)).not.toContain(name);
        }
        for (const token of [null, storage.token]) {
          const { status, body } = await storage.request("GET", "/api/health", { token });
          expect([status, body.status, body.code]).toEqual([503, "unhealthy", "database_unavailable"]);
          expect(Object.keys(body)).toEqual(["status", "error", "code"]);
        }
      },
    );
    expect((await storage.request("GET", "/api/health", { token: null })).status).toBe(200);
  });

  it("is reported the same if no connection is left", async () => {
    // Superusers are exempt from the limit; a member of their role owns their tables, and is not.
    const role = `${name}_outages`;
    await admin.unsafe(`create role ${role} login password 'outages' in role ${admin.options.user}`);
    const url = new URL(storage.databaseUrl);
    url.username = role;
    url.password = "outages";
    const guest = await startService({
      sharedWith: storage,
      role: "api",
      env: { DATABASE_URL: url.href, SERVICE_LOG_LEVEL: "silent" },
    });
    const list = () => guest.request("GET", "/api/companies", { token: storage.token });
    try {
      expect((await list()).status).toBe(200);
      await during(
        () => admin.unsafe(`alter database ${name} connection limit 0`),
        () => admin.unsafe(`alter database ${name} connection limit -1`),
        async () => {
          await eventually(list, ({ status }) => status === 503);
          expect(seen(await list())).toEqual([503, "database_unavailable", "5"]);
        },
      );
      await eventually(list, ({ status }) => status === 200);
    } finally {
      await guest.stop();
      await admin.unsafe(`drop role ${role}`);
    }
  });
});

describe("a database that only reads", () => {
  it("refuses changes as an outage, answers reads, and makes health unhealthy", async () => {
    await during(
      () => admin.unsafe(`alter database ${name} set default_transaction_read_only = on`),
      () => admin.unsafe(`alter database ${name} reset default_transaction_read_only`),
      async () => {
        const list = () => storage.request("GET", `/api/companies/${companyId}/issues`);
        const before = await eventually(list, ({ status }) => status === 200);
        expect(seen(await write())).toEqual([503, "database_unavailable", "5"]);
        expect((await list()).body).toHaveLength(before.body.length);
        for (const token of [null, storage.token]) {
          const { status, body } = await storage.request("GET", "/api/health", { token });
          expect([status, body.status, body.code]).toEqual([503, "unhealthy", "database_unavailable"]);
        }
      },
    );
  });
});

describe("a database that fails during the commit of a change", () => {
  it("leaves the outcome unknown, and the answer does not advise a blind retry", async () => {
    const sql = postgres(storage.databaseUrl, { max: 1, onnotice: () => {} });
    await sql`create function take_long() returns trigger language plpgsql as 'begin perform pg_sleep(20); return null; end'`;
    await sql`
      create constraint trigger take_long after insert on issues
      deferrable initially deferred
      for each row execute function take_long()
    `;
    try {
      const written = write();
      await eventually(
        () => admin`
          select  pg_terminate_backend(pid, 5000)
          from    pg_stat_activity
          where   datname = ${name}
          and     query = 'commit'
          and     state = 'active'
        `,
        ({ length }) => length > 0,
      );
      expect(seen(await written)).toEqual([503, "outcome_unknown", null]);
    } finally {
      await sql`drop function take_long cascade`;
      await sql.end();
    }
    await eventually(write, ({ status }) => status === 201);
  });
});

describe("a database that never answers", () => {
  it("does not block a health request", async () => {
    const sql = postgres(storage.databaseUrl, { max: 1, onnotice: () => {} });
    await sql.begin(async (tx) => {
      await tx`lock table runs, services in access exclusive mode`;
      // The answer of a moment ago may still be given.
      const health = await eventually(
        () => storage.request("GET", "/api/health", { token: null }),
        ({ status }) => status === 503,
      );
      expect(health.body.status).toBe("unhealthy");
    });
    await sql.end();
    expect(
      (
        await eventually(
          () => storage.request("GET", "/api/health", { token: null }),
          ({ status }) => status === 200,
        )
      ).status,
    ).toBe(200);
  });
});

/** A disk for one test; null if this user may not mount one. */
const smallDisk = async (options: string): Promise<string | null> => {
  const directory = await mkdtemp(join(tmpdir(), "boardroom-disk-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", directory]));
  await chmod(directory, 0o755);
  return directory;
};

/** Fills the whole disk. */
const fill = async (path: string): Promise<void> => {
  const file = await open(path, "w");
  try {
    for (;;) await file.write(Buffer.alloc(64 * 1024));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
  } finally {
    await file.close();
  }
};

describe("a disk that is full", () => {
  it("is reported to writers and by health, stores nothing partially, and ends once space is free", async ({
    skip,
  }) => {
    const disk = await smallDisk("size=160m");
    if (disk === null) return skip("This user may not mount a disk.");
    const service = await serveProgram(join(disk, "data"), {
      SERVICE_LOG_LEVEL: "silent",
      SERVICE_DATABASE_DURABLE: "true",
    });
    onTestFinished(async () => void (await service.stop()));
    const token = await service.token();
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(service.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() } as RawAnswer;
    };
    const company = (await call("POST", "/api/companies", { name: "Full" })).body;
    const issues = `/api/companies/${company.id}/issues`;
    // The text does not compress, so it needs pages of its own.
    const big = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("hex");
    const writeBig = () => call("POST", issues, { title: "Big", description: big() });
    expect((await writeBig()).status).toBe(201);
    const filler = join(disk, "filler");
    await fill(filler);
    const refused = await eventually(writeBig, ({ status }) => status !== 201);
    expect(seen(refused)).toEqual([503, "storage_full", "30"]);
    expect(JSON.stringify(refused.body)).not.toMatch(/base\/|extend|device/);
    const health = await call("GET", "/api/health");
    expect([health.status, health.body.status, health.body.outage.code]).toEqual([
      200,
      "degraded",
      "storage_full",
    ]);
    const stored = (await call("GET", issues)).body.length;
    expect((await writeBig()).status).toBe(503);
    expect((await call("GET", issues)).body).toHaveLength(stored);
    await rm(filler);
    await eventually(writeBig, ({ status }) => status === 201);
    expect((await call("GET", issues)).body).toHaveLength(stored + 1);
  });

  it.each([
    ["inode", "size=8k,nr_inodes=1"],
    ["room for its keys", "size=4k"],
    ["room for the database", "size=64k"],
    ["room for the log of the database", "size=1m"],
  ])("keeps the service from starting, and says to make room, where there is no %s", async (_, options) => {
    const disk = await smallDisk(options);
    if (disk === null)
      return console.error("This user may not mount a disk: the start on a full one is not tested.");
    const { code, output } = await refusedProgram(join(disk, "data"));
    expect(code).toBe(1);
    expect(output).toMatch(/^boardroom cannot start: .*(ENOSPC|No space left)/);
    expect(output.endsWith(`. Make room on the disk of ${join(disk, "data")}, and start again.\n`)).toBe(
      true,
    );
    expect(output.match(/Make room/g)).toHaveLength(1);
    expect(output).not.toMatch(/another|\.\./i);
  });
});
