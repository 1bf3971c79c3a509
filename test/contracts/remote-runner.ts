import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { describe, expect, it, vi } from "vitest";
import { maxLineLength } from "../../adapters-infra/local/process-output.ts";
import { personWaits } from "../../adapters-infra/plugins/person-waits.ts";
import { type HandoverFiles, handoverFiles } from "../../adapters-infra/runner-helper/handover-files.ts";
import type { LogStream, ProcessSpec, ProgramInput } from "../../ports/agent-adapter.ts";
import type {
  ProcessIdentity,
  ProcessRunner,
  ProcessSupervision,
  RunPlacement,
} from "../../ports/process-runner.ts";
import type { Workspaces } from "../../ports/workspaces.ts";

/** A runner on an engine, and what a test must see of the engine next to it. */
export interface RemoteRunner {
  readonly runner: ProcessRunner;
  /** Another service with the same scope. */
  readonly other: ProcessRunner;
  /** A service of another installation, with the same scope: a restored copy has the same runs. */
  readonly copy: ProcessRunner;
  /** A service whose programs may outlive it. */
  readonly keeping: (handover: HandoverFiles) => ProcessRunner;
  readonly workspaces: Workspaces;
  /** All that the engine shows of the run's objects to those who may list them. */
  readonly seenFromOutside: (identity: ProcessIdentity) => Promise<string>;
  /** Commands of the processes that live for the run, as the engine's machine sees them. */
  readonly processesOf: (runId: string) => Promise<readonly string[]>;
  /** Secrets and the like that the engine still has for the run. */
  readonly objectsOf: (runId: string) => Promise<readonly string[]>;
}

const agent = fileURLToPath(new URL("../support/hostile-agent.mjs", import.meta.url));

export const hostileIn = (
  files: string,
  deeds: readonly string[],
  more: Partial<ProcessSpec> = {},
): ProcessSpec => ({
  command: "node",
  args: [`${files}/hostile-agent.mjs`, ...deeds],
  files: [{ path: `${files}/hostile-agent.mjs`, source: agent }],
  timeoutSec: 60,
  graceSec: 1,
  ...more,
});

export interface RemoteProgram {
  readonly runId: string;
  readonly out: () => Buffer;
  readonly err: () => string;
  readonly system: () => string;
  readonly placements: RunPlacement[];
  readonly identity: () => ProcessIdentity | null;
  readonly supervision: ProcessSupervision;
}

/** A run's supervision on such an engine, and what it has seen. */
export const supervise = async (
  workspaces: Workspaces,
  more: Partial<ProcessSupervision> & { readonly variables?: Readonly<Record<string, string>> } = {},
): Promise<RemoteProgram> => {
  const runId = randomUUID();
  const workspace = await Effect.runPromise(Effect.scoped(Effect.orDie(workspaces.temporary(null))));
  const output: Record<LogStream, Buffer[]> = { stdout: [], stderr: [], system: [] };
  const placements: RunPlacement[] = [];
  let identity: ProcessIdentity | null = null;
  const { variables, ...others } = more;
  return {
    runId,
    placements,
    identity: () => identity,
    out: () => Buffer.concat(output.stdout),
    err: () => Buffer.concat(output.stderr).toString(),
    system: () => Buffer.concat(output.system).toString(),
    supervision: {
      runId,
      workspace,
      env: { ...workspace.env, SERVICE_RUN_ID: runId, ...variables },
      stop: new AbortController().signal,
      onStarted: (started) =>
        Effect.sync(() => {
          identity = started;
        }),
      onPlacement: (placement) => Effect.sync(() => void placements.push(placement)),
      onOutput: (stream, chunk) => Effect.sync(() => void output[stream].push(Buffer.from(chunk))),
      ...others,
    },
  };
};

