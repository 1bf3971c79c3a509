import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { describe, expect, it, vi } from "vitest";
import { maxLineLength } from "../../adapters-infra/local/process-output.ts";
import type { LogStream, ProcessSpec } from "../../ports/agent-adapter.ts";
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
  readonly workspaces: Workspaces;
  /** All that the engine shows of the run's objects to those who may list them. */
  readonly seenFromOutside: (identity: ProcessIdentity) => Promise<string>;
  /** Commands of the processes that live for the run, as the engine's machine sees them. */
  readonly processesOf: (runId: string) => Promise<readonly string[]>;
  /** Secrets and the like that the engine still has for the run. */
  readonly leftOf: (runId: string) => Promise<readonly string[]>;
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
  const said: Record<LogStream, Buffer[]> = { stdout: [], stderr: [], system: [] };
  const placements: RunPlacement[] = [];
  let identity: ProcessIdentity | null = null;
  const { variables, ...others } = more;
  return {
    runId,
    placements,
    identity: () => identity,
    out: () => Buffer.concat(said.stdout),
    err: () => Buffer.concat(said.stderr).toString(),
    system: () => Buffer.concat(said.system).toString(),
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
      onOutput: (stream, chunk) => Effect.sync(() => void said[stream].push(Buffer.from(chunk))),
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
    const { processesOf, leftOf } = engine();
    await vi.waitFor(async () => expect(await processesOf(runId)).toEqual([]), {
      timeout: 60_000,
      interval: 500,
    });
    await vi.waitFor(async () => expect(await leftOf(runId)).toEqual([]), { timeout: 60_000, interval: 500 });
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

    it("of many megabytes of input gets all of it that an object of the engine holds", async () => {
      const { out } = await run(["echo-stdin"], { stdin: "z".repeat(400_000) });
      expect(out().toString()).toBe("read 400000\n");
    });

    it("may write one endless line, which reaches the adapter cut", async () => {
      const lengths: number[] = [];
      await run(["long-line:6"], { onStdoutLine: (line) => void lengths.push(line.length) });
      expect(lengths).toEqual([maxLineLength, 5]);
    });

    it("is not started where it needs an open input, and the refusal says what to do", async () => {
      const { outcome, out } = await run(["say:x"], { onInput: () => {} });
      expect(outcome.startError).toMatch(
        /input that stays open\. Run the agent on the service's own machine/,
      );
      expect(out().toString()).toBe("");
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
      await Effect.runPromise(other.endLeftovers(one.runId, one.identity(), 1));
      await nothingLeft(one.runId);
      await Effect.runPromise(Fiber.await(lost));
      expect(await Effect.runPromise(other.runIdsAlive())).not.toContain(one.runId);
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
