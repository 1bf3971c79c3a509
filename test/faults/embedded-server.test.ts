import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { locateBinaries, noBinaries } from "../../adapters-infra/postgres/embedded-binaries.ts";
import { eventually } from "../support/eventually.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { type Holders, type ServiceProcess, serverHolders } from "../support/service-process.ts";

const root = process.getuid?.() === 0;
const linux = process.platform === "linux";
const nobody = 65534;
/** A uid that exists on no system: no entry in the user database is needed. */
const somebody = 43_210;

let holders: Holders;
let tempFolder: string;
let others: ChildProcess[];
/** A database directory after a first start; initdb takes most of the time here. */
let prepared: string;
beforeAll(async () => {
  holders = await serverHolders();
  prepared = await mkdtemp(join(memoryFolder(), "boardroom-prepared-"));
  const service = holders.start({ directory: prepared });
  await service.ready;
  await service.stop();
});
afterAll(async () => {
  await holders.dispose();
  await rm(prepared, { recursive: true, force: true });
});
beforeEach(async () => {
  others = [];
  tempFolder = await mkdtemp(join(memoryFolder(), "boardroom-database-test-"));
});
afterEach(async () => {
  for (const other of others) other.kill("SIGKILL");
  await rm(tempFolder, { recursive: true, force: true });
});

const database = () => join(tempFolder, "data/database");
const cluster = () => join(database(), "cluster");
const pidFile = () => join(cluster(), "postmaster.pid");

const query = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
};
const count = (url: string): Promise<number> =>
  query(url, async (sql) => (await sql<{ n: number }[]>`select count(*)::int as n from kept`)[0]!.n);
const keep = (url: string, rows: number) =>
  query(url, async (sql) => {
    await sql`create table if not exists kept (n int primary key)`;
    await sql`insert into kept select generate_series(1, ${rows}::int)`;
  });

const until = (holds: () => Promise<boolean> | boolean) =>
  eventually(async () => holds(), Boolean, { everyMs: 20 });
const eventuallyAnswers = (url: string) =>
  until(() => query(url, async (sql) => (await sql`select 1`).length === 1).catch(() => false));

/** A zombie does not count as alive. */
const lives = (pid: number): boolean => {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};
const childrenOf = (pid: number): { pid: number; name: string }[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, "latin1");
        const parent = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
        return parent === pid
          ? [{ pid: Number(name), name: readFileSync(`/proc/${name}/comm`, "utf8").trim() }]
          : [];
      } catch {
        return [];
      }
    });
/** Kills the service and the watchdog with SIGKILL, so that the database server survives its service. */
const killLeavingServer = async (service: ServiceProcess) => {
  const watchdog = childrenOf(service.pid).find(({ name }) => name === "sh");
  process.kill(watchdog!.pid, "SIGKILL");
  service.child.kill("SIGKILL");
  await service.exited;
};

/** The directory of a service that has started before. */
const usedBefore = async () => {
  await mkdir(dirname(database()), { recursive: true });
  execFileSync("cp", ["-a", prepared, database()]);
};
const startedAndStopped = async () => {
  if (!existsSync(database())) await usedBefore();
  const service = holders.start({ directory: database() });
  const { ready } = await service.ready;
  await keep(ready, 10);
  expect(await service.stop()).toBe(0);
};

/** An installation as npm leaves it: the package, without the library links. */
const installationAt = async (directory: string): Promise<string> => {
  const installed = dirname(locateBinaries()!);
  await mkdir(directory, { recursive: true });
  await cp(join(installed, "package.json"), join(directory, "package.json"));
  await cp(join(installed, "native"), join(directory, "native"), { recursive: true, verbatimSymlinks: true });
  for (const { target } of JSON.parse(await readFile(join(directory, "native/pg-symlinks.json"), "utf8")) as {
    target: string;
  }[]) {
    await rm(join(directory, target), { force: true });
  }
  return join(directory, "native");
};

