import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import {
  externalAdapterCode,
  externalAdapterPackage,
  packageRegistry,
  temporaryFolder,
} from "../support/external-adapter.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { stateOf } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

const folder = temporaryFolder();
chmodSync(folder, 0o755);
const running: ServiceProgram[] = [];
/** By the data directory. */
const databases = new Map<string, TestDatabase>();
const serve = async (dataDir: string, env: Record<string, string> = {}) => {
  const database = databases.get(dataDir);
  const service = await serveProgram(dataDir, {
    ...(database === undefined ? {} : { DATABASE_URL: database.url }),
    ...env,
  });
  running.push(service);
  return service;
};
const stop = async (service: ServiceProgram) => {
  running.splice(running.indexOf(service), 1);
  await service.stop();
};
/** Kills the process without a graceful stop. */
const kill = async (service: ServiceProgram) => {
  running.splice(running.indexOf(service), 1);
  await service.stop("SIGKILL");
};
afterEach(async () => {
  for (const service of [...running]) await stop(service);
});
afterAll(async () => {
  for (const database of databases.values()) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Stuck like a loop without end, which uses up no processor. */
const stuckCode = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

let count = 0;
const dataDirectory = async () => {
  count += 1;
  const path = join(folder, `data-${count}`);
  databases.set(path, await createDatabase());
  return path;
};
const registerLocal = (dataDir: string, adapters: Readonly<Record<string, string>>) => {
  mkdirSync(join(dataDir, "adapters"), { recursive: true, mode: 0o700 });
  const entries = Object.entries(adapters).map(([type, localPath]) => ({ type, localPath }));
  writeFileSync(join(dataDir, "adapters", "registry.json"), JSON.stringify(entries));
};
const marked = (dataDir: string, file: string) => {
  const path = join(dataDir, file);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(Number) : [];
};
/** The processes whose working directory is a folder of the adapter directory. */
const working = (dataDir: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(join(dataDir, "adapters", "staging"));
    } catch {
      return false;
    }
  });
const isLiving = (pid: number) => !["Z", "X", null].includes(stateOf(pid));

const agentOf = async (service: ServiceProgram, adapterType: string, adapterConfig: object = {}) => {
  const board = await service.board();
  const { id: companyId } = await board.companies.create({ name: `C ${adapterType} ${Math.random()}` });
  return board.agents.create({
    companyId,
    name: "Ada",
    adapterType,
    adapterConfig: adapterConfig as Record<string, never>,
  });
};
const adapterOf = async (service: ServiceProgram, type: string) =>
  (await (await service.board()).adapters.list()).find((row) => row.type === type);
const loaded = (service: ServiceProgram, type: string) =>
  eventually(
    () => adapterOf(service, type),
    (row) => row !== undefined && row.status !== "loading",
  );

describe("a service that is killed", () => {
  it("takes the processes of external adapters with it, even spinning ones, and their children", async () => {
    const dataDir = await dataDirectory();
    const notes = join(folder, "notes");
    const code = externalAdapterCode({
      type: "spinner",
      top: `import { spawn } from "node:child_process"; import { appendFileSync } from "node:fs";`,
      execute: `
        const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
        const other = spawn("setsid", ["sleep", "601"], { stdio: "ignore" });
        appendFileSync(${JSON.stringify(notes)}, [process.pid, child.pid, other.pid].join("\\n") + "\\n");
        for (;;);`,
    });
    registerLocal(dataDir, { spinner: externalAdapterPackage(folder, "spinner", code) });
    const service = await serve(dataDir);
    await loaded(service, "spinner");
    const agent = await agentOf(service, "spinner");
    await (await service.board()).agents.invoke({ agentId: agent.id });
    const pids = await eventually(
      async () => marked(folder, "notes"),
      (found) => found.length === 3,
    );
    expect(pids.filter(isLiving)).toEqual(pids);
    await kill(service);
    await eventually(
      async () => pids.filter(isLiving),
      (living) => living.length === 0,
    );
  });

  it("leaves nothing behind that the next start does not end, even without the watchdog", async () => {
    const dataDir = await dataDirectory();
    const code = externalAdapterCode({
      type: "survivor",
      top: `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";`,
      // A shell that outlives its parents: the watchdog finds it by its run id, unless the watchdog is stopped before.
      execute: `
        const child = spawn("sh", ["-c", "sleep 0.5; kill -STOP " + process.pid + "; sleep 600"], { detached: true, stdio: "ignore" });
        writeFileSync(${JSON.stringify(join(folder, "survivors"))}, process.pid + "\\n" + child.pid + "\\n");
        await new Promise(() => {});`,
    });
    registerLocal(dataDir, { survivor: externalAdapterPackage(folder, "survivor", code) });
    const service = await serve(dataDir);
    await loaded(service, "survivor");
    const agent = await agentOf(service, "survivor");
    await (await service.board()).agents.invoke({ agentId: agent.id });
    const pids = await eventually(
      async () => marked(folder, "survivors"),
      (found) => found.length === 2 && found.every((pid) => pid > 0) && stateOf(found[0]!) === "T",
    );
    await kill(service);
    expect(pids.filter(isLiving)).toEqual(pids);
    rmSync(join(dataDir, "adapters", "registry.json"));
    await serve(dataDir);
    await eventually(
      async () => pids.filter(isLiving),
      (living) => living.length === 0,
    );
  });
});

