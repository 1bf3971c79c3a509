import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { lineSplitter, maxLineLength } from "../../adapters-infra/local/process-output.ts";
import {
  identityOf,
  markIn,
  parseProcStat,
  parsePsLine,
  processOf,
  processTable,
} from "../../adapters-infra/local/process-table.ts";
import { treeMembers } from "../../adapters-infra/local/process-tree.ts";
import { openRunGroups, type RunGroups, withoutGroups } from "../../adapters-infra/local/run-groups.ts";
import { spawner } from "../../adapters-infra/local/spawner.ts";
import { detectSandbox } from "../../adapters-infra/sandbox/detect.ts";
import { realPath } from "../../adapters-infra/sandbox/path-rules.ts";
import { programViews } from "../../adapters-infra/sandbox/program-view.ts";
import type { ProcessOutcome, ProcessSpec, ProgramInput } from "../../ports/agent-adapter.ts";
import type { ProcessIdentity, ProcessSupervision } from "../../ports/process-runner.ts";
import { eventually } from "../support/eventually.ts";
import { installation } from "../support/installation.ts";
import { readySpawner } from "../support/ready-spawner.ts";
import { isDeep } from "../support/sample.ts";
import { aWorkspace } from "../support/workspaces.ts";

// Some programs of this suite resist their end for a while.

const agent = new URL("../support/hostile-agent.mjs", import.meta.url).pathname;
let runner = childProcessRunner({ installation });
let enclosed = false;
const table = processTable();

let folder: string;
let pidsFile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runner-"));
  pidsFile = join(folder, "pids");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hostile = (deeds: string[], more: Partial<ProcessSpec> = {}): ProcessSpec => ({
  command: process.execPath,
  args: [agent, ...deeds],
  reads: [agent],
  timeoutSec: 30,
  graceSec: 1,
  ...more,
});

const aSupervision = (
  more: Partial<ProcessSupervision> = {},
): ProcessSupervision & { out(): Buffer; err(): string } => {
  const chunks: Uint8Array[] = [];
  const errors: Uint8Array[] = [];
  const runId = randomUUID();
  return {
    runId,
    workspace: aWorkspace(folder),
    env: {
      PATH: process.env.PATH ?? "",
      SERVICE_RUN_ID: runId,
      SERVICE_API_KEY: "of the run",
      PIDS: pidsFile,
    },
    stop: new AbortController().signal,
    onStarted: () => Effect.void,
    onOutput: (stream, chunk) =>
      Effect.sync(() => void (stream === "stdout" ? chunks : errors).push(Uint8Array.from(chunk))),
    out: () => Buffer.concat(chunks),
    err: () => Buffer.concat(errors).toString(),
    ...more,
  };
};

const run = (spec: ProcessSpec, supervision: ProcessSupervision): Promise<ProcessOutcome> =>
  Effect.runPromise(runner.run(spec, supervision));

const startedPids = (): number[] =>
  existsSync(pidsFile) ? readFileSync(pidsFile, "utf8").trim().split("\n").map(Number) : [];

const pidsNoted = async (count: number): Promise<void> => {
  await expect.poll(() => startedPids().length, { timeout: 60_000, interval: 20 }).toBe(count);
};

const expectNothingLeft = async (runId: string): Promise<void> => {
  // In a PID namespace of their own, programs see other pids.
  if (!enclosed) expect(startedPids().filter((pid) => table.find(pid) !== null)).toEqual([]);
  expect(await Effect.runPromise(runner.runIdsAlive())).not.toContain(runId);
};

const seconds = async (work: Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work;
  return (performance.now() - from) / 1000;
};

// The suite runs on every runner of this machine.
const repository = join(import.meta.dirname, "../..");
const views = programViews({
  dataDir: "/nowhere",
  shared: [repository, process.execPath],
  listed: [],
  commands: (process.env.PATH ?? "")
    .split(":")
    .map((path) => ({ path, real: realPath(path), access: "read" })),
});
const { sandbox } = await detectSandbox({
  mode: "auto",
  dataDir: "/nowhere",
  configuredUsers: null,
  views,
  limits: { processes: 4_096, openFiles: 65_536, fileBytes: 1024 ** 3, tmpBytes: 1024 ** 3 },
});

const shared = spawner();

