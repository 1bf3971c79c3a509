import { once } from "node:events";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { isAlive, memoryOf, processorMs, treeOf } from "../support/processes.ts";
import { times } from "../support/sample.ts";
import {
  program,
  refusedProgram,
  type ServiceProgram,
  type StartOptions,
  serveProgram,
  stoppedAtOutput,
} from "../support/service-program.ts";

const root = dirname(dirname(program));
const isRoot = process.getuid?.() === 0;
/** A uid that owns nothing. */
const ordinary = 65_534;

let tempFolder: string;
let database: TestDatabase;
const started: ServiceProgram[] = [];

beforeAll(async () => {
  database = await createDatabase();
  tempFolder = await mkdtemp(join(memoryFolder(), "lifecycle-"));
  await chmod(tempFolder, 0o755);
});
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop();
});
afterAll(async () => {
  await database?.drop();
  await rm(tempFolder, { recursive: true, force: true });
});

let folders = 0;
const folder = async (): Promise<string> => {
  const path = join(tempFolder, `${++folders}`);
  await mkdir(path);
  return path;
};

/** With a database that a service has been at. */
const usedDataDir = async (): Promise<string> => preparedDataDirectory(join(await folder(), "data"));

/** A service for which it does not matter where its database is: one of its own takes longer to start and to stop. */
const onServer = () => ({ DATABASE_URL: database.url, SERVICE_SECRETS_MASTER_KEY: "00".repeat(32) });

/** As an operator has it, who sets nothing. */
const durably = { SERVICE_DATABASE_DURABLE: "true" };

const serve = async (
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  around: StartOptions = {},
): Promise<ServiceProgram> => {
  const service = await serveProgram(dataDir, env, args, around);
  started.push(service);
  return service;
};

/** An agent that prints its pid, and waits during its first run. */
const waitingAgent = nodeAgent(`
console.log("pid " + process.pid + ".");
if (process.env.SERVICE_WAKE_REASON === "issue_assigned") await new Promise((resolve) => setTimeout(resolve, 600_000));
await call("PATCH", "/api/issues/" + task, { status: "done", comment: "Done after " + process.env.SERVICE_WAKE_REASON + "." });
`);

/** Makes an issue with a running agent. */
const workUnderWay = async (service: ServiceProgram) => {
  const board = await service.board();
  const { id: companyId } = await board.companies.create({ name: "Night Shift" });
  const { id: agentId } = await board.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: waitingAgent,
  });
  const { id: issueId } = await board.issues.create({
    companyId,
    title: "Long work",
    assigneeAgentId: agentId,
  });
  const [run] = await eventually(
    async () => (await board.runs.ofIssue({ issueId })).items,
    ([first]) => first?.status === "running",
  );
  const { content } = await eventually(
    () => board.runs.log({ runId: run!.id }),
    ({ content }) => content.includes("pid "),
  );
  return { issueId, runId: run!.id, pid: Number(/pid (\d+)\./.exec(content)?.[1]) };
};

const finished = async (service: ServiceProgram, issueId: string) => {
  const board = await service.board();
  await eventually(
    () => board.issues.get({ issueId }),
    ({ status }) => status === "done",
  );
  return eventually(
    async () => [...(await board.runs.ofIssue({ issueId })).items].reverse(),
    (runs) => runs.every(({ status }) => status !== "running"),
  );
};

/** The death of one process may have ended another already. */
const killed = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

const refusesConnections = (url: string) =>
  eventually(
    () =>
      fetch(`${url}/api/health`).then(
        () => false,
        () => true,
      ),
    (refused) => refused,
  );