describe("two companies' runs of one external adapter", () => {
  it("end separately: the one that is paused is dead, with its programs, when it shows as cancelled", async () => {
    const dataDir = await dataDirectory();
    const code = externalAdapterCode({
      type: "busy",
      top: `import { spawn } from "node:child_process"; import { appendFileSync } from "node:fs";`,
      // Its children do not hear of the stop, and one of them ignores SIGTERM.
      execute: `
        const note = (pid) => appendFileSync("pids", pid + "\\n");
        note(process.pid);
        note(spawn("setsid", ["sleep", "600"], { stdio: "ignore" }).pid);
        note(spawn("sh", ["-c", "trap '' TERM; while :; do sleep 1; done"], { stdio: "ignore" }).pid);
        await new Promise(() => {});`,
    });
    registerLocal(dataDir, { busy: externalAdapterPackage(folder, "busy", code) });
    const service = await serve(dataDir);
    await loaded(service, "busy");
    const board = await service.board();
    const started = async () => {
      const agent = await agentOf(service, "busy", { graceSec: 1 });
      const runId = (await board.agents.invoke({ agentId: agent.id })).id!;
      const pids = await eventually(
        async () => marked(dataDir, join("workspaces", agent.id, "pids")),
        (found) => found.length === 3,
      );
      return { agentId: agent.id, runId, pids };
    };
    const [one, other] = [await started(), await started()];
    expect((await board.runs.get({ runId: one.runId })).process?.name).toBe(String(one.pids[0]));
    await board.agents.pause({ agentId: one.agentId });
    const ended = await eventually(
      () => board.runs.get({ runId: one.runId }),
      ({ status }) => status !== "running",
    );
    expect(ended.status).toBe("cancelled");
    expect(one.pids.filter(isLiving)).toEqual([]);
    expect(other.pids.filter(isLiving)).toEqual(other.pids);
    expect((await board.runs.get({ runId: other.runId })).status).toBe("running");
    expect((await adapterOf(service, "busy"))?.status).toBe("loaded");
  });
});

describe("a slow package", () => {
  it("does not delay the start or other packages; runs of its agents wait until it is loaded", async () => {
    const dataDir = await dataDirectory();
    const slow = externalAdapterCode({
      type: "slow",
      top: `import { existsSync } from "node:fs"; while (!existsSync(${JSON.stringify(join(folder, "go"))})) await new Promise((done) => setTimeout(done, 50));`,
    });
    const ok = { execute: "return { exitCode: 0, timedOut: false, summary: 'done' };" };
    const slowPackage = externalAdapterPackage(folder, "slow", externalAdapterCode({ type: "slow", ...ok }));
    registerLocal(dataDir, {
      slow: slowPackage,
      quick: externalAdapterPackage(folder, "quick", externalAdapterCode({ type: "quick", ...ok })),
      stuck: externalAdapterPackage(folder, "stuck", stuckCode),
    });
    const first = await serve(dataDir);
    await loaded(first, "slow");
    const agent = await agentOf(first, "slow");
    await stop(first);

    writeFileSync(
      join(slowPackage, "index.js"),
      slow.replace("return { exitCode: 0, timedOut: false };", ok.execute),
    );
    const service = await serve(dataDir);
    const board = await service.board();
    expect(await adapterOf(service, "slow")).toMatchObject({ status: "loading", loaded: false, error: null });
    expect((await loaded(service, "quick"))?.status).toBe("loaded");
    const { id: runId } = await board.agents.invoke({ agentId: agent.id });
    const waiting = await board.runs.get({ runId: runId! });
    expect(waiting).toMatchObject({ status: "queued", whatNext: expect.stringMatching(/is loading/) });
    expect((await board.system.health()).adaptersNotLoaded).toContainEqual({
      type: "slow",
      status: "loading",
      error: null,
      runsQueued: 1,
    });
    writeFileSync(join(folder, "go"), "");
    const run = await eventually(
      () => board.runs.get({ runId: runId! }),
      ({ status }) => status !== "queued" && status !== "running",
    );
    expect(run).toMatchObject({ status: "succeeded", summary: "done" });
    expect(await loaded(service, "stuck")).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/no answer in 10 seconds/),
    });
    expect((await board.system.health()).status).toBe("degraded");
    expect((await board.inbox.list()).items).toMatchObject([
      { kind: "failed_adapter", subject: { id: "stuck" } },
    ]);
  });
});