/** The promises of every runner on an engine. */
export const remoteRunnerContract = (engine: () => RemoteRunner) => {
  const run = async (deeds: readonly string[], spec: Partial<ProcessSpec> = {}, program?: RemoteProgram) => {
    const { runner, workspaces } = engine();
    const one = program ?? (await supervise(workspaces));
    const { files } = one.supervision.workspace;
    const outcome = await Effect.runPromise(runner.run(hostileIn(files, deeds, spec), one.supervision));
    return { outcome, ...one };
  };
  const nothingLeft = async (runId: string) => {
    const { processesOf, objectsOf } = engine();
    await vi.waitFor(async () => expect(await processesOf(runId)).toEqual([]), {
      timeout: 60_000,
      interval: 500,
    });
    await vi.waitFor(async () => expect(await objectsOf(runId)).toEqual([]), {
      timeout: 60_000,
      interval: 500,
    });
  };

  describe("a program that ends by itself", () => {
    it("gets its input, and its exit code and output are returned", async () => {
      const { outcome, out, err } = await run(["echo-stdin", "complain:careful", "exit:3"], {
        stdin: "hello",
      });
      expect(outcome).toEqual({
        exitCode: 3,
        signal: null,
        timedOut: false,
        stopped: false,
        endedAfterResult: false,
        stderrTail: "careful",
      });
      expect(out().toString()).toBe("read 5\n");
      expect(err()).toBe("careful\n");
    });

    it("is stored before anything of it runs, and nothing runs where that fails", async () => {
      const { workspaces, runner } = engine();
      const one = await supervise(workspaces, { onStarted: () => Effect.die("the database is away") });
      const { files } = one.supervision.workspace;
      await expect(
        Effect.runPromise(runner.run(hostileIn(files, ["say:x"]), one.supervision)),
      ).rejects.toThrow("the database is away");
      expect(one.out().toString()).toBe("");
      await nothingLeft(one.runId);
    });

    it("sends bytes as they are, and lines whole to the adapter", async () => {
      const lines: string[] = [];
      const { out } = await run(["invalid-utf8", "binary", "split-character"], {
        onStdoutLine: (line) => void lines.push(line),
      });
      expect([...out().subarray(0, 5)]).toEqual([0x61, 0xff, 0xfe, 0x62, 0x0a]);
      expect(lines.at(-1)).toContain("p\u00e9");
    });

    it("of many megabytes of input gets all of it that an object of the engine supervises", async () => {
      const { out } = await run(["echo-stdin"], { stdin: "z".repeat(400_000) });
      expect(out().toString()).toBe("read 400000\n");
    });

    it("may write one endless line, which reaches the adapter cut", async () => {
      const lengths: number[] = [];
      await run(["long-line:6"], { onStdoutLine: (line) => void lengths.push(line.length) });
      expect(lengths).toEqual([maxLineLength, 5]);
    });

    it("says what cannot be started", async () => {
      const { runner, workspaces } = engine();
      const one = await supervise(workspaces);
      const outcome = await Effect.runPromise(
        runner.run({ command: "no-such-program", args: [], timeoutSec: 9, graceSec: 1 }, one.supervision),
      );
      expect(outcome.startError).toMatch(/"no-such-program" was not found/);
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
          input.write("0 h\u00e9\u2028llo\n");
        },
        onStdoutLine: (line: string) => {
          lines.push(line);
          each(line, input!);
          input!.write(`${lines.length}\n`);
          return undefined;
        },
      };
    };
    const upTo = (count: number) => [
      "0 h\u00e9\u2028llo",
      ...Array.from({ length: count - 1 }, (_, at) => String(at + 1)),
    ];

    it("carries a conversation in both directions, in order, to its end", async () => {
      const talk = conversation((line, input) => line === "99" && input.end());
      const { outcome, runId } = await run(["echo-lines", "say:all of it"], talk);
      expect(outcome).toMatchObject({ exitCode: 0, endedAfterResult: false });
      expect(talk.lines).toEqual([...upTo(100), "all of it"]);
      await nothingLeft(runId);
    });

    it("is whole for a program that reads late", async () => {
      const { out } = await run(["wait:1000", "echo-stdin"], {
        onInput: (input) => {
          for (let i = 0; i < 500; i += 1) input.write("z".repeat(8_000));
          input.end();
        },
      });
      expect(out().toString()).toBe("read 4000000\n");
    });

    it("ends a program that leaves too much of it unread", async () => {
      const { outcome, runId } = await run(["ignore-term", "hang"], {
        onInput: (input) => {
          for (let i = 0; i < 40; i += 1) input.write("z".repeat(1_000_000));
        },
      });
      expect(outcome).toMatchObject({ unreadInput: true, timedOut: false, stopped: false });
      await nothingLeft(runId);
    });

    it("that the program leaves in mid-conversation drops what follows", async () => {
      const talk = conversation();
      const { outcome } = await run(["echo-lines:20", "exit:3"], talk);
      expect(outcome).toMatchObject({ exitCode: 3 });
      expect(talk.lines).toEqual(upTo(20));
    });

    it("has a line beyond the limit left out, with a word in the log, and the next one whole", async () => {
      const lines: string[] = [];
      const { system } = await run(["say:before", "long-line:6"], {
        onInput: (input) => input.end(),
        onStdoutLine: (line) => void lines.push(line),
      });
      expect(lines).toEqual(["before", "after"]);
      expect(system()).toBe("A line of more than 4 Mi characters is left out: the adapter did not get it.\n");
    });

    it("ends with the program when the run stops", async () => {
      const stop = new AbortController();
      const one = await supervise(engine().workspaces, { stop: stop.signal });
      const talk = conversation((line) => line === "20" && stop.abort());
      expect((await run(["fork", "echo-lines"], talk, one)).outcome).toMatchObject({ stopped: true });
      await nothingLeft(one.runId);
    });

    it("leaves the program its time and its silence while the run waits for people", async () => {
      const waits = personWaits();
      const one = await supervise(engine().workspaces, { waits });
      const lines: string[] = [];
      let input: ProgramInput;
      const running = run(
        ["echo-lines", "say:after the answer"],
        {
          ...{ timeoutSec: 6, silenceSec: 3 },
          onInput: (open) => {
            input = open;
            open.write("asked\n");
          },
          onStdoutLine: (line) => {
            lines.push(line);
            if (line === "asked") waits.begin();
            return undefined;
          },
        },
        one,
      );
      await vi.waitFor(() => expect(waits.totalMs()).toBeGreaterThan(8_000), { timeout: 60_000 });
      waits.end();
      input!.write("later\n");
      input!.end();
      expect((await running).outcome).toMatchObject({ exitCode: 0, timedOut: false });
      expect(lines).toEqual(["asked", "later", "after the answer"]);
    });
  });

  describe("a program that does not want to end", () => {
    const tree = ["fork", "setsid", "double-fork", "clean-env", "vanish", "ignore-term", "say:up", "hang"];
    it("is ended at its timeout, with every descendant", async () => {
      const { outcome, runId } = await run(tree, { timeoutSec: 4 });
      expect(outcome).toMatchObject({ timedOut: true, stopped: false });
      await nothingLeft(runId);
    });

    it("is ended when the run must stop, with every descendant", async () => {
      const stop = new AbortController();
      const one = await supervise(engine().workspaces, { stop: stop.signal });
      const running = run(tree, {}, one);
      await vi.waitFor(async () => expect(await one.out().toString()).toContain("up"), { timeout: 60_000 });
      stop.abort();
      expect((await running).outcome).toMatchObject({ stopped: true, timedOut: false });
      await nothingLeft(one.runId);
    });

    it("gets SIGTERM and its grace", async () => {
      const stop = new AbortController();
      const one = await supervise(engine().workspaces, { stop: stop.signal });
      const running = run(["note-term", "say:up", "hang"], { graceSec: 5 }, one);
      await vi.waitFor(async () => expect(await one.out().toString()).toContain("up"), { timeout: 60_000 });
      stop.abort();
      await running;
      expect(one.out().toString()).toContain("got SIGTERM");
    });

    it("is ended after its silence", async () => {
      const { outcome } = await run(["say:up", "hang"], { silenceSec: 2 });
      expect(outcome).toMatchObject({ silent: true });
    });

    it("is ended five seconds after its result", async () => {
      const { outcome } = await run(["result", "hang"], {
        onStdoutLine: (line) => line.includes('"result"'),
      });
      expect(outcome).toMatchObject({ endedAfterResult: true, stopped: false, timedOut: false });
    });

    it("is ended when its fiber is interrupted, and when its output cannot be stored", async () => {
      const { runner, workspaces } = engine();
      const one = await supervise(workspaces);
      const { files } = one.supervision.workspace;
      const fiber = Effect.runFork(runner.run(hostileIn(files, ["say:up", "hang"]), one.supervision));
      await vi.waitFor(async () => expect(await one.out().toString()).toContain("up"), { timeout: 60_000 });
      await Effect.runPromise(Fiber.interrupt(fiber));
      await nothingLeft(one.runId);
      const full = await supervise(workspaces, { onOutput: () => Effect.die("the disk is full") });
      await expect(run(["say:x", "hang"], {}, full)).rejects.toThrow("the disk is full");
      await nothingLeft(full.runId);
    });
  });

  describe("what nobody attends to any more", () => {
    it("is found and ended by another service of the same scope, its Secret too", async () => {
      const { runner, other, workspaces } = engine();
      const one = await supervise(workspaces);
      const { files } = one.supervision.workspace;
      const lost = Effect.runFork(
        runner.run(hostileIn(files, ["fork", "vanish", "say:up", "hang"]), one.supervision),
      );
      await vi.waitFor(async () => expect(await one.out().toString()).toContain("up"), { timeout: 60_000 });
      expect(await Effect.runPromise(other.runIdsAlive())).toContain(one.runId);
      await Effect.runPromise(other.endOrphans(one.runId, one.identity(), 1));
      await nothingLeft(one.runId);
      await Effect.runPromise(Fiber.await(lost));
      expect(await Effect.runPromise(other.runIdsAlive())).not.toContain(one.runId);
    });
  });

  describe("what another installation runs", () => {
    it("is neither seen nor ended by a copy, whose programs of the same run and agent are others", async () => {
      const { runner, other, copy, workspaces, processesOf } = engine();
      const one = await supervise(workspaces);
      const { files } = one.supervision.workspace;
      const running = Effect.runPromise(
        runner.run(hostileIn(files, ["say:up", "hang"], { graceSec: 0.1 }), one.supervision),
      );
      await vi.waitFor(async () => expect(one.out().toString()).toContain("up"), { timeout: 60_000 });
      expect(await Effect.runPromise(copy.runIdsAlive())).not.toContain(one.runId);
      await Effect.runPromise(copy.endOrphans(one.runId, one.identity(), 0));
      // A program of the copy for the same run: its end is its own.
      const same = await supervise(workspaces);
      const outcome = await Effect.runPromise(
        copy.run(hostileIn(same.supervision.workspace.files, ["say:copy"]), {
          ...same.supervision,
          runId: one.runId,
        }),
      );
      expect(outcome).toMatchObject({ exitCode: 0 });
      expect(same.out().toString()).toBe("copy\n");
      expect(await processesOf(one.runId)).not.toEqual([]);
      expect(await Effect.runPromise(other.runIdsAlive())).toContain(one.runId);
      await Effect.runPromise(other.endOrphans(one.runId, one.identity(), 0));
      await running;
      await nothingLeft(one.runId);
    });
  });

  describe("a program whose service is replaced", () => {
    it("is attended to by the next one, with its output from the first byte on, and is started once", async () => {
      const { keeping, workspaces, processesOf } = engine();
      const folder = await mkdtemp(join(tmpdir(), "kept-"));
      try {
        const keep = () => handoverFiles({ folder, key: Buffer.alloc(32, 1), sec: 60 });
        const before = keep();
        const one = await supervise(workspaces, { handoverState: () => "what it was given" });
        const { files } = one.supervision.workspace;
        const spec = hostileIn(files, ["say:first", "wait:3000", "say:second", "exit:4"]);
        // As the service does in the workspace of an issue.
        const { supervision: ofStep } = await supervise(workspaces);
        const step = (handover: HandoverFiles) =>
          Effect.runPromise(
            keeping(handover).run(hostileIn(ofStep.workspace.files, ["say:step"]), {
              ...ofStep,
              runId: one.runId,
            }),
          );
        await step(before);
        expect(before.handover.supervises(one.runId)).toBe(false);
        Effect.runFork(keeping(before).run(spec, one.supervision));
        await vi.waitFor(async () => expect(one.out().toString()).toContain("first"), { timeout: 60_000 });
        before.handover.leave();
        const outputBefore = one.out().toString();
        const after = keep();
        const [left] = await Effect.runPromise(after.handover.orphansIn(folder));
        expect(await Effect.runPromise(after.handover.takeOver(left!))).toEqual({
          handoverState: "what it was given",
          programs: 1,
        });
        const next = await supervise(workspaces);
        const supervision = { ...next.supervision, runId: one.runId, env: one.supervision.env };
        const outcome = await Effect.runPromise(
          keeping(after).run(spec, { ...supervision, handoverState: () => "what it was given" }),
        );
        expect(outcome).toMatchObject({ exitCode: 4 });
        expect(next.out().toString()).toBe("first\nsecond\n");
        expect(next.identity()).toEqual(one.identity());
        expect(await processesOf(one.runId)).toEqual([]);
        // The one before hears nothing more.
        expect(one.out().toString()).toBe(outputBefore);
        expect(after.handover.supervises(one.runId)).toBe(true);
        await step(after);
        expect(after.handover.supervises(one.runId)).toBe(false);
        after.handover.release(one.runId);
        await nothingLeft(one.runId);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });

  describe("from outside", () => {
    it("neither prompt nor key nor file of a run can be seen", async () => {
      const { workspaces, seenFromOutside, runner } = engine();
      const one = await supervise(workspaces, { variables: { SERVICE_API_KEY: "very-secret-key" } });
      const { files } = one.supervision.workspace;
      const running = Effect.runPromise(
        runner.run(
          hostileIn(files, ["echo-stdin", "wait:4000"], { stdin: "very-secret-prompt" }),
          one.supervision,
        ),
      );
      await vi.waitFor(async () => expect(await one.out().toString()).toContain("read"), { timeout: 60_000 });
      const seen = await seenFromOutside(one.identity()!);
      expect(seen).toContain(one.identity()!.name);
      expect(seen).not.toMatch(/very-secret|hostile-agent/);
      await running;
    });

    it("a file that not everybody on the service's machine may read is not sent", async () => {
      const { runner, workspaces } = engine();
      const one = await supervise(workspaces);
      const { files } = one.supervision.workspace;
      const outcome = await Effect.runPromise(
        runner.run(
          {
            command: "true",
            args: [],
            timeoutSec: 9,
            graceSec: 1,
            files: [{ path: `${files}/x`, source: "/etc/shadow" }],
          },
          one.supervision,
        ),
      );
      expect(outcome.startError).toMatch(/\/etc\/shadow may not be read by all/);
      expect(one.identity()).toBeNull();
    });
  });
};
