import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { dutifulAgent, nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/external-adapter.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

// Closed to others, like root's home, which is a common place for a first trial.
const folder = temporaryFolder();
chmodSync(folder, 0o700);
const dataDir = join(folder, "data");
const hostFile = join(folder, "host-file");
writeFileSync(hostFile, "of the host", { mode: 0o644 });

const metricsToken = "a-token-of-the-metrics";

let service: ServiceProgram;
let board: Client;
let acme: string;
let globex: string;
/** A run of Acme that keeps a value in its environment, its home and its workspace. */
let keeper: { agentId: string; runId: string };

const invoke = async (companyId: string, name: string, adapterConfig: object) => {
  const agent = await board.agents.create({
    companyId,
    name,
    adapterType: "process",
    adapterConfig: adapterConfig as Record<string, never>,
  });
  const { id } = await board.agents.invoke({ agentId: agent.id });
  return { agentId: agent.id, runId: id! };
};

const printed = async (runId: string): Promise<string> =>
  (await board.runs.log({ runId })).content
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
    .join("");

/** Returns the last line of a program of Globex, as JSON. */
const attempt = async (body: string, env: Record<string, string> = {}): Promise<unknown> => {
  const { runId } = await invoke(globex, `Intruder ${Math.random()}`, {
    ...nodeAgent(`
      import { execFileSync, spawn } from "node:child_process";
      import fs from "node:fs";
      import net from "node:net";
      const tried = (work) => { try { return work(); } catch (error) { return error.code ?? String(error.stderr ?? error.message).trim(); } };
      const reached = (port, host) => new Promise((resolve) => {
        const socket = net.connect({ port, host, timeout: 3000 });
        socket.on("connect", () => resolve("connected")).on("timeout", () => resolve("timeout")).on("error", (error) => resolve(error.code));
      });
      const seen = await (async () => { ${body} })();
      console.log(JSON.stringify(seen ?? null));
      process.exit(0);
    `),
    env: { DATA: dataDir, ...env },
  });
  const run = await eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status !== "queued" && status !== "running",
  );
  const text = await printed(runId);
  if (run.status !== "succeeded") throw new Error(`${run.status}: ${run.error}\n${text}`);
  return JSON.parse(text.trim().split("\n").at(-1)!);
};

const isPossible = process.getuid?.() === 0;

/** Reads of the service's data and of the host that must fail, by their content. */
const unseen: readonly [what: string, body: string][] = [
  ["the master key", `return tried(() => fs.readFileSync(process.env.DATA + "/master.key", "utf8"))`],
  ["the board token", `return tried(() => fs.readFileSync(process.env.DATA + "/board-token", "utf8"))`],
  ["the database's files", `return tried(() => fs.readdirSync(process.env.DATA + "/database"))`],
  ["files and logs of all", `return tried(() => fs.readdirSync(process.env.DATA + "/blobs"))`],
  [
    "a file of the host that all may read",
    `return tried(() => fs.readFileSync(${JSON.stringify(hostFile)}, "utf8"))`,
  ],
  ["root's home", `return tried(() => fs.readFileSync("/root/.bashrc"))`],
];

/** Asks the kernel to attach to a process as a debugger; prints the error's number. */
const attach = `perl -e 'syscall(${process.arch === "arm64" ? 117 : 101}, 16, $ARGV[0], 0, 0); print $!+0'`;

/** Listens on an abstract socket from the test itself, as a program of the host. */
const listenOnAbstract = async (name: string): Promise<Server> => {
  const server = createServer((socket) => socket.on("error", () => {}).end());
  await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
  return server;
};
const connects = `
  const connects = (name) => new Promise((resolve) => {
    net.connect("\\0" + name).on("connect", () => resolve("connected")).on("error", (error) => resolve(error.code));
  });
`;