describe.each([
  ["as plain children", null, null],
  // Its two parts are in the others: what starts a program, and what it starts.
  ...(isDeep ? [["from a spawner", null, shared] as const] : []),
  ["below bubblewrap, from a spawner", sandbox, shared],
] as const)("programs %s", (how, sandbox, spawner) => {
  beforeEach(async (test) => {
    test.skip(how.includes("bubblewrap") && sandbox === null, "bubblewrap does not work on this machine");
    if (spawner !== null) await readySpawner(spawner);
    runner = childProcessRunner({ installation, sandbox, views, spawner });
    enclosed = sandbox !== null;
  });

  describe("a well-behaved program", () => {
    it("gets its input, and its exit code and output are returned", async () => {
      const supervision = aSupervision();
      const outcome = await run(
        hostile(["echo-stdin", "complain:careful", "exit:3"], { stdin: "hello" }),
        supervision,
      );
      expect(outcome).toEqual({
        exitCode: 3,
        signal: null,
        timedOut: false,
        stopped: false,
        endedAfterResult: false,
        stderrTail: "careful",
      });
      expect(supervision.out().toString()).toBe("read 5\n");
      expect(supervision.err()).toBe("careful\n");
    });

    it("has a stored identity before it gets its input", async () => {
      const seen: string[] = [];
      let identity: ProcessIdentity | undefined;
      const supervision = aSupervision({
        onStarted: (started) =>
          Effect.gen(function* () {
            identity = started;
            // Only time shows that it does not get its input meanwhile.
            yield* Effect.sleep(200);
            seen.push("stored");
          }),
        onOutput: () => Effect.sync(() => void seen.push("output")),
      });
      await run(hostile(["echo-stdin"], { stdin: "x" }), supervision);
      expect(seen).toEqual(["stored", "output"]);
      expect(identity?.kind).toBe("process");
      expect(Number(identity?.name)).toBeGreaterThan(1);
      expect(identity?.uid).not.toBe("unknown");
      expect(await Effect.runPromise(runner.isAlive(processOf(identity!)!))).toBe(false);
    });

    it("sees the run's environment, to which an adapter can add but which it cannot forge", async () => {
      const supervision = aSupervision();
      await run(
        hostile(["show-env:EXTRA", "show-env:SERVICE_API_KEY", "show-env:PIDS", "show-env:SERVICE_RUN_ID"], {
          env: { EXTRA: "1", SERVICE_API_KEY: "forged", SERVICE_RUN_ID: "forged" },
          unsetEnv: ["PIDS", "SERVICE_RUN_ID"],
        }),
        supervision,
      );
      expect(supervision.out().toString()).toBe(
        `EXTRA=1\nSERVICE_API_KEY=of the run\nPIDS=undefined\nSERVICE_RUN_ID=${supervision.runId}\n`,
      );
    });

    it("hands complete lines to the adapter, with characters that were split over chunks", async () => {
      const lines: string[] = [];
      const onStdoutLine = (line: string) => void lines.push(line);
      await run(hostile(["split-character", "say:two", "invalid-utf8"], { onStdoutLine }), aSupervision());
      expect(lines).toEqual(["pé", "two", "a\uFFFD\uFFFDb", "\uFFFD"]);
    });

    it("may print bytes that are not UTF-8: the log stores them unchanged", async () => {
      const supervision = aSupervision();
      await run(hostile(["invalid-utf8"]), supervision);
      expect([...supervision.out()]).toEqual([0x61, 0xff, 0xfe, 0x62, 0x0a, 0xc3]);
    });
  });

  describe("a program that cannot start", () => {
    const cases: [string, () => Partial<ProcessSpec>, RegExp][] = [
      ["is missing", () => ({ command: "no-such-program" }), /"no-such-program" was not found.*PATH/],
      ["has no working directory", () => ({ cwd: join(folder, "gone") }), /gone does not exist/],
      ["has a file for a working directory", () => ({ cwd: agent }), /is not a directory/],
      ["may not be executed", () => ({ command: plainFile(), args: [] }), /may not be executed/],
      ["has arguments beyond the system's limit", () => ({ args: ["x".repeat(3_000_000)] }), /larger than/],
      ["has a NUL in its arguments", () => ({ args: ["a\0b"] }), /NUL/],
      ["has no timeout", () => ({ timeoutSec: 0 }), /timeoutSec must be a positive/],
      ["has an endless timeout", () => ({ timeoutSec: Number.POSITIVE_INFINITY }), /timeoutSec must be/],
      ["has no grace", () => ({ graceSec: -1 }), /graceSec must be a positive/],
      ["has two inputs", () => ({ stdin: "", onInput: () => {} }), /either stdin, .* or onInput/],
    ];
    const plainFile = () => {
      const file = join(folder, "plain");
      writeFileSync(file, "not a program", { mode: 0o600 });
      return file;
    };
    it.each(cases)("%s: a sentence gives a hint", async (_title, more, expected) => {
      const outcome = await run(hostile([], more()), aSupervision());
      expect(outcome.startError).toMatch(expected);
      expect(outcome.exitCode).toBeNull();
    });
  });

  describe("a program that does not end", () => {
    it("is stopped at its timeout, with every child that forked, left the session or ignores SIGTERM", async () => {
      const supervision = aSupervision();
      // A shell begins at once, however busy the machine is.
      const resist = `
        trap "" TERM
        note() { echo $1 >> "$PIDS"; }
        sleep 60 & note $!
        setsid sleep 60 & note $!
        (setsid sleep 60 & note $!)
        env -i sleep 60 & note $!
        note $$
        sleep 60`;
      const shell = { command: "sh", args: ["-c", resist], timeoutSec: 5, graceSec: 0.5 };
      const outcome = run(hostile([], shell), supervision);
      await pidsNoted(5);
      expect(await outcome).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL" });
      await expectNothingLeft(supervision.runId);
    });

    it("gets one SIGTERM and its grace", async () => {
      const supervision = aSupervision();
      // A shell begins at once, however busy the machine is.
      const noteTerm = "trap 'echo got SIGTERM; sleep 0.3; exit 0' TERM; while :; do sleep 0.05; done";
      const shell = { command: "sh", args: ["-c", noteTerm], timeoutSec: 3, graceSec: 10 };
      const outcome = await run(hostile([], shell), supervision);
      expect(outcome).toMatchObject({ timedOut: true, exitCode: 0 });
      expect(supervision.out().toString()).toBe("got SIGTERM\n");
    });

    it("is stopped when the run stops, even if it is suspended", async () => {
      const stop = new AbortController();
      const supervision = aSupervision({ stop: stop.signal });
      const outcome = run(hostile(["note", "fork", "stop"]), supervision);
      await pidsNoted(2);
      stop.abort();
      expect(await outcome).toMatchObject({ stopped: true, timedOut: false });
      await expectNothingLeft(supervision.runId);
    });

    it("is not started if the run was stopped before", async () => {
      const supervision = aSupervision({ stop: AbortSignal.abort() });
      expect(await run(hostile(["note"]), supervision)).toMatchObject({ stopped: true, exitCode: null });
      expect(startedPids()).toEqual([]);
    });

    it("is stopped when its fiber is interrupted", async () => {
      const supervision = aSupervision();
      const fiber = Effect.runFork(
        runner.run(hostile(["ignore-term", "note", "setsid", "hang"]), supervision),
      );
      await pidsNoted(2);
      await Effect.runPromise(Fiber.interrupt(fiber));
      await expectNothingLeft(supervision.runId);
    });

    it("is stopped when its identity cannot be stored", async () => {
      const supervision = aSupervision({
        onStarted: () =>
          Effect.andThen(
            Effect.promise(() => pidsNoted(1)),
            Effect.die("the database is gone"),
          ),
      });
      await expect(run(hostile(["note", "hang"]), supervision)).rejects.toThrow("the database is gone");
      await expectNothingLeft(supervision.runId);
    });

    it("is stopped when its output cannot be stored", async () => {
      const supervision = aSupervision({ onOutput: () => Effect.die("the disk is full") });
      await expect(run(hostile(["note", "say:x", "hang"]), supervision)).rejects.toThrow("the disk is full");
      await expectNothingLeft(supervision.runId);
    });
  });

  describe("a program that ends and leaves children", () => {
    it("ends the run as soon as these are stopped, even if they hold its output", async () => {
      const supervision = aSupervision();
      const work = run(
        hostile(["fork", "setsid", "double-fork", "noted:3", "say:done", "exit:0"]),
        supervision,
      );
      expect(await work).toMatchObject({ exitCode: 0, timedOut: false, endedAfterResult: false });
      expect(supervision.out().toString()).toBe("done\n");
      expect(startedPids()).toHaveLength(3);
      await expectNothingLeft(supervision.runId);
    });

    it("has children stopped that lack the run id but share its session", async () => {
      const supervision = aSupervision();
      await run(hostile(["clean-env", "noted:1", "exit:0"]), supervision);
      expect(startedPids()).toHaveLength(1);
      await expectNothingLeft(supervision.runId);
    });
  });

  describe("a child that drops the run id, leaves the session and outlives its parent", () => {
    it.skipIf(runner.containment !== "cgroup")("is known by the control group of its run", async () => {
      const supervision = aSupervision();
      // In a PID namespace of its own it ends with that.
      const grouped = enclosed ? [] : ["grouped"];
      await run(hostile([...grouped, "vanish", "noted:1", "exit:0"]), supervision);
      expect(startedPids()).toHaveLength(1);
      await expectNothingLeft(supervision.runId);
    });

    it.skipIf(runner.containment !== "cgroup")(
      "is found there when no service supervises the run",
      async () => {
        const supervision = aSupervision();
        const groups = openRunGroups().groups!(installation);
        const child = spawn(process.execPath, [agent, "grouped", "vanish", "noted:1", "exit:0"], {
          detached: true,
          stdio: "ignore",
          env: {
            PATH: process.env.PATH,
            PIDS: pidsFile,
            SERVICE_RUN_ID: supervision.runId,
            SERVICE_INSTALLATION_ID: installation,
          },
        });
        const exited = new Promise((resolve) => child.once("exit", resolve));
        await groups.join(supervision.runId, child.pid!);
        await pidsNoted(1);
        await exited;
        expect(await Effect.runPromise(runner.runIdsAlive())).toContain(supervision.runId);
        await Effect.runPromise(runner.endOrphans(supervision.runId, null, 0.2));
        await expectNothingLeft(supervision.runId);
      },
    );

    it("is stopped without control groups, too, if the program is still alive at the end", async () => {
      const plain = childProcessRunner({ installation, groups: withoutGroups, sandbox, views, spawner });
      expect(plain.containment).toBe("process_table");
      const stop = new AbortController();
      const supervision = aSupervision({ stop: stop.signal });
      const ended = Effect.runPromise(plain.run(hostile(["vanish", "note", "hang"]), supervision));
      await pidsNoted(2);
      stop.abort();
      await ended;
      await expectNothingLeft(supervision.runId);
    });

    it.skipIf(runner.containment !== "cgroup")(
      "is left by a process that has got the number of a program that ended before it joined",
      async () => {
        const groups = openRunGroups().groups!(installation);
        const other = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
        // The kernel tells start times in ticks of 10 ms; a number is not used again within one.
        await new Promise((resolve) => setTimeout(resolve, 50));
        try {
          const supervision = aSupervision();
          let root = 0;
          // The program has ended when the kernel moves a process, and its number belongs to the other one.
          const join = async (runId: string, pid: number, hasEnded?: () => boolean) => {
            hasEnded?.();
            while (table.find(pid) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
            await groups.join(runId, other.pid!);
            root = pid;
          };
          const reused = (pid: number) => (pid === root ? other.pid! : pid);
          const plain = childProcessRunner({
            installation,
            table: { ...table, find: (pid) => table.find(reused(pid)) },
            groups: {
              groups: () => ({ ...groups, join, leave: (pid) => groups.leave(reused(pid)) }),
              gap: null,
            },
            sandbox,
            views,
            spawner,
          });
          const program = { command: "true", args: [], timeoutSec: 30, graceSec: 1 };
          await Effect.runPromise(plain.run(program, supervision));
          await expect.poll(() => root, { timeout: 30_000 }).toBeGreaterThan(0);
          await expect.poll(() => [...groups.members(supervision.runId)], { timeout: 30_000 }).toEqual([]);
          expect(table.find(other.pid!)).not.toBeNull();
        } finally {
          other.kill("SIGKILL");
        }
      },
    );
  });

  describe("a program that the kernel does not move into its control group", () => {
    /** `begins`: the kernel is to move it, and does not. */
    const stuck = (begins: boolean) => {
      const groups: RunGroups = {
        areLimited: false,
        prepare: () => Promise.reject(new Error("It has no limits.")),
        join: (_runId, _pid, hasEnded) => {
          if (begins) hasEnded?.();
          return new Promise(() => {});
        },
        leave: () => new Promise(() => {}),
        events: () => ({ memoryKills: 0, refusedForks: 0 }),
        members: () => new Set(),
        kill: () => {},
        forget: () => {},
        inhabited: () => [],
      };
      return childProcessRunner({
        installation,
        groups: { groups: () => groups, gap: null },
        sandbox,
        views,
        spawner,
      });
    };
    it.each([false, true])("ends its run by itself (its turn has come: %s)", async (begins) => {
      const supervision = aSupervision();
      const program = hostile(["fork", "noted:1", "say:done", "exit:3"]);
      const outcome = await Effect.runPromise(stuck(begins).run(program, supervision));
      expect(outcome).toMatchObject({ exitCode: 3, timedOut: false, stopped: false });
      expect(supervision.out().toString()).toBe("done\n");
      await expectNothingLeft(supervision.runId);
    });
    it("is stopped with all that it started", async () => {
      const stop = new AbortController();
      const supervision = aSupervision({ stop: stop.signal });
      const ended = Effect.runPromise(
        stuck(true).run(hostile(["ignore-term", "fork", "setsid", "note", "hang"]), supervision),
      );
      await pidsNoted(3);
      stop.abort();
      expect(await ended).toMatchObject({ stopped: true });
      await expectNothingLeft(supervision.runId);
    });
  });

  describe("a program that has printed its result", () => {
    const onStdoutLine = (line: string) => line.includes('"result"');
    it("and hangs is stopped after five seconds and counts as done", async () => {
      // A shell prints within its three seconds, however busy the machine is.
      const shell = { command: "sh", args: ["-c", `echo '"result"'; sleep 3600`], timeoutSec: 3 };
      const work = run(hostile([], { ...shell, onStdoutLine }), aSupervision());
      const took = await seconds(work);
      expect(await work).toMatchObject({ endedAfterResult: true, timedOut: false });
      expect(took).toBeGreaterThan(5);
    });
    it("and exits by itself keeps its exit code", async () => {
      const outcome = await run(hostile(["result", "wait:200", "exit:1"], { onStdoutLine }), aSupervision());
      expect(outcome).toMatchObject({ exitCode: 1, endedAfterResult: false });
    });
  });

  describe("output", () => {
    it("of 200 MB is read in bounded memory, without slowing other runs", async () => {
      let bytes = 0;
      const before = process.memoryUsage().rss;
      let peak = 0;
      let goOn = () => {};
      const otherHasEnded = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      const supervision = aSupervision({
        onOutput: (_stream, chunk) =>
          Effect.promise(async () => {
            bytes += chunk.length;
            peak = Math.max(peak, process.memoryUsage.rss());
            if (bytes >= 100 * 1024 * 1024) await otherHasEnded;
          }),
      });
      const patient = { timeoutSec: 280 };
      const flood = run(hostile(["flood:200"], patient), supervision);
      expect(await run(hostile(["say:quick"], patient), aSupervision())).toMatchObject({ exitCode: 0 });
      goOn();
      expect(await flood).toMatchObject({ exitCode: 0 });
      expect(bytes).toBe(200 * 1024 * 1024);
      expect(peak - before).toBeLessThan(150 * 1024 * 1024);
    });

    it("is held back while the log is busy, so that the program waits", async () => {
      const sizes: number[] = [];
      const supervision = aSupervision({
        onOutput: (_stream, chunk) =>
          Effect.andThen(
            Effect.sleep(100),
            Effect.sync(() => void sizes.push(chunk.length)),
          ),
      });
      // A shell begins at once, however busy the machine is.
      const flood = ["-c", `head -c ${50 * 1024 * 1024} /dev/zero; sleep 60`];
      const shell = { command: "sh", args: flood, timeoutSec: 6, graceSec: 0.2 };
      const outcome = await run(hostile([], shell), supervision);
      expect(outcome.timedOut).toBe(true);
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThan(20 * 1024 * 1024);
    });

    it("of a program that ends before its identity is stored is read to its end", async () => {
      const supervision = aSupervision({
        onStarted: (started) =>
          Effect.promise(() =>
            eventually(
              () => Effect.runPromise(runner.isAlive(processOf(started)!)),
              (isAlive) => !isAlive,
              { everyMs: 20 },
            ),
          ),
      });
      await run(hostile([], { command: "sh", args: ["-c", "echo all of it"] }), supervision);
      expect(supervision.out().toString()).toBe("all of it\n");
    });

    it("after the program's end is still stored by a slow log", async () => {
      const texts: string[] = [];
      const supervision = aSupervision({
        onOutput: (_stream, chunk) =>
          Effect.andThen(
            Effect.sleep(900),
            Effect.sync(() => void texts.push(Buffer.from(chunk).toString())),
          ),
      });
      await run(hostile(["say:first", "wait:200", "say:last", "exit:0"]), supervision);
      expect(texts.join("")).toBe("first\nlast\n");
    });

    it("in one endless line reaches the adapter cut at the limit, and the next line whole", async () => {
      const lengths: number[] = [];
      const onStdoutLine = (line: string) => void lengths.push(line.length);
      await run(hostile(["long-line:10"], { onStdoutLine }), aSupervision());
      expect(lengths).toEqual([maxLineLength, 5]);
    });

    it("on standard error is kept in its last 4 KiB", async () => {
      const outcome = await run(
        hostile(["complain:".concat("é".repeat(5000)), "complain:the end"]),
        aSupervision(),
      );
      expect(outcome.stderrTail).toMatch(/^é+\nthe end$/);
      expect(Buffer.byteLength(outcome.stderrTail)).toBeLessThanOrEqual(4096);
    });
  });

  describe("input", () => {
    it("of many megabytes to a program that closes it unread is harmless", async () => {
      const outcome = await run(
        hostile(["close-stdin", "exit:0"], { stdin: "z".repeat(8_000_000) }),
        aSupervision(),
      );
      expect(outcome.exitCode).toBe(0);
    });
    it("of many megabytes arrives whole", async () => {
      const supervision = aSupervision();
      await run(hostile(["echo-stdin"], { stdin: "z".repeat(8_000_000) }), supervision);
      expect(supervision.out().toString()).toBe("read 8000000\n");
    });
  });

  describe("an open input", () => {
    /** Answers each line with the next; `each` sees it first and may end the conversation. */
    const conversation = (each: (line: string, input: ProgramInput) => void = () => {}) => {
      const lines: string[] = [];
      let input: ProgramInput | undefined;
      return {
        lines,
        onInput: (open: ProgramInput) => {
          input = open;
          input.write("0\n");
        },
        onStdoutLine: (line: string) => {
          lines.push(line);
          each(line, input!);
          input!.write(`${lines.length}\n`);
          return undefined;
        },
      };
    };
    const upTo = (count: number) => Array.from({ length: count }, (_, at) => String(at));

    it("carries a conversation of 1,000 lines in both directions, in order, to its end", async () => {
      const talk = conversation((line, input) => line === "999" && input.end());
      const supervision = aSupervision();
      const outcome = await run(hostile(["echo-lines", "say:all of it"], talk), supervision);
      expect(outcome).toMatchObject({ exitCode: 0, endedAfterResult: false });
      expect(talk.lines).toEqual([...upTo(1_000), "all of it"]);
      await expectNothingLeft(supervision.runId);
    });

    it("waits for a program that reads late, and loses nothing", async () => {
      const onInput = (input: ProgramInput) => {
        for (let i = 0; i < 1_000; i += 1) input.write("z".repeat(8_000));
        input.end();
        writeFileSync(pidsFile, "1\n");
      };
      const supervision = aSupervision();
      await run(hostile(["noted:1", "echo-stdin"], { onInput }), supervision);
      expect(supervision.out().toString()).toBe("read 8000000\n");
    });

    it("ends a program that leaves too much of it unread", async () => {
      const onInput = (input: ProgramInput) => {
        for (let i = 0; i < 40; i += 1) input.write("z".repeat(1_000_000));
      };
      const supervision = aSupervision();
      const outcome = await run(hostile(["ignore-term", "note", "hang"], { onInput }), supervision);
      expect(outcome).toMatchObject({ unreadInput: true, timedOut: false, stopped: false });
      await expectNothingLeft(supervision.runId);
    });

    it("that the program closes takes further text without harm", async () => {
      let input: ProgramInput;
      const outcome = await run(
        hostile(["close-stdin", "say:closed", "noted:1", "exit:4"], {
          onInput: (open) => {
            input = open;
          },
          onStdoutLine: () => {
            for (let i = 0; i < 40; i += 1) input.write("z".repeat(100_000));
            writeFileSync(pidsFile, "1\n");
            return undefined;
          },
        }),
        aSupervision(),
      );
      expect(outcome).toMatchObject({ exitCode: 4 });
    });

    it("of a program that exits in mid-conversation drops what follows", async () => {
      let input: ProgramInput;
      const talk = conversation((_, open) => {
        input = open;
      });
      const outcome = await run(hostile(["echo-lines:20", "exit:3"], talk), aSupervision());
      expect(outcome).toMatchObject({ exitCode: 3 });
      expect(talk.lines).toEqual(upTo(20));
      input!.write("late\n");
      input!.end();
      input!.end();
    });

    it("has a line beyond the limit left out, with a word in the log, and the next one whole", async () => {
      const lines: string[] = [];
      const supervision = aSupervision();
      const onStdoutLine = (line: string) => void lines.push(line);
      await run(
        hostile(["say:before", "long-line:10"], { onStdoutLine, onInput: (input) => input.end() }),
        supervision,
      );
      expect(lines).toEqual(["before", "after"]);
      expect(supervision.err()).toBe(
        "A line of more than 4 Mi characters is left out: the adapter did not get it.\n",
      );
    });

    it("ends with the program when the run stops or its time is up", async () => {
      const stop = new AbortController();
      const stopped = aSupervision({ stop: stop.signal });
      const talk = conversation((line) => line === "20" && stop.abort());
      expect(await run(hostile(["fork", "echo-lines"], talk), stopped)).toMatchObject({ stopped: true });
      const late = aSupervision();
      const endless = hostile(["fork", "echo-lines"], { ...conversation(), timeoutSec: 3 });
      expect(await run(endless, late)).toMatchObject({ timedOut: true, stopped: false });
      for (const { runId } of [stopped, late]) await expectNothingLeft(runId);
    });

    it("gives a program whose result comes later, by a promise, its time to exit", async () => {
      let over: (isOver: boolean) => void = () => {};
      const isOver = new Promise<boolean>((resolve) => {
        over = resolve;
      });
      const talk = conversation((line) => line === "5" && over(true));
      const onStdoutLine = (line: string) => {
        talk.onStdoutLine(line);
        return isOver;
      };
      const outcome = await run(hostile(["echo-lines"], { ...talk, onStdoutLine }), aSupervision());
      expect(outcome).toMatchObject({ endedAfterResult: true, timedOut: false });
    });
  });

  describe("leftovers of an unsupervised run", () => {
    const abandoned = (runId: string, deeds: string[]) => {
      const child = spawn(process.execPath, [agent, ...deeds], {
        detached: true,
        stdio: "ignore",
        env: {
          PATH: process.env.PATH,
          PIDS: pidsFile,
          SERVICE_RUN_ID: runId,
          SERVICE_INSTALLATION_ID: installation,
        },
      });
      return { pid: child.pid!, startedAt: table.identify(child.pid!)!.startedAt };
    };

    it("are found by the run id and stopped, with or without a known identity", async () => {
      const runId = randomUUID();
      const identity = abandoned(runId, ["note", "setsid", "fork", "hang"]);
      await pidsNoted(3);
      expect(await Effect.runPromise(runner.isAlive(identity))).toBe(true);
      expect(await Effect.runPromise(runner.runIdsAlive())).toContain(runId);
      await Effect.runPromise(runner.endOrphans(runId, null, 0.2));
      await expectNothingLeft(runId);
      expect(await Effect.runPromise(runner.isAlive(identity))).toBe(false);
    });

    it("are found by identity, with children that lack the run id", async () => {
      const identity = abandoned(randomUUID(), ["note", "clean-env", "hang"]);
      await pidsNoted(2);
      await Effect.runPromise(runner.endOrphans(randomUUID(), identityOf(identity), 0.2));
      expect(startedPids().filter((pid) => table.find(pid) !== null)).toEqual([]);
    });

    it("do not include another process that reuses the pid", async () => {
      const other = abandoned(randomUUID(), ["note", "hang"]);
      await pidsNoted(1);
      const past = { pid: other.pid, startedAt: `1${other.startedAt}` };
      expect(await Effect.runPromise(runner.isAlive(past))).toBe(false);
      await Effect.runPromise(runner.endOrphans(randomUUID(), identityOf(past), 0.1));
      expect(await Effect.runPromise(runner.isAlive(other))).toBe(true);
      await Effect.runPromise(runner.endOrphans(randomUUID(), identityOf(other), 0.1));
    });

    it("do not include the service, even inside a run of the same id", async () => {
      const runId = randomUUID();
      const listed = await table.list();
      const pretending = childProcessRunner({
        installation,
        sandbox,
        views,
        table: {
          ...table,
          list: async () =>
            listed.map((entry) => ({
              ...entry,
              runId: async () => (entry.pid === process.pid ? runId : null),
            })),
        },
      });
      await Effect.runPromise(pretending.endOrphans(runId, null, 0.1));
    });
  });

  describe.skipIf(process.getuid?.() !== 0)("as root, for another user", () => {
    const user = { uid: 65_533, gid: 65_532 };

    it("programs run as that user and no other", async () => {
      chmodSync(folder, 0o755);
      const supervision = aSupervision({ workspace: aWorkspace(folder, { user }) });
      const spec = { command: "/bin/sh", args: ["-c", "id -u; id -g; id -G"], timeoutSec: 9, graceSec: 1 };
      const outcome = await Effect.runPromise(runner.run(spec, supervision));
      expect(outcome).toMatchObject({ exitCode: 0 });
      expect(supervision.out().toString()).toBe("65533\n65532\n65532\n");
    });

    it("a directory that the user cannot enter keeps its owner, and the refusal says why", async () => {
      const supervision = aSupervision({ workspace: aWorkspace(folder, { user }) });
      const spec = { command: "/bin/true", args: [], timeoutSec: 9, graceSec: 1 };
      const outcome = await Effect.runPromise(runner.run(spec, supervision));
      expect(outcome.startError).toMatch(/uid 65533 \(SERVICE_AGENT_UID\)/);
      expect(statSync(folder).uid).toBe(0);
    });
  });
});

describe("reading the process table", () => {
  it("counts the fields of /proc/<pid>/stat from the end of the command's name", () => {
    const rest = "S 10 20 30 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
    expect(parseProcStat(`42 (a) b (c) ${rest}`, "boot")).toEqual({
      pid: 42,
      startedAt: "987654@boot",
      bornAt: 987654,
      parentPid: 10,
      groupId: 20,
      sessionId: 30,
      dead: false,
    });
    expect(parseProcStat(`42 (x) ${rest.replace("S", "Z")}`, "boot")?.dead).toBe(true);
    expect(parseProcStat("", "boot")).toBeNull();
  });
  it("reads the lines of ps", () => {
    expect(parsePsLine("  42  1  42 Ss   Sat Nov 21  04:26:00 2026".trim())).toEqual({
      pid: 42,
      startedAt: "Sat Nov 21 04:26:00 2026",
      bornAt: null,
      parentPid: 1,
      groupId: 42,
      sessionId: 42,
      dead: false,
    });
    expect(parsePsLine("garbage")).toBeNull();
  });
  it("takes a run id only from a variable of exactly that name", () => {
    const environment = (...entries: string[]) => Buffer.from(`${entries.join("\0")}\0`);
    const runIdIn = (...entries: string[]) => markIn(environment(...entries))?.runId ?? null;
    expect(runIdIn("SERVICE_RUN_ID=a", "B=1")).toBe("a");
    expect(runIdIn("X_SERVICE_RUN_ID=no", "SERVICE_RUN_ID=b")).toBe("b");
    expect(runIdIn("X_SERVICE_RUN_ID=no", "Y=SERVICE_RUN_ID=no")).toBeNull();
    expect(markIn(Buffer.alloc(0))).toBeNull();
  });
});

describe("the processes of a run", () => {
  const program = { pid: 20, startedAt: "500@boot" };
  const others = { pid: 30, startedAt: "510@boot" };
  const read: number[] = [];
  const born = (pid: number, parentPid: number, bornAt: number, runId: string) => ({
    pid,
    startedAt: `${bornAt}@boot`,
    bornAt,
    parentPid,
    groupId: pid,
    sessionId: pid,
    runIdOf: async () => {
      read.push(pid);
      return runId;
    },
  });
  const members = () =>
    treeMembers({
      installation,
      runId: "own",
      root: program,
      attended: true,
      since: 500,
      groups: null,
      wrapper: null,
      ownsRun: () => true,
      asked: new Set(),
      isOfOther: ({ pid, startedAt }) => pid === others.pid && startedAt === others.startedAt,
    });
  beforeEach(() => void read.splice(0));

  it("are looked for by environment anywhere but below the live programs of other runs", async () => {
    const found = await members().among([
      born(21, 1, 505, "own"),
      born(30, 7, 510, "other"),
      born(31, 30, 511, "other"),
      born(32, 31, 512, "other"),
      born(40, 7, 400, "own"),
      born(41, 7, 520, "none"),
    ]);
    expect(found.map(({ pid }) => pid)).toEqual([21]);
    expect(read).toEqual([21, 41]);
  });

  it("include one whose parent's pid another run's program has got since, and one of a circle of parents", async () => {
    const found = await members().among([
      born(22, 30, 505, "own"),
      born(30, 7, 510, "other"),
      born(50, 51, 530, "own"),
      born(51, 50, 530, "own"),
    ]);
    expect(found.map(({ pid }) => pid)).toEqual([22, 50, 51]);
  });
});

describe("splitting lines", () => {
  it.each([
    ["newlines of both kinds", ["a\r\nb\n", "c"], ["a", "b", "c"]],
    ["empty lines", ["\n\nx\n"], ["", "", "x"]],
    ["a line in pieces", ["a", "b", "c\nd"], ["abc", "d"]],
    ["nothing", [], []],
  ])("%s", (_title, chunks, expected) => {
    const lines: string[] = [];
    const splitter = lineSplitter((line) => lines.push(line));
    for (const chunk of chunks) splitter.write(Buffer.from(chunk));
    splitter.end();
    expect(lines).toEqual(expected);
  });
});