describe("starting", () => {
  it("prints its address, the path of the board token and the next steps, in a data directory of its own", async () => {
    const home = await folder();
    const cwd = await folder();
    const dataDir = join(home, "data");
    const service = await serve(dataDir, { HOME: home, ...durably }, [], { cwd });
    expect(service.output()).toMatch(/^boardroom listening on http:\/\/127\.0\.0\.1:\d+\n/);
    expect(service.output()).toContain(`board token in ${join(dataDir, "board-token")}\n`);
    expect(service.output()).toMatch(/^next: .*boardroom demo/m);
    const token = await service.token();
    expect(token).toMatch(/^brd_[0-9a-f]{48}$/);
    expect(service.output()).not.toContain(token);
    expect((await stat(join(dataDir, "board-token"))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect(await (await service.board()).companies.list()).toEqual([]);

    expect(await service.stop()).toBe(0);
    expect(await readdir(home)).toEqual(["data"]);
    expect(await readdir(cwd)).toEqual([]);
    expect((await readdir(dataDir)).sort()).toEqual(
      expect.arrayContaining(["board-token", "database", "master.key"]),
    );
  });

  it("listens on PORT and HOST", async () => {
    // The port of another address of the machine is somebody else's.
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const service = await serve(join(await folder(), "data"), {
      ...onServer(),
      PORT: `${port}`,
      HOST: "127.0.0.2",
    });
    expect(service.url).toBe(`http://127.0.0.2:${port}`);
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
    other.close();
  });

  it("starts the second time with little processor time, and in little memory", async () => {
    const service = await serve(await usedDataDir(), durably);
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
    const pid = service.child.pid!;
    // Of all its processes; the bench measures the time that a person waits.
    expect(processorMs(pid)).toBeLessThan(3_000);
    const pss = treeOf(pid).reduce((sum, member) => sum + memoryOf(member).pss, 0);
    expect(pss).toBeLessThan(250);
  });

  it("works from another directory, and takes a relative data directory from there", async () => {
    const cwd = await folder();
    const service = await serve("relative/data", onServer(), [], { cwd });
    expect(service.output()).toContain(join(cwd, "relative/data/board-token"));
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
  });

  it.runIf(isRoot)("works for an ordinary user on a read-only checkout", async () => {
    const home = await folder();
    await chown(home, ordinary, ordinary);
    const checkout = await folder();
    await cp(join(root, "dist"), join(checkout, "dist"), { recursive: true });
    await cp(join(root, "package.json"), join(checkout, "package.json"));
    await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
    const content = async () => [
      await readdir(checkout),
      await readdir(join(checkout, "dist"), { recursive: true }),
    ];
    const before = await content();
    const around = {
      program: join(checkout, "dist/boardroom.js"),
      cwd: checkout,
      through: ["setpriv", `--reuid=${ordinary}`, `--regid=${ordinary}`, "--clear-groups", "--no-new-privs"],
    };
    const dataDir = join(home, "data");
    const first = await serve(dataDir, { HOME: home }, [], around);
    const { issueId, pid } = await workUnderWay(first);
    expect((await stat(`/proc/${pid}`)).uid).toBe(ordinary);
    expect((await stat(dataDir)).uid).toBe(ordinary);
    expect(first.output()).not.toContain("agents run as root");
    expect(await first.stop()).toBe(0);
    const runs = await finished(await serve(dataDir, { HOME: home }, [], around), issueId);
    expect(runs.map(({ status }) => status)).toEqual(["interrupted", "succeeded"]);
    expect(await content()).toEqual(before);
  });
});

describe("stopping", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s lets a request in progress finish, accepts no other, and exits 0",
    async (signal) => {
      const service = await serve(join(await folder(), "data"), onServer());
      const { request, answer } = await slowRequest(service);
      service.child.kill(signal);
      await refusesConnections(service.url);
      // Ctrl-C under npm sends the signal twice: the second must not cut the draining short.
      service.child.kill(signal);
      request.end('me":"Slow but sure"}');
      const { status, body } = await answer;
      expect([status, JSON.parse(body)]).toEqual([201, expect.objectContaining({ name: "Slow but sure" })]);
      expect(await service.stop()).toBe(0);
      expect(await readdir(service.dataDir)).not.toContain("service.json");
    },
  );

  it("answers for SERVICE_DRAIN_SEC more, while its health tells balancers to send nothing", async () => {
    // Longer than the machine needs for two requests, however busy it is.
    const service = await serve(join(await folder(), "data"), { ...onServer(), SERVICE_DRAIN_SEC: "300" });
    const token = await service.token();
    service.child.kill("SIGTERM");
    try {
      const health = await eventually(
        () => fetch(`${service.url}/api/health`),
        ({ status }) => status !== 200,
      );
      expect([health.status, await health.json()]).toEqual([
        503,
        expect.objectContaining({ code: "draining" }),
      ]);
      expect([health.headers.get("retry-after"), health.headers.get("connection")]).toEqual(["5", "close"]);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${service.url}/api/companies`, { headers });
      expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
    } finally {
      await service.stop("SIGKILL");
    }
  });

  it("ends after SERVICE_DRAIN_SEC, and exits 0", async () => {
    const service = await serve(join(await folder(), "data"), { ...onServer(), SERVICE_DRAIN_SEC: "1" });
    const stoppedAt = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - stoppedAt).toBeGreaterThan(900);
    await refusesConnections(service.url);
  });

  it("exits 0 also if it is stopped as soon as it listens, with its connections still opening", async () => {
    const dataDir = await usedDataDir();
    for (let n = 0; n < times(2, 4); n++) {
      const service = await serve(dataDir);
      expect(await service.stop(), service.output()).toBe(0);
    }
  });

  it("exits 0 also while it waits for a database that another service migrates", async () => {
    const database = await createDatabase();
    const other = postgres(database.url, { max: 1 });
    await other`select pg_advisory_lock(7203450)`;
    const { code, output } = await stoppedAtOutput("waits for it", join(await folder(), "data"), {
      DATABASE_URL: database.url,
    });
    await other.end();
    await database.drop();
    expect(code).toBe(0);
    expect(output).not.toContain("listening");
    expect(output.trim().split("\n")).toHaveLength(1);
  });
});

describe("stopping while an agent works", () => {
  let dataDir: string;
  let service: ServiceProgram | null = null;
  /** The one after a stop serves the next test, too. */
  const serving = async (): Promise<ServiceProgram> => {
    service ??= await serveProgram(dataDir, durably, [], { ownGroup: true });
    return service;
  };
  const gone = async (signal: NodeJS.Signals): Promise<number | null> => {
    const code = await (await serving()).stop(signal);
    service = null;
    return code;
  };
  beforeAll(async () => {
    dataDir = await usedDataDir();
  });
  afterAll(async () => {
    await service?.stop();
  });

  it("Ctrl-C in a terminal, which reaches all its child processes, is a stop like any other", async () => {
    const { child } = await serving();
    const { issueId } = await workUnderWay(await serving());
    const tree = treeOf(child.pid!);
    process.kill(-child.pid!, "SIGINT");
    expect(await gone("SIGINT")).toBe(0);
    expect(tree.filter(isAlive)).toEqual([]);
    const runs = await finished(await serving(), issueId);
    expect(runs[0]).toMatchObject({ status: "interrupted", errorCode: "service_shutdown" });
  });

  it("stops agents' programs; their runs are interrupted and continue after the next start", async () => {
    const { child } = await serving();
    const { issueId, runId, pid } = await workUnderWay(await serving());
    const tree = treeOf(child.pid!);
    expect(tree).toContain(pid);
    expect(await gone("SIGTERM")).toBe(0);
    expect(tree.filter(isAlive)).toEqual([]);

    const runs = await finished(await serving(), issueId);
    expect(runs).toMatchObject([
      { id: runId, status: "interrupted", errorCode: "service_shutdown" },
      { status: "succeeded", wakeReason: "process_lost_retry", retryOfRunId: runId },
    ]);
  });

  it("recovers after SIGKILL of everything, with all answered changes", async () => {
    const first = await serving();
    const { issueId, runId } = await workUnderWay(first);
    const board = await first.board();
    const { id: companyId } = await board.companies.create({ name: "Answered before the end" });
    const tree = treeOf(first.child.pid!);
    for (const pid of tree) killed(pid);
    await gone("SIGKILL");
    expect(tree.length).toBeGreaterThan(3);

    const second = await serving();
    expect(await (await second.board()).companies.get({ companyId })).toMatchObject({
      name: "Answered before the end",
    });
    const runs = await finished(second, issueId);
    expect(runs).toMatchObject([
      { id: runId, status: "interrupted", errorCode: "process_lost" },
      { status: "succeeded", wakeReason: "process_lost_retry" },
    ]);
  });

  it("leaves no agent of a killed service alive after its next start", async () => {
    const { issueId, pid } = await workUnderWay(await serving());
    await gone("SIGKILL");
    expect(isAlive(pid)).toBe(true);
    await finished(await serving(), issueId);
    expect(isAlive(pid)).toBe(false);
  });
});

describe("refusing to start", () => {
  it("on a data directory that another service uses, naming it", async () => {
    const dataDir = await usedDataDir();
    const first = await serve(dataDir);
    const { code, output } = await refusedProgram(dataDir);
    expect(code).toBe(1);
    expect(output).toContain(`${dataDir} is in use by process ${first.child.pid}`);
    expect(output).toContain("SERVICE_DATA_DIR");
    expect(output.trim().split("\n")).toHaveLength(1);
    expect((await fetch(`${first.url}/api/health`)).status).toBe(200);
  });

  it("on a port in use, naming it", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as { port: number };
    const { code, output } = await refusedProgram(join(await folder(), "data"), {
      ...onServer(),
      PORT: `${port}`,
    });
    await new Promise((resolve) => holder.close(resolve));
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^boardroom cannot start: .*\\b${port}\\b.*\\n$`));
  });

  it("on a HOST that is not of this machine, with a hint", async () => {
    const { code, output } = await refusedProgram(join(await folder(), "data"), {
      ...onServer(),
      HOST: "203.0.113.9",
    });
    expect([code, output.trim().split("\n").length]).toEqual([1, 1]);
    expect(output).toMatch(/203\.0\.113\.9 is not an address of this machine\. .*HOST/);
  });

  it("on a database of a later version", async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    await sql`insert into schema_migrations (version, name, checksum) values (9999, '9999-later.sql', '')`;
    await sql.end();
    const { code, output } = await refusedProgram(join(await folder(), "data"), {
      DATABASE_URL: database.url,
    });
    await database.drop();
    expect(code).toBe(1);
    expect(output).toContain("schema version 9999");
  });

  it("with a master key other than the database's, or none, naming fingerprints", async () => {
    const database = await createDatabase();
    const env = { DATABASE_URL: database.url };
    const dataDir = join(await folder(), "data");
    await (await serve(dataDir, env)).stop();
    const key = await readFile(join(dataDir, "master.key"), "utf8");

    const other = await refusedProgram(dataDir, { ...env, SERVICE_SECRETS_MASTER_KEY: "11".repeat(32) });
    const fingerprints = [...other.output.matchAll(/fingerprint ([0-9a-f]{16})/g)].map(([, one]) => one);
    expect(other.code).toBe(1);
    expect(new Set(fingerprints).size).toBe(2);
    expect(other.output).not.toContain("11".repeat(32));

    await rm(join(dataDir, "master.key"));
    const none = await refusedProgram(dataDir, env);
    expect(none.code).toBe(1);
    expect(none.output).toContain(join(dataDir, "master.key"));
    expect(none.output).toContain(fingerprints[1]);
    expect(await readdir(dataDir)).not.toContain("master.key");

    await writeFile(join(dataDir, "master.key"), key);
    expect(await (await serve(dataDir, env)).stop()).toBe(0);
    await database.drop();
  });

  it("with an unreachable database, without its password", async () => {
    const { code, output } = await refusedProgram(join(await folder(), "data"), {
      DATABASE_URL: `postgres://somebody:very-secret@127.0.0.1:${await freePort()}/nowhere`,
    });
    expect(code).toBe(1);
    expect(output).toMatch(/^boardroom cannot start: .*database.*\n$/i);
    expect(output).not.toContain("very-secret");
  });

  it("with a setting that has no such value, naming it, before it makes anything", async () => {
    const cwd = await folder();
    const { code, output } = await refusedProgram(join(cwd, "data"), { PORT: "70000" });
    expect(await readdir(cwd)).toEqual([]);
    expect(code).toBe(1);
    expect(output).toBe("boardroom cannot start: PORT: must be a whole number from 0 to 65535\n");
  });

  it("with a master key that is none, naming the variable", async () => {
    const name = "SERVICE_SECRETS_MASTER_KEY";
    const { code, output } = await refusedProgram(join(await folder(), "data"), {
      ...onServer(),
      [name]: "not a key",
    });
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^boardroom cannot start: .*\\b${name}\\b`));
    expect(output).not.toContain("not a key");
  });
});

describe("several services on one database", () => {
  it("one answers and another runs the agents", async () => {
    const database = await createDatabase();
    const shared = { DATABASE_URL: database.url, SERVICE_SECRETS_MASTER_KEY: "00".repeat(32) };
    const api = await serve(join(await folder(), "data"), shared, ["--role", "api"]);
    const board = await api.board();
    const { id: companyId } = await board.companies.create({ name: "Split" });
    const { id: agentId } = await board.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: nodeAgent(`
        const { status } = await call("PATCH", "/api/issues/" + task, { status: "done" });
        console.log("answered " + status);
      `),
    });
    const { id: issueId } = await board.issues.create({ companyId, title: "Work", assigneeAgentId: agentId });
    expect((await board.runs.ofIssue({ issueId })).items).toMatchObject([{ status: "queued" }]);

    const worker = await serve(join(await folder(), "data"), { ...shared, SERVICE_PUBLIC_URL: api.url }, [
      "--role",
      "worker",
    ]);
    expect(worker.url).toBe("");
    const [run] = await finished({ ...api, board: async () => board }, issueId);
    expect(run).toMatchObject({ status: "succeeded" });
    expect(await worker.stop()).toBe(0);
    expect(await api.stop()).toBe(0);
    await database.drop();
  });
});

/** A request to create a company, of which the service has the headers and half of the body. */
const slowRequest = async (service: ServiceProgram) => {
  const token = await service.token();
  let request!: ClientRequest;
  const answer = new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request = httpRequest(`${service.url}/api/companies`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength('{"name":"Slow but sure"}'),
        expect: "100-continue",
      },
    });
    request.on("error", reject);
    request.on("response", async (response: IncomingMessage) => {
      let body = "";
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, body });
    });
  });
  const seen = new Promise<void>((resolve) => request.once("continue", () => resolve()));
  request.flushHeaders();
  await seen;
  request.write('{"na');
  return { request, answer };
};