describe("An embedded server", () => {
  beforeEach(usedBefore);

  test("listens on 127.0.0.1 only, accepts only its random password, and gets no environment of the service", async () => {
    const service = holders.start(
      { directory: database() },
      { env: { SERVICE_SECRETS_MASTER_KEY: "do-not-inherit" } },
    );
    const { ready, pid } = await service.ready;
    const settings = await query(
      ready,
      (sql) => sql<{ name: string; setting: string }[]>`
        select name, setting from pg_settings
        where name in ('listen_addresses', 'unix_socket_directories', 'fsync', 'server_encoding', 'jit')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      fsync: "on",
      server_encoding: "UTF8",
      jit: "off",
    });
    const wrong = new URL(ready);
    wrong.password = "guess";
    await expect(query(wrong.href, (sql) => sql`select 1`)).rejects.toThrow("password authentication failed");
    expect((await stat(join(database(), "password"))).mode & 0o777).toBe(0o600);
    if (linux) expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toContain("do-not-inherit");
    await service.stop();
  });

  test("ends cleanly with its scope and keeps its rows", async () => {
    await startedAndStopped();
    expect(existsSync(pidFile())).toBe(false);
    const again = holders.start({ directory: database() });
    expect(await count((await again.ready).ready)).toBe(10);
    expect(again.logs).toEqual([]);
    await again.stop();
  });

  test("logs no statements or values when they fail", async () => {
    const service = holders.start({ directory: database() });
    const { ready } = await service.ready;
    await keep(ready, 3);
    await expect(query(ready, (sql) => sql`insert into kept values (3)`)).rejects.toThrow("duplicate key");
    await expect(query(ready, (sql) => sql.unsafe("select 'hush-hush'::int"))).rejects.toThrow(
      "invalid input",
    );
    await service.stop();
    expect(service.logs).toEqual([]);
  });

  test("is refused with a hint on an unsupported platform", () => {
    expect(locateBinaries("plan9", "mips")).toBeNull();
    expect(noBinaries("plan9", "mips")).toMatch(/plan9-mips.*DATABASE_URL/);
  });

  test("belongs to one service: a second one on the directory learns which process holds it", async () => {
    const first = holders.start({ directory: database() });
    const { ready, pid } = await first.ready;
    const second = holders.start({ directory: database() });
    expect(await second.failed).toMatchObject({
      kind: "EmbeddedServerFailed",
      failed: expect.stringContaining(`in use by process ${first.pid}`),
    });
    await eventuallyAnswers(ready);
    expect(lives(pid)).toBe(true);
    await first.stop();
  });
});

describe("The user that starts the service", () => {
  test.runIf(root && linux)("may be root, with its data in a tree that only root may enter", async () => {
    await chmod(tempFolder, 0o700);
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    await keep(ready, 5);
    expect((await stat(`/proc/${pid}`)).uid).toBe(nobody);
    await query(ready, (sql) => sql`create database other strategy file_copy`);
    await service.stop();
    const again = holders.start({ directory: database() });
    expect(await count((await again.ready).ready)).toBe(5);
    await again.stop();
  });

  test.runIf(root && linux)("may be root, with the installation in such a tree too", async () => {
    await chmod(tempFolder, 0o700);
    const sharedHome = await mkdtemp(join(tmpdir(), "boardroom-shared-"));
    await chmod(sharedHome, 0o755);
    const options = {
      directory: database(),
      binaries: await installationAt(join(tempFolder, "package")),
      sharedHome,
    };
    try {
      const service = holders.start(options);
      await keep((await service.ready).ready, 5);
      const [copy, ...more] = await readdir(sharedHome);
      expect(more).toEqual([]);
      for (const path of ["", "bin", "bin/postgres", "lib"]) {
        const entry = await stat(join(sharedHome, copy!, path));
        expect([path, entry.uid, entry.mode & 0o777]).toEqual([path, 0, 0o755]);
      }
      await service.stop();
    } finally {
      await rm(sharedHome, { recursive: true, force: true });
    }
  });

  test.runIf(root && linux)(
    "may be root, if others could replace the copy: another folder is used",
    async () => {
      await chmod(tempFolder, 0o700);
      const sharedHome = await mkdtemp(join(tmpdir(), "boardroom-shared-"));
      await chmod(sharedHome, 0o777);
      const binaries = await installationAt(join(tempFolder, "package"));
      try {
        const service = holders.start({ directory: database(), binaries, sharedHome });
        const { pid } = await service.ready;
        const program = readlinkSync(`/proc/${pid}/exe`);
        expect(program).not.toContain(sharedHome);
        expect(await readdir(sharedHome)).toEqual([]);
        await service.stop();
        expect(existsSync(program) && program).toBe(false);
      } finally {
        await rm(sharedHome, { recursive: true, force: true });
      }
    },
  );

  test.runIf(root && linux)(
    "may be root that cannot change uids, in a container without that capability",
    async () => {
      const through = ["setpriv", "--bounding-set=-setuid,-setgid,-chown,-dac_override", "--inh-caps=-all"];
      const service = holders.start({ directory: database() }, { through });
      const started = await service.ready.then(
        ({ ready }) => ready,
        (error: Error) => error,
      );
      // Without user namespaces, only the sentence can be checked.
      if (started instanceof Error) {
        expect(started.message).toContain("DATABASE_URL");
        return;
      }
      await keep(started, 5);
      await service.stop();
      const again = holders.start({ directory: database() }, { through });
      expect(await count((await again.ready).ready)).toBe(5);
      await again.stop();
    },
  );

  test.runIf(root && linux)(
    "may be root after an ordinary user: the database stays with its owner",
    async () => {
      await chown(tempFolder, somebody, somebody);
      const service = holders.start({ directory: database() }, { uid: somebody });
      await keep((await service.ready).ready, 5);
      await service.stop();
      const again = holders.start({ directory: database() });
      const { ready, pid } = await again.ready;
      expect(await count(ready)).toBe(5);
      expect((await stat(`/proc/${pid}`)).uid).toBe(somebody);
      await again.stop();
    },
  );

  test.runIf(root && linux)("may be root, on a backup that root restored", async () => {
    await startedAndStopped();
    execFileSync("chown", ["-R", "root:root", database()]);
    const again = holders.start({ directory: database() });
    expect(await count((await again.ready).ready)).toBe(10);
    await again.stop();
  });

  test("may be ordinary, on a read-only installation without library links", async () => {
    const binaries = await installationAt(join(tempFolder, "package"));
    execFileSync("chmod", ["-R", "a-w", join(tempFolder, "package")]);
    await chmod(tempFolder, 0o755);
    await mkdir(join(tempFolder, "data"));
    if (root) await chown(join(tempFolder, "data"), somebody, somebody);
    const service = holders.start({ directory: database(), binaries }, root ? { uid: somebody } : {});
    const { ready, pid } = await service.ready;
    await keep(ready, 5);
    if (linux) expect(readlinkSync(`/proc/${pid}/exe`)).toContain(database());
    await service.stop();
    const former = join(database(), "server-of-a-former-version");
    await mkdir(former);
    if (root) await chown(former, somebody, somebody);
    const again = holders.start({ directory: database(), binaries }, root ? { uid: somebody } : {});
    expect(await count((await again.ready).ready)).toBe(5);
    expect((await readdir(database())).filter((name) => name.startsWith("server-"))).toHaveLength(1);
    await again.stop();
    execFileSync("chmod", ["-R", "u+w", join(tempFolder, "package")]);
  });
});

describe.runIf(linux)("After an accident", () => {
  beforeEach(usedBefore);

  test("a pid file that names another living process does not prevent the start, and that process survives", async () => {
    await startedAndStopped();
    const owner = await stat(cluster());
    const other = spawn("sleep", ["60"], { uid: owner.uid, gid: owner.gid });
    others.push(other);
    await writeFile(pidFile(), `${other.pid}\n${cluster()}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready\n`);
    await chown(pidFile(), owner.uid, owner.gid);
    const service = holders.start({ directory: database() });
    expect(await count((await service.ready).ready)).toBe(10);
    expect(lives(other.pid!)).toBe(true);
    await service.stop();
  });

  test.each(["", "\n", "\0\0\0\0"])("a pid file with %j, as after a power loss, is removed", async (text) => {
    await startedAndStopped();
    const owner = await stat(cluster());
    await writeFile(pidFile(), text);
    await chown(pidFile(), owner.uid, owner.gid);
    const service = holders.start({ directory: database() });
    expect(await count((await service.ready).ready)).toBe(10);
    await service.stop();
  });

  test("a pid file that names the server of another database leaves that one alone", async () => {
    await startedAndStopped();
    const other = holders.start({ directory: join(tempFolder, "other/database") });
    const neighbour = await other.ready;
    const owner = await stat(cluster());
    await writeFile(
      pidFile(),
      `${neighbour.pid}\n${cluster()}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready\n`,
    );
    await chown(pidFile(), owner.uid, owner.gid);
    const service = holders.start({ directory: database() });
    expect(await count((await service.ready).ready)).toBe(10);
    await eventuallyAnswers(neighbour.ready);
    expect(lives(neighbour.pid)).toBe(true);
    await Promise.all([service.stop(), other.stop()]);
  });

  test("a server killed under load is restarted at the same address with every committed row", async () => {
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    await query(ready, (sql) => sql`create table kept (n int primary key)`);
    const committed: number[] = [];
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const sql = postgres(ready, { max: 1, onnotice: () => {}, connect_timeout: 2 });
      for (let n = writer; writing; n += 4) {
        await sql`insert into kept values (${n})`.then(
          () => committed.push(n),
          () => new Promise((done) => setTimeout(done, 20)),
        );
      }
      await sql.end({ timeout: 1 });
    });
    await until(() => committed.length > 200);
    process.kill(pid, "SIGKILL");
    const before = committed.length;
    await until(() => committed.length > before + 200);
    writing = false;
    await Promise.all(writers);
    const stored = new Set(
      await query(ready, async (sql) => (await sql<{ n: number }[]>`select n from kept`).map(({ n }) => n)),
    );
    expect(committed.filter((n) => !stored.has(n))).toEqual([]);
    expect(service.logs.join("\n")).toMatch(/has ended \(signal SIGKILL\)[\s\S]*runs again/);
    expect(service.logs.join("\n")).not.toMatch(/starting up|terminating connection/);
    await service.stop();
  });

  test("a server that dies repeatedly is restarted repeatedly", async () => {
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    await keep(ready, 5);
    let latest = pid;
    for (let round = 0; round < 3; round++) {
      process.kill(latest, "SIGKILL");
      await until(() => {
        const next = Number(existsSync(pidFile()) ? readFileSync(pidFile(), "utf8").split("\n")[0] : 0);
        if (next === latest || next === 0 || !lives(next)) return false;
        latest = next;
        return true;
      });
      await eventuallyAnswers(ready);
    }
    expect(await count(ready)).toBe(5);
    await service.stop();
  });

  test("a port that is in use meanwhile is waited for, because the address must not change", async () => {
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    const squatter = createServer();
    service.child.kill("SIGSTOP");
    process.kill(pid, "SIGKILL");
    await until(() => !lives(pid));
    await until(
      () =>
        new Promise<boolean>((resolve) => {
          squatter.once("error", () => resolve(false));
          squatter.listen({ host: "127.0.0.1", port: Number(new URL(ready).port) }, () => resolve(true));
        }),
    );
    service.child.kill("SIGCONT");
    await until(() => service.logs.some((line) => line.includes("could not bind")));
    await new Promise((done) => squatter.close(done));
    await eventuallyAnswers(ready);
    await service.stop();
  });

  test("a server ends by itself when its service was killed", async () => {
    const service = holders.start({ directory: database() });
    const { pid } = await service.ready;
    service.child.kill("SIGKILL");
    await until(() => !lives(pid));
  });

  test("a killed service and a killed server keep every row", async () => {
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    await keep(ready, 1_000);
    service.child.kill("SIGKILL");
    process.kill(pid, "SIGKILL");
    await service.exited;
    const again = holders.start({ directory: database() });
    expect(await count((await again.ready).ready)).toBe(1_000);
    await again.stop();
  });

  test("a server that survived its service is stopped before the next one starts", async () => {
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    await keep(ready, 1_000);
    await killLeavingServer(service);
    expect(await count(ready)).toBe(1_000);
    const again = holders.start({ directory: database() });
    const next = await again.ready;
    expect(lives(pid)).toBe(false);
    expect(next.pid).not.toBe(pid);
    expect(await count(next.ready)).toBe(1_000);
    expect(again.logs.join("\n")).toContain(`pid ${pid}`);
    await again.stop();
  });

  test("a busy backend that survived its postmaster is stopped before the next one starts", async () => {
    const service = holders.start({ directory: database() });
    const { ready, pid } = await service.ready;
    await keep(ready, 5);
    const busy = postgres(ready, { max: 1, onnotice: () => {} });
    const [{ backend } = { backend: 0 }] = await busy<
      { backend: number }[]
    >`select pg_backend_pid() as backend`;
    // A backend that never checks for the death of its postmaster.
    const endless = busy`select count(*) from generate_series(1, 100000000000) as n`.catch(() => {});
    await until(() =>
      query(ready, async (sql) => {
        const [row] = await sql`select state from pg_stat_activity where pid = ${backend}`;
        return row?.state === "active";
      }),
    );
    process.kill(backend, "SIGSTOP");
    await killLeavingServer(service);
    process.kill(pid, "SIGKILL");
    await until(() => !lives(pid));
    expect(lives(backend)).toBe(true);
    const again = holders.start({ directory: database() });
    expect(await count((await again.ready).ready)).toBe(5);
    expect(lives(backend)).toBe(false);
    await busy.end({ timeout: 0 });
    await endless;
    await again.stop();
  });

  test("an interrupted first start does not prevent the second", async () => {
    await rm(database(), { recursive: true });
    const service = holders.start({ directory: database() });
    await until(() =>
      existsSync(database())
        ? readdirSync(database()).some((name) => existsSync(join(database(), name, "base/1")))
        : false,
    );
    const initdb = childrenOf(service.pid).find(({ name }) => name === "initdb");
    service.child.kill("SIGKILL");
    process.kill(initdb!.pid, "SIGKILL");
    await service.exited;
    expect(existsSync(cluster())).toBe(false);
    const again = holders.start({ directory: database() });
    await keep((await again.ready).ready, 5);
    await again.stop();
    const last = holders.start({ directory: database() });
    expect(await count((await last.ready).ready)).toBe(5);
    expect((await readdir(database())).sort()).toEqual(["cluster", "lock", "password"]);
    await last.stop();
  });

  test("a lost password is reported, and never answered with an empty database", async () => {
    await startedAndStopped();
    await rename(join(database(), "password"), join(tempFolder, "password"));
    const service = holders.start({ directory: database() });
    expect((await service.failed).failed).toContain("password is missing");
    await rename(join(tempFolder, "password"), join(database(), "password"));
    const again = holders.start({ directory: database() });
    expect(await count((await again.ready).ready)).toBe(10);
    await again.stop();
  });
});
