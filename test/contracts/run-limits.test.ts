import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { boundedReads } from "../../adapters-infra/local/bounded-output.ts";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { type DiskReadings, diskReadings, diskWatch } from "../../adapters-infra/local/disk-watch.ts";
import { type GroupFacts, groupFolder, whyNotDivided } from "../../adapters-infra/local/group-root.ts";
import { countOf, limitsMet, reportedLimits } from "../../adapters-infra/local/limits-met.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { installation } from "../support/installation.ts";
import { treeOf } from "../support/processes.ts";
import { type SilentFiles, silentFiles } from "../support/silent-files.ts";
import { aWorkspace } from "../support/workspaces.ts";

describe("the folder of a control group", () => {
  const mount = (root: string, point: string, kind = "cgroup2") =>
    `24 30 0:26 ${root} ${point} rw,nosuid shared:4 - ${kind} cgroup2 rw`;

  it.each([
    [
      "of a unit",
      mount("/", "/sys/fs/cgroup"),
      "0::/system.slice/b.service\n",
      "/sys/fs/cgroup/system.slice/b.service",
    ],
    ["in the root", mount("/", "/sys/fs/cgroup"), "0::/\n", "/sys/fs/cgroup"],
    [
      "next to groups of version 1",
      `${mount("/", "/sys/fs/cgroup/memory", "cgroup")}\n${mount("/", "/sys/fs/cgroup/unified")}`,
      "4:memory:/a\n1:name=systemd:/b\n0::/c\n",
      "/sys/fs/cgroup/unified/c",
    ],
    [
      "in a container that sees a part of the tree",
      mount("/docker/7f", "/sys/fs/cgroup"),
      "0::/docker/7f/x\n",
      "/sys/fs/cgroup/x",
    ],
    ["outside of the part that is mounted", mount("/docker/7f", "/sys/fs/cgroup"), "0::/other\n", null],
    ["without version 2", mount("/", "/sys/fs/cgroup/memory", "cgroup"), "4:memory:/a\n", null],
  ])("%s is found", (_where, mounts, groups, folder) => {
    expect(groupFolder(mounts, groups)).toBe(folder);
  });
});

describe("a service divides its control group among runs", () => {
  const own: GroupFacts = {
    path: "/sys/fs/cgroup/b",
    isRoot: false,
    offered: ["cpu", "memory", "pids"],
    enabled: [],
    isWritable: true,
    isDelegated: null,
    otherPrograms: [],
  };

  it.each([
    ["in a group of its own", own],
    ["in a delegated unit of systemd", { ...own, isDelegated: true }],
    [
      "in the root of a machine whose controllers are on",
      { ...own, isRoot: true, enabled: own.offered, otherPrograms: ["init (1)"] },
    ],
  ])("%s", (_where, facts) => {
    expect(whyNotDivided(facts)).toBeNull();
  });

  it.each([
    ["controllers are missing", { ...own, offered: ["hugetlb", "pids"] }, "has no memory controller"],
    [
      "it may not write it",
      { ...own, isWritable: false },
      "may not write its control group /sys/fs/cgroup/b",
    ],
    ["systemd has not delegated it", { ...own, isDelegated: false }, "has not delegated it"],
    [
      "other programs are in it",
      { ...own, otherPrograms: ["npm (7)", "bash (3)"] },
      "also holds npm (7), bash (3)",
    ],
    ["it is everybody's root", { ...own, isRoot: true, otherPrograms: ["init (1)"] }, "root control group"],
  ])("not where %s, and says so with a remedy", (_why, facts, message) => {
    const sentence = whyNotDivided(facts);
    expect(sentence).toContain(message);
    expect(sentence).toMatch(/Delegate=yes|systemd\.unified_cgroup_hierarchy/);
  });
});

