import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/external-adapter.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { program, type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { hasControllers, makeUnit, type Unit } from "./unit.ts";

// `npm run test:cgroups`: on a kernel with control groups of version 2.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const nobody = 65_534;
const limits = {
  SERVICE_SANDBOX: "",
  SERVICE_RUN_MAX_MEMORY_MB: "200",
  SERVICE_RUN_MAX_PROCESSES: "100",
};

let service: ServiceProgram;
let board: Client;
let company: string;

const serve = async (dataDir: string, env: Record<string, string>, through: readonly string[]) => {
  service = await serveProgram(dataDir, { ...limits, ...env }, [], { through, cwd: "/" });
  board = await service.board();
};

/** Starts a run of a shell script. */
const begin = async (name: string, script: string): Promise<string> => {
  const agent = await board.agents.create({
    companyId: company,
    name: `${name} ${Math.random()}`,
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-c", script], graceSec: 2 },
  });
  return (await board.agents.invoke({ agentId: agent.id })).id!;
};

const outputOf = async (runId: string): Promise<string> =>
  (await board.runs.log({ runId })).content
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
    .join("");

const untilOutput = (runId: string, expected: string) =>
  eventually(
    () => outputOf(runId),
    (text) => text.includes(expected),
    { withinMs: 60_000, everyMs: 200 },
  );

const ended = (runId: string) =>
  eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status !== "queued" && status !== "running",
    { withinMs: 120_000, everyMs: 200 },
  );

const run = async (name: string, script: string) => ended(await begin(name, script));

/** A program that holds so many megabytes for so many seconds. */
const hold = (megabytes: number, seconds: number) =>
  `perl -e '$held = "x" x ($ARGV[0] << 20); sleep $ARGV[1]' ${megabytes} ${seconds}`;

/** Whether a process with this argument lives, wherever it is. */
const lives = (argument: string): boolean => {
  try {
    execFileSync("pgrep", ["-f", `^sleep ${argument}$`]);
    return true;
  } catch {
    return false;
  }
};

const outOfMemory = { status: "failed", errorCode: "memory_limit" };
const folders: string[] = [];
const dataFolder = (owner?: number): string => {
  const folder = temporaryFolder();
  folders.push(folder);
  chmodSync(folder, 0o755);
  const data = join(folder, "data");
  mkdirSync(data);
  if (owner !== undefined) for (const path of [folder, data]) chownSync(path, owner, owner);
  return data;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

it("the kernel has the controllers that these tests need", () => {
  expect(hasControllers()).toBe(true);
});

describe("in a control group of its own, as root, a service", () => {
  let unit: Unit;
  let keeper: string;

  beforeAll(async () => {
    unit = makeUnit("own");
    await serve(await preparedDataDirectory(dataFolder()), {}, unit.through);
    company = (await board.companies.create({ name: "Acme" })).id;
    keeper = await begin("Keeper", "echo keeping; exec sleep 100000");
    await untilOutput(keeper, "keeping");
  });
  afterAll(async () => {
    await service?.stop();
    unit.remove();
  });

  it("leaves the limits of runs to the kernel, and says so", async () => {
    expect(service.output()).toContain("the kernel limits the memory and the processes of each run");
    expect(await board.system.health()).toMatchObject({
      processContainment: "cgroup",
      runLimits: { by: "cgroup", gap: null },
    });
    const doctor = execFileSync(process.execPath, [program, "doctor"], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, SERVICE_DATA_DIR: service.dataDir },
    });
    expect(doctor).toContain("the kernel keeps those of each run");
  });

  it("ends the whole run whose programs hold too much memory together", async () => {
    const each = hold(60, 4001);
    const ended = await run("Hoarders", `for n in 1 2 3 4; do ${each} & done; exec sleep 4001`);
    expect(ended).toMatchObject({ ...outOfMemory, error: expect.stringContaining("held more memory") });
    expect(lives("4001")).toBe(false);
  });

  it("counts what a program writes into its /tmp", async () => {
    expect(
      await run("Filler", `head -c 100000000 /dev/zero > /tmp/big; ${hold(120, 5)}; echo still here`),
    ).toMatchObject(outOfMemory);
  });

  it("lets two runs have as much each as one may have", async () => {
    const script = `n=0; while [ $n -lt 60 ]; do sleep 20 & n=$((n+1)); done; ${hold(120, 15)}; echo held`;
    const both = await Promise.all([begin("One", script), begin("Two", script)]);
    for (const runId of both) {
      expect(await ended(runId)).toMatchObject({ status: "succeeded" });
      expect(await outputOf(runId)).toContain("held");
    }
  });

  it("stops a fork bomb at the limit of its run, and others continue", async () => {
    const bomb = await begin("Bomb", "bomb() { bomb & bomb; }; bomb");
    const neighbour = await run("Neighbour", "for n in 1 2 3 4 5; do sleep 1 & done; wait; echo fine");
    expect(neighbour).toMatchObject({ status: "succeeded" });
    expect(await ended(bomb)).toMatchObject({
      status: "failed",
      errorCode: "process_limit",
      error: expect.stringContaining("number of processes"),
    });
  });

  it("lost neither itself, nor its database, nor another run", async () => {
    expect(await board.runs.get({ runId: keeper })).toMatchObject({ status: "running" });
    expect(await board.system.health()).toMatchObject({ status: "ok" });
    await eventually(
      async () => unit.runs(),
      (runs) => runs.length === 1 && runs[0] === keeper,
    );
  });
});