describe("an agent whose adapter is removed", () => {
  it("waits visibly, and continues when it is installed again, or gets another adapter", async () => {
    const dataDir = await dataDirectory();
    const localPath = externalAdapterPackage(folder, "guest", externalAdapterCode({ type: "guest" }));
    const service = await serve(dataDir);
    const board = await service.board();
    await board.adapters.install({ localPath });
    const [one, other] = [await agentOf(service, "guest"), await agentOf(service, "guest")];
    await board.adapters.remove({ adapterType: "guest" });
    const first = (await board.agents.invoke({ agentId: one.id })).id!;
    const second = (await board.agents.invoke({ agentId: other.id })).id!;
    expect(await board.runs.get({ runId: first })).toMatchObject({
      status: "queued",
      whatNext: expect.stringMatching(/Adapter guest isn't installed \(adapter_unavailable\)/),
    });
    expect((await board.system.health()).adaptersNotLoaded).toEqual([
      { type: "guest", status: "missing", error: expect.stringMatching(/guest/), runsQueued: 2 },
    ]);
    const ended = (runId: string) =>
      eventually(
        () => board.runs.get({ runId }),
        ({ status }) => status !== "queued" && status !== "running",
      );
    await board.agents.update({
      agentId: other.id,
      adapterType: "process",
      adapterConfig: { command: "true" },
    });
    expect(await ended(second)).toMatchObject({ status: "succeeded", adapterType: "process" });
    expect((await board.runs.get({ runId: first })).status).toBe("queued");
    await board.adapters.install({ localPath });
    expect(await ended(first)).toMatchObject({ status: "succeeded", adapterType: "guest" });
    expect((await board.system.health()).adaptersNotLoaded).toEqual([]);
  });
});

describe.skipIf(process.getuid?.() !== 0)("with a user for agents, an external adapter", () => {
  const user = { SERVICE_AGENT_UID: "65531", SERVICE_AGENT_GID: "65530" };
  /** Reports its user, the files that it can read, and its input. */
  const spy = (dataDir: string) =>
    externalAdapterCode({
      type: "spy",
      top: `import { readFileSync, readdirSync } from "node:fs";`,
      execute: `
        const tried = (path, read) => { try { read(path); return "read"; } catch (error) { return error.code; } };
        const files = ["master.key", "board-token", "service.json", "adapters/registry.json"];
        const folders = [".", "database", "adapters", "adapters/local"];
        const dir = ${JSON.stringify(dataDir)} + "/";
        const outcome = await context.runProcess({ command: "id", args: ["-u"], timeoutSec: 10, graceSec: 1 });
        return { exitCode: outcome.exitCode, timedOut: false, resultJson: {
          uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), umask: process.umask(), cwd: process.cwd(),
          names: Object.keys(process.env).sort(),
          files: Object.fromEntries(files.map((name) => [name, tried(dir + name, readFileSync)])),
          folders: Object.fromEntries(folders.map((name) => [name, tried(dir + name, readdirSync)])),
        } };`,
    });

  it("runs as that user and reads neither keys nor tokens, and its agents work in the data directory", async () => {
    // With its database in it.
    const dataDir = await preparedDataDirectory(join(folder, "data-with-database"));
    const registry = await packageRegistry();
    try {
      const service = await serve(dataDir, {
        ...user,
        SERVICE_AGENT_ENV_PASSTHROUGH: "LET_THROUGH",
        LET_THROUGH: "yes",
        KEPT_BACK: "no",
        SERVICE_METRICS_TOKEN: "0123456789abcdef",
        npm_config_registry: registry.url,
      });
      const board = await service.board();
      const localPath = externalAdapterPackage(folder, "spy", spy(dataDir));
      await board.adapters.install({ localPath });
      const seen = async () => {
        const agent = await agentOf(service, "spy");
        const { id: runId } = await board.agents.invoke({ agentId: agent.id });
        const run = await eventually(
          () => board.runs.get({ runId: runId! }),
          ({ status }) => status !== "queued" && status !== "running",
        );
        expect(run).toMatchObject({ status: "succeeded", error: null });
        expect(run.lastOutput).toMatch(/65531/);
        return run.result;
      };
      const closed = { ".": "EACCES", database: "EACCES", adapters: "EACCES", "adapters/local": "EACCES" };
      const expected = {
        uid: 65531,
        gid: 65530,
        umask: 0o077,
        names: [
          "HOME",
          "LET_THROUGH",
          "PAPERCLIP_API_URL",
          "PATH",
          "SERVICE_INSTALLATION_ID",
          "SERVICE_RUN_ID",
        ],
        files: {
          "master.key": "EACCES",
          "board-token": "EACCES",
          "service.json": "EACCES",
          "adapters/registry.json": "EACCES",
        },
        folders: closed,
      };
      expect(await seen()).toMatchObject({
        ...expected,
        cwd: expect.stringMatching(new RegExp(`^${dataDir}/workspaces/[0-9a-f-]+$`)),
      });
      expect(((await seen()) as { groups: number[] }).groups).not.toContain(0);

      await board.adapters.remove({ adapterType: "spy" });
      registry.publish(localPath);
      await board.adapters.install({ packageName: "spy" });
      expect(await seen()).toMatchObject({ ...expected, folders: { ".": "EACCES", database: "EACCES" } });
      await stop(service);
      const again = await serve(dataDir, user);
      expect((await loaded(again, "spy"))?.status).toBe("loaded");
    } finally {
      registry.close();
    }
  });

  it("that it may not read is refused with a hint", async () => {
    const service = await serve(await dataDirectory(), user);
    const board = await service.board();
    const localPath = externalAdapterPackage(folder, "closed", externalAdapterCode({ type: "closed" }));
    chmodSync(localPath, 0o700);
    await expect(board.adapters.install({ localPath })).rejects.toThrow(
      /uid 65531 \(SERVICE_AGENT_UID\).*chmod -R o\+rX/,
    );
    chmodSync(localPath, 0o755);
    chmodSync(join(localPath, "index.js"), 0o600);
    await expect(board.adapters.install({ localPath })).rejects.toThrow(/must be able to read/);
  });
});

describe("a service that is killed during an installation", () => {
  it("starts clean, and then installs it", async () => {
    const dataDir = await dataDirectory();
    const registry = await packageRegistry();
    try {
      registry.publish(externalAdapterPackage(folder, "later", externalAdapterCode({ type: "later" })));
      const letGo = registry.hold();
      const env = { npm_config_registry: registry.url, npm_config_cache: join(folder, "npm-cache") };
      const service = await serve(dataDir, env);
      const installing = (await service.board()).adapters.install({ packageName: "later" }).catch(() => null);
      await eventually(
        async () => registry.asked.filter((path) => path.endsWith(".tgz")),
        (asked) => asked.length > 0,
      );
      const staging = join(dataDir, "adapters", "staging");
      expect(readdirSync(staging)).toHaveLength(1);
      await kill(service);
      await installing;
      const again = await serve(dataDir, env);
      await eventually(
        async () => readdirSync(staging),
        (left) => left.length === 0,
      );
      letGo();
      const board = await again.board();
      expect((await board.adapters.list()).every(({ loaded }) => loaded)).toBe(true);
      expect(await board.adapters.install({ packageName: "later" })).toMatchObject({ version: "1.0.0" });
      expect(readdirSync(staging)).toEqual([]);
    } finally {
      registry.close();
    }
  });
});

describe("a service that stops during an installation", () => {
  it("waits ten seconds for it, and then kills npm", async () => {
    const dataDir = await dataDirectory();
    const registry = await packageRegistry();
    try {
      registry.publish(externalAdapterPackage(folder, "endless", externalAdapterCode({ type: "endless" })));
      registry.hold();
      const env = { npm_config_registry: registry.url, npm_config_cache: join(folder, "npm-cache-2") };
      const service = await serve(dataDir, env);
      const installing = (await service.board()).adapters
        .install({ packageName: "endless" })
        .catch(() => null);
      await eventually(
        async () => registry.asked.filter((path) => path.endsWith(".tgz")),
        (asked) => asked.length > 0,
      );
      expect(working(dataDir)).not.toEqual([]);
      running.splice(running.indexOf(service), 1);
      expect(await service.stop()).toBe(0);
      await installing;
      expect(working(dataDir)).toEqual([]);
    } finally {
      registry.close();
    }
  });
});