describe("a program that failed", () => {
  const failed = { ...nothingHappened, exitCode: 1 };
  const none = { memoryKills: 0, refusedForks: 0 };

  it("after the kernel enforced a limit says which", () => {
    expect(limitsMet(failed, { ...none, memoryKills: 2 })).toEqual({ overMemory: true });
    expect(limitsMet(failed, { ...none, refusedForks: 9 })).toEqual({ overProcesses: true });
    expect(limitsMet(failed, { memoryKills: 1, refusedForks: 9 })).toEqual({ overMemory: true });
    expect(limitsMet(failed, none)).toEqual({});
  });

  it.each([
    ["succeeded", { exitCode: 0 }],
    ["was stopped", { stopped: true }],
    ["had no time left", { timedOut: true }],
    ["had filled the disk", { overDisk: true as const }],
    ["had said its result", { endedAfterResult: true }],
    ["never started", { startError: "It was not found." }],
  ])("for another reason says that one: it %s", (_what, more) => {
    expect(limitsMet({ ...failed, ...more }, { memoryKills: 1, refusedForks: 1 })).toEqual({});
  });

  it.each([
    "sh: 1: Cannot fork",
    "agent.sh: fork: retry: Resource temporarily unavailable",
    "Error: spawn /usr/bin/git EAGAIN",
    "bwrap: Creating new namespace failed: Resource temporarily unavailable",
    "node: pthread_create: Resource temporarily unavailable",
  ])("says by itself that no process could be started, where no group counts: %s", (stderrTail) => {
    expect(reportedLimits({ ...failed, stderrTail })).toEqual({ overProcesses: true });
    expect(reportedLimits({ ...failed, exitCode: 0, stderrTail })).toEqual({});
    expect(reportedLimits({ ...failed, overMemory: true, stderrTail })).toEqual({});
    expect(reportedLimits({ ...failed, stderrTail: "read: Resource temporarily unavailable" })).toEqual({});
  });

  it("is judged by the kernel's counters", () => {
    const events = "low 0\nhigh 0\nmax 31\noom 2\noom_kill 4\noom_group_kill 1\n";
    expect([countOf(events, "oom_kill"), countOf(events, "max"), countOf("", "max")]).toEqual([4, 31, 0]);
  });
});

const children = () => treeOf(process.pid).length;