describe.skipIf(!isPossible)("with no setting, as root, an agent", () => {
  beforeAll(async () => {
    service = await serveProgram(await preparedDataDirectory(dataDir), {
      SERVICE_SANDBOX: "",
      SERVICE_METRICS_TOKEN: metricsToken,
      SERVICE_RUN_MAX_PROCESSES: "200",
      SERVICE_RUN_MAX_MEMORY_MB: "300",
      SERVICE_RUN_MAX_FILE_BYTES: `${4 * 1024 * 1024}`,
      SERVICE_RUN_MAX_DISK_MB: "64",
    });
    board = await service.board();
    acme = (await board.companies.create({ name: "Acme" })).id;
    globex = (await board.companies.create({ name: "Globex" })).id;
    keeper = await invoke(acme, "Keeper", {
      ...nodeAgent(`
        import { writeFileSync } from "node:fs";
        import { createServer } from "node:net";
        await new Promise((listening) => createServer().listen("\\0kept-by-acme", listening));
        for (const directory of [process.env.HOME, process.cwd()]) writeFileSync(directory + "/kept", "x", { mode: 0o666 });
        console.log("keeps as " + process.getuid());
        setInterval(() => {}, 1000);
      `),
      env: { KEPT: "of-acme" },
    });
    await eventually(
      () => printed(keeper.runId),
      (text) => /keeps as 60\d{3}/.test(text),
    );
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is separated, and the service reports it", async () => {
    expect(service.output()).toContain("agents are separated");
    expect(await board.system.health()).toMatchObject({ separation: { level: "separated", gaps: [] } });
  });

  it("completes its issue all the same", async () => {
    const agent = await board.agents.create({
      companyId: acme,
      name: "Ada",
      adapterType: "process",
      adapterConfig: dutifulAgent as never,
    });
    const issue = await board.issues.create({ companyId: acme, title: "Look", assigneeAgentId: agent.id });
    await eventually(
      () => board.issues.get({ issueId: issue.id }),
      ({ status }) => status === "done",
    );
  });

  it("runs a script from a closed folder", async () => {
    const script = join(folder, "agent.sh");
    writeFileSync(script, "#!/bin/sh\necho here as $(id -u)\n", { mode: 0o755 });
    const { runId } = await invoke(globex, "Script", { command: script });
    const output = await eventually(
      () => printed(runId),
      (text) => text.includes("here as"),
    );
    const uidIn = (text: string) => /as (60\d{3})\b/.exec(text)![1];
    expect(uidIn(output)).not.toBe(uidIn(await printed(keeper.runId)));
  });

  it.each(unseen)("does not see %s", async (_what, body) => {
    expect(await attempt(body)).toBe("ENOENT");
  });

  it("sees only its own workspace and home", async () => {
    expect(
      await attempt(
        `return ["workspaces", "homes"].map((name) => fs.readdirSync(process.env.DATA + "/" + name).length)`,
      ),
    ).toEqual([1, 1]);
    expect(
      await attempt(`return tried(() => fs.readFileSync(process.env.THEIRS, "utf8"))`, {
        THEIRS: join(dataDir, "workspaces", keeper.agentId, "kept"),
      }),
    ).toBe("ENOENT");
  });

  it("sees only its own processes, and no environment of another's", async () => {
    expect(
      await attempt(`
        const pids = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
        const kept = pids.filter((pid) => { try { return fs.readFileSync("/proc/" + pid + "/environ", "utf8").includes("KEPT="); } catch { return false; } });
        return { few: pids.length < 8, kept };
      `),
    ).toEqual({ few: true, kept: [] });
  });

  it("can stop neither the service nor another run", async () => {
    const run = await board.runs.get({ runId: keeper.runId });
    expect(
      await attempt(
        `return [process.env.SERVICE, process.env.OTHER].map((pid) => tried(() => process.kill(Number(pid), "SIGKILL")))`,
        {
          SERVICE: `${service.child.pid}`,
          OTHER: `${run.process?.name}`,
        },
      ),
    ).toEqual(["ESRCH", "ESRCH"]);
    expect((await board.runs.get({ runId: keeper.runId })).status).toBe("running");
  });

  it("cannot attach to a process as a debugger", async () => {
    const run = await board.runs.get({ runId: keeper.runId });
    const pids = `for (const pid of [process.env.SERVICE, process.env.OTHER])`;
    expect(
      await attempt(
        `const seen = []; ${pids} seen.push(execFileSync("sh", ["-c", ${JSON.stringify(`${attach} "$1"`)}, "sh", pid]).toString()); return seen`,
        { SERVICE: `${service.child.pid}`, OTHER: `${run.process?.name}` },
      ),
    ).toEqual(["3", "3"]);
  });

  it("cannot reach abstract sockets of another run or of the host, and may use its own", async () => {
    const host = await listenOnAbstract("of-the-host");
    try {
      expect(
        await attempt(`
          ${connects}
          await new Promise((listening) => net.createServer((socket) => socket.end()).listen("\\0mine", listening));
          return [await connects("kept-by-acme"), await connects("of-the-host"), await connects("mine")];
        `),
      ).toEqual(["EPERM", "EPERM", "connected"]);
    } finally {
      host.close();
    }
  });

  it("gets no setting of the service", async () => {
    const seen = (await attempt(`return process.env`)) as Record<string, string>;
    expect(Object.values(seen)).not.toContain(metricsToken);
    expect(Object.keys(seen).filter((name) => /MASTER|DATABASE|METRICS|DATA_DIR|SANDBOX/.test(name))).toEqual(
      [],
    );
  });

  it("gains no rights: no capability, no set-uid program, no device", async () => {
    expect(
      await attempt(`
        const status = fs.readFileSync("/proc/self/status", "utf8");
        return {
          caps: /CapEff:\\s*(\\w+)/.exec(status)[1],
          bounding: /CapBnd:\\s*(\\w+)/.exec(status)[1],
          noNewPrivs: /NoNewPrivs:\\s*(\\d)/.exec(status)[1],
          su: tried(() => execFileSync("su", ["-c", "id -u"], { stdio: "pipe" }).toString()) !== "0\\n",
          mknod: tried(() => execFileSync("mknod", ["/tmp/disk", "b", "254", "0"], { stdio: "pipe" })).includes("not permitted"),
          disks: fs.readdirSync("/dev").filter((name) => /^[sv]d|^mem$/.test(name)),
          usr: tried(() => fs.writeFileSync("/usr/bin/x", "")),
          mount: tried(() => execFileSync("mount", ["-t", "tmpfs", "none", "/mnt"], { stdio: "pipe" })) !== "",
        };
      `),
    ).toEqual({
      caps: "0000000000000000",
      bounding: "0000000000000000",
      noNewPrivs: "1",
      su: true,
      mknod: true,
      disks: [],
      usr: "EROFS",
      mount: true,
    });
  });

  it("reaches the service, but neither the database's port nor a cloud's metadata address", async () => {
    const port = Number(
      readFileSync(join(dataDir, "database", "cluster", "postmaster.pid"), "utf8").split("\n")[3],
    );
    expect(
      await attempt(
        `
        const { status } = await call("GET", "/api/agents/me");
        return { status, database: await reached(Number(process.env.DB), "127.0.0.1"), metadata: await reached(80, "169.254.169.254") };
      `,
        { DB: `${port}` },
      ),
    ).toEqual({ status: 200, database: "ECONNREFUSED", metadata: "ECONNREFUSED" });
  });

  it("cannot fill the machine with processes, and others continue", async () => {
    expect(
      await attempt(`
        let started = 0;
        try {
          for (; started < 1000; started++) {
            const child = spawn("sleep", ["60"], { stdio: "ignore" });
            const failed = await new Promise((resolve) => child.on("error", (error) => resolve(error.code)).on("spawn", () => resolve(null)));
            if (failed) break;
          }
        } catch {}
        // Only time shows to a program that the service, which looks every two seconds, has looked at the memory of its
        // processes, most of which they share.
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        return started > 20 && started < 200;
      `),
    ).toBe(true);
    expect((await board.runs.get({ runId: keeper.runId })).status).toBe("running");
  });

  it("that fails because no further process starts says so", async () => {
    const { runId } = await invoke(globex, "Forker", {
      command: "sh",
      args: ["-c", "n=0; while [ $n -lt 400 ]; do sleep 60 & n=$((n+1)); done"],
    });
    const run = await eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status === "failed",
    );
    expect(run).toMatchObject({ errorCode: "process_limit", error: expect.stringContaining("processes") });
  });

  it("cannot exceed its memory limit, whatever it starts", async () => {
    const { runId } = await invoke(globex, "Hoarder", {
      ...nodeAgent(`
        import { spawn } from "node:child_process";
        const hold = "globalThis.held = Array.from({ length: 25 }, () => Buffer.alloc(10 * 1024 * 1024, 1)); setInterval(() => {}, 1000)";
        for (const _ of [1, 2]) spawn(process.execPath, ["-e", hold], { stdio: "ignore" });
        setInterval(() => {}, 1000);
      `),
    });
    const run = await eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status === "failed",
    );
    expect(run).toMatchObject({
      errorCode: "memory_limit",
      error: expect.stringContaining("held more memory"),
    });
  });

  it("cannot write a file beyond its limit", async () => {
    expect(
      await attempt(`
        process.on("SIGXFSZ", () => {});
        return tried(() => fs.writeFileSync("big", Buffer.alloc(5 * 1024 * 1024)));
      `),
    ).toBe("EFBIG");
  });

  it("cannot fill the disk, nor the memory through its /tmp", async () => {
    const { runId } = await invoke(globex, "Filler", {
      ...nodeAgent(`
        import { writeFileSync } from "node:fs";
        const block = Buffer.alloc(4 * 1024 * 1024, 1);
        let n = 0;
        try { for (; n < 100; n++) writeFileSync("/tmp/file-" + n, block); } catch (error) { console.log(error.code + " after " + 4 * n); }
        setInterval(() => ++n < 1000 && writeFileSync("file-" + n, block), 50);
      `),
    });
    const run = await eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status === "failed",
    );
    expect(run).toMatchObject({ errorCode: "disk_limit", error: expect.stringContaining("workspace") });
    expect(await printed(runId)).toContain("ENOSPC after 148");
    expect((await board.runs.get({ runId: keeper.runId })).status).toBe("running");
  });

  it("cannot lead the service outside of its workspace by links", async () => {
    await attempt(`
      fs.symlinkSync("/etc/shadow", "link");
      tried(() => fs.linkSync("/etc/passwd", "hard"));
      fs.symlinkSync(process.env.DATA + "/master.key", process.env.HOME + "/key");
    `);
    await service.stop();
    service = await serveProgram(dataDir, {
      SERVICE_SANDBOX: "",
      SERVICE_AGENT_UID: "61000-61010",
    });
    board = await service.board();
    expect(await attempt(`return process.getuid()`)).toBe(61_002);
    expect(readFileSync("/etc/shadow")).toBeDefined();
    const { statSync } = await import("node:fs");
    expect([
      statSync("/etc/shadow").uid,
      statSync("/etc/passwd").uid,
      statSync(join(dataDir, "master.key")).uid,
    ]).toEqual([0, 0, 0]);
  });
});