describe("in a control group of its own, as root, without a sandbox, a service", () => {
  let unit: Unit;

  beforeAll(async () => {
    unit = makeUnit("bare");
    const env = { SERVICE_SANDBOX: "off", SERVICE_AGENT_UID: "61000-61010" };
    await serve(await preparedDataDirectory(dataFolder()), env, unit.through);
    company = (await board.companies.create({ name: "Acme" })).id;
  });
  afterAll(async () => {
    await service?.stop();
    unit.remove();
  });

  it("ends what left its session, its parent and its environment at its first instruction", async () => {
    const ended = await run("Runaway", "env -i setsid /bin/sh -c 'trap \"\" TERM; sleep 4002; :' & exit 0");
    expect(ended).toMatchObject({ status: "succeeded" });
    expect(lives("4002")).toBe(false);
    await eventually(
      async () => unit.runs(),
      (runs) => runs.length === 0,
    );
  });

  it("limits programs of the company's user", async () => {
    expect(await run("Hoarder", `id -u; ${hold(300, 60)}`)).toMatchObject(outOfMemory);
  });

  it("that was killed leaves nothing once it has started again", async () => {
    const runId = await begin("Left", "env -i setsid sleep 4003 & echo begun; exec sleep 4004");
    await untilOutput(runId, "begun");
    await eventually(
      async () => [lives("4003"), lives("4004")],
      (found) => !found.includes(false),
    );
    expect(unit.runs()).toEqual([runId]);
    await service.stop("SIGKILL");
    expect([lives("4003"), lives("4004")]).toEqual([true, true]);
    const env = { SERVICE_SANDBOX: "off", SERVICE_AGENT_UID: "61000-61010" };
    await serve(service.dataDir, env, unit.below("boardroom-service"));
    await eventually(
      async () => [lives("4003"), lives("4004"), unit.runs().includes(runId)],
      (found) => !found.includes(true),
      { withinMs: 120_000, everyMs: 500 },
    );
    expect(await board.system.health()).toMatchObject({ runLimits: { by: "cgroup" } });
  });
});

describe("as an ordinary user in a delegated control group, a service", () => {
  let unit: Unit;
  const user = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];

  beforeAll(async () => {
    unit = makeUnit("delegated", nobody);
    const data = dataFolder(nobody);
    await serve(data, { HOME: join(data, "..") }, [...unit.through, ...user]);
    company = (await board.companies.create({ name: "Acme" })).id;
  });
  afterAll(async () => {
    await service?.stop();
    unit.remove();
  });

  it("leaves the limits of runs to the kernel", async () => {
    expect(await board.system.health()).toMatchObject({ runLimits: { by: "cgroup", gap: null } });
    expect(await run("Hoarder", hold(300, 60))).toMatchObject(outOfMemory);
  });

  it("has programs that cannot raise their limits, nor hide from their end in groups of their own", async () => {
    const runId = await begin(
      "Climber",
      `mkdir /tmp/groups
       unshare --user --map-root-user --cgroup --mount sh -c '
         mount -t cgroup2 none /tmp/groups || exit 1
         mkdir /tmp/groups/hidden && echo "made a group"
         for file in $(find /tmp/groups -name memory.max -o -name pids.max); do echo max > $file && echo "raised $file"; done
         setsid sh -c "echo 0 > /tmp/groups/hidden/cgroup.procs; exec sleep 4005" &
         sleep 2'
       ${hold(300, 60)}`,
    );
    expect(await ended(runId)).toMatchObject(outOfMemory);
    const text = await outputOf(runId);
    expect(text).toContain("made a group");
    expect(text).not.toContain("raised");
    expect(lives("4005")).toBe(false);
    await eventually(
      async () => unit.runs(),
      (runs) => runs.length === 0,
    );
  });
});

describe("without a control group of its own, a service", () => {
  let unit: Unit;
  const neighbour = (group: Unit) => {
    const [command = "", ...args] = [...group.through, "sleep", "100000"];
    return spawn(command, args, { stdio: "ignore" });
  };

  beforeAll(() => {
    unit = makeUnit("shared");
  });
  afterAll(async () => {
    await service?.stop();
    await eventually(
      async () => {
        try {
          unit.remove();
          return true;
        } catch {
          return false;
        }
      },
      (isGone) => isGone,
    );
  });

  it("moves nobody, limits runs by samples, and says why", async () => {
    const other = neighbour(unit);
    try {
      await eventually(
        async () => execFileSync("cat", [join(unit.folder, "cgroup.procs")], { encoding: "utf8" }),
        (pids) => pids.includes(`${other.pid}`),
      );
      await serve(await preparedDataDirectory(dataFolder()), {}, unit.through);
      company = (await board.companies.create({ name: "Acme" })).id;
      const gap = expect.stringMatching(/also holds sleep \(\d+\).*Delegate=yes/);
      expect(await board.system.health()).toMatchObject({ runLimits: { by: "rlimits", gap } });
      expect(service.output()).toContain("limited by samples");
      expect(await run("Hoarder", `${hold(300, 60)} & wait`)).toMatchObject(outOfMemory);
      expect(
        execFileSync("cat", [join(unit.folder, "cgroup.procs")], { encoding: "utf8" }).split("\n"),
      ).toContain(`${other.pid}`);
    } finally {
      other.kill("SIGKILL");
    }
  });

  it("of an ordinary user says that nothing was delegated", () => {
    const group = makeUnit("foreign");
    try {
      const [command = "", ...args] = [
        ...group.through,
        ...["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"],
        ...[process.execPath, program, "doctor"],
      ];
      const doctor = execFileSync(command, args, {
        encoding: "utf8",
        env: { PATH: process.env.PATH, SERVICE_DATA_DIR: dataFolder(nobody) },
      });
      expect(doctor).toMatch(/may not write its control group .*Delegate=yes/);
    } finally {
      group.remove();
    }
  });
});