describe("a file system whose server never answers", () => {
  let silent: SilentFiles | null = null;
  beforeAll(async () => {
    silent = await silentFiles();
    if (silent === null) console.error("Not tried: this machine lets nobody make file systems (FUSE).");
  });
  afterAll(() => silent?.close());

  it("holds up neither the service nor the readings of other runs", async ({ skip }) => {
    if (silent === null) return skip();
    const own = mkdtempSync(join(tmpdir(), "own-"));
    try {
      const hanging = Array.from({ length: 8 }, () => diskReadings([silent!.folder, own], process.pid));
      // More than the service has threads for files.
      const answers = hanging.map(async (readings) => [await readings.used(), await readings.held()]);
      const other = diskReadings([own], process.pid);
      expect(await other.used()).toBeGreaterThan(0);
      expect(await other.held()).toBeGreaterThanOrEqual(0);
      expect(await readFile("/etc/hostname", "utf8")).not.toBe("");
      expect(await Promise.all(answers)).toEqual(hanging.map(() => [null, null]));
      // While one reading of it waits, no further one begins.
      const before = children();
      expect(await hanging[0]!.held()).toBeNull();
      expect(children()).toBe(before);
    } finally {
      rmSync(own, { recursive: true });
    }
  });

  it("is not asked about the deleted files that a run holds open", async ({ skip }) => {
    if (silent === null) return skip();
    const own = mkdtempSync(join(tmpdir(), "own-"));
    const script = `
      const fs = require("node:fs");
      const file = fs.openSync("held", "w");
      fs.unlinkSync("held");
      fs.writeSync(file, Buffer.alloc(3_000_000, 1));
      fs.fsyncSync(file);
      console.log("holds");
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["-e", script], { cwd: own, stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(child.stdout, "data");
      const readings = diskReadings([own], child.pid!);
      expect(await readings.held()).toBeGreaterThanOrEqual(3_000_000);
    } finally {
      child.kill("SIGKILL");
      rmSync(own, { recursive: true });
    }
  });
});

describe("a process whose memory is locked without end", () => {
  it("keeps two of the service's threads at most, and holds up no reading of other processes for long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let begun = 0;
    const answers: (() => void)[] = [];
    const locked = () => {
      begun += 1;
      return new Promise<Buffer>((resolve) => answers.push(() => resolve(Buffer.from("late"))));
    };
    const boundedRead = boundedReads(2);
    try {
      const reads = ["/proc/1/environ", "/proc/2/environ"].map((path) => boundedRead(path, locked));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await Promise.all(reads)).toEqual([null, null]);
      for (const path of ["/proc/1/environ", "/proc/3/environ"])
        expect(await boundedRead(path, locked)).toBeNull();
      expect(begun).toBe(2);
      for (const answer of answers) answer();
      await vi.advanceTimersByTimeAsync(0);
      expect((await boundedRead("/proc/3/environ", async () => Buffer.from("A=1")))?.toString()).toBe("A=1");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("what a run adds to the disk", () => {
  /** A disk on which so much is in use, of it in the run's folders. */
  const disk = (readings: readonly (readonly [used: number, inFolders: number])[]) => {
    let at = -1;
    let measured = 0;
    const found: DiskReadings = {
      used: async () => readings[++at]![0],
      held: async () => {
        measured += 1;
        return readings[at]![1];
      },
    };
    return { found, measured: () => measured };
  };
  const verdicts = async (readings: readonly (readonly [used: number, inFolders: number])[]) => {
    const { found, measured } = disk(readings);
    const watch = diskWatch(800, found);
    const reported: boolean[] = [];
    for (const _ of readings) {
      reported.push(await watch.isOver());
      // The rest after a measurement, which takes no time here.
      vi.advanceTimersByTime(1);
    }
    return { over: reported.indexOf(true), measured: measured() };
  };

  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("is measured however much of it cannot be read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "measured-"));
    try {
      const missing = Array.from({ length: 6_000 }, (_, n) => join(folder, "x".repeat(200), `${n}`));
      expect(await diskReadings([...missing, folder], process.pid).held()).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is not measured while the disk does not fill", async () => {
    expect(
      await verdicts([
        [5_000, 9],
        [5_050, 9],
        [4_000, 9],
        [4_099, 9],
      ]),
    ).toEqual({ over: -1, measured: 0 });
  });

  it("is what its folders hold more than before, whatever they held", async () => {
    expect(
      await verdicts([
        [5_000, 0],
        [5_200, 90_200],
        [5_800, 90_800],
        [6_000, 91_000],
      ]),
    ).toEqual({
      over: 3,
      measured: 3,
    });
  });

  it("does not include what others write", async () => {
    expect(
      await verdicts([
        [5_000, 0],
        [5_700, 300],
        [9_000, 310],
        [20_000, 320],
      ]),
    ).toMatchObject({ over: -1 });
  });

  it("is seen where others delete at the same time, as soon as the disk fills", async () => {
    expect(
      await verdicts([
        [5_000, 0],
        [4_000, 100],
        [4_500, 600],
        [5_000, 1_100],
      ]),
    ).toMatchObject({ over: 3 });
  });
});

describe("a program", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "limits-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const megabyte = 2 ** 20;
  const write = (body: string) =>
    Effect.runPromise(
      childProcessRunner({ installation, maxDiskBytes: 64 * megabyte }).run(
        {
          command: process.execPath,
          args: ["-e", `const fs = require("fs"); const block = Buffer.alloc(${4 * megabyte}, 1); ${body}`],
          timeoutSec: 50,
          graceSec: 1,
        },
        {
          runId: randomUUID(),
          workspace: aWorkspace(folder),
          env: { PATH: process.env.PATH ?? "", HOME: folder },
          stop: new AbortController().signal,
          onStarted: () => Effect.void,
          onOutput: () => Effect.void,
        },
      ),
    );
  // It continues, because others may free as much on this disk at the same time.
  const slowly = "setInterval(() => ++n < 1000 && write(n), 100)";

  it.each([
    ["in many files", `let n = 0; const write = (n) => fs.writeFileSync("file-" + n, block); ${slowly}`],
    [
      "in a file that it has deleted",
      `let n = 0; const file = fs.openSync("gone", "w"); fs.unlinkSync("gone"); const write = () => fs.writeSync(file, block); ${slowly}`,
    ],
  ])("is ended when it has added too much %s", async (_how, body) => {
    expect(await write(body)).toMatchObject({ overDisk: true, timedOut: false });
  });
});