describe.skipIf(!isPossible)("with no setting, as an ordinary user, an agent", () => {
  const nobody = 65_534;
  const home = temporaryFolder();
  const data = join(home, "data");

  beforeAll(async () => {
    chmodSync(home, 0o755);
    mkdirSync(data);
    for (const path of [home, data]) chownSync(path, nobody, nobody);
    const through = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    service = await serveProgram(data, { SERVICE_SANDBOX: "", HOME: home }, [], { through, cwd: home });
    board = await service.board();
    acme = (await board.companies.create({ name: "Acme" })).id;
    globex = (await board.companies.create({ name: "Globex" })).id;
    keeper = await invoke(acme, "Keeper", {
      ...nodeAgent(`
        import { createServer } from "node:net";
        await new Promise((listening) => createServer().listen("\\0kept-by-acme", listening));
        console.log("keeps as " + process.getuid());
        setInterval(() => {}, 1000);
      `),
      env: { KEPT: "of-acme" },
    });
    await eventually(
      () => printed(keeper.runId),
      (text) => text.includes(`keeps as ${nobody}`),
    );
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it("is partly separated, and the service reports what is missing", async () => {
    expect(await board.system.health()).toMatchObject({
      separation: {
        level: "partly",
        gaps: [
          expect.stringContaining("The service is not root"),
          expect.stringContaining("Agents reach every port"),
        ],
      },
    });
  });

  it.each(unseen)("does not see %s", async (_what, body) => {
    expect(await attempt(body, { DATA: data })).toBe("ENOENT");
  });

  it("sees, ends and debugs only its own processes, and reaches no abstract socket of another run", async () => {
    const run = await board.runs.get({ runId: keeper.runId });
    expect(
      await attempt(
        `
        ${connects}
        const others = [process.env.SERVICE, process.env.OTHER];
        return {
          few: fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length < 8,
          killed: others.map((pid) => tried(() => process.kill(Number(pid), "SIGKILL"))),
          attached: others.map((pid) => execFileSync("sh", ["-c", ${JSON.stringify(`${attach} "$1"`)}, "sh", pid]).toString()),
          abstract: await connects("kept-by-acme"),
        };
      `,
        { SERVICE: `${service.child.pid}`, OTHER: `${run.process?.name}` },
      ),
    ).toEqual({ few: true, killed: ["ESRCH", "ESRCH"], attached: ["3", "3"], abstract: "EPERM" });
  });
});

describe.skipIf(!isPossible)("an upgrade from a data directory where agents ran as the service", () => {
  it("moves workspaces to the new users", async () => {
    const data = join(temporaryFolder(), "upgraded");
    const before = await serveProgram(await preparedDataDirectory(data));
    board = await before.board();
    globex = (await board.companies.create({ name: "Globex" })).id;
    const agent = await board.agents.create({
      companyId: globex,
      name: "Ada",
      adapterType: "process",
      adapterConfig: nodeAgent(`
        import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
        mkdirSync("notes", { recursive: true });
        appendFileSync("notes/diary", process.getuid() + "\\n");
        console.log(readFileSync("notes/diary", "utf8"));
      `) as never,
    });
    const diary = async () => {
      const { id } = await board.agents.invoke({ agentId: agent.id });
      await eventually(
        () => board.runs.get({ runId: id! }),
        ({ status }) => status === "succeeded",
      );
      return printed(id!);
    };
    expect(await diary()).toContain("0\n");
    await before.stop();
    const after = await serveProgram(data, { SERVICE_SANDBOX: "" });
    board = await after.board();
    expect(await diary()).toMatch(/^0\n60\d{3}\n\n$/);
    await after.stop();
    rmSync(join(data, ".."), { recursive: true, force: true });
  });
});
