import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { supervise } from "../contracts/remote-runner.ts";
import { ask, engineKinds, isInstalled, runnerOn, startEngine, type TestEngine } from "./engine.ts";
import { objectsOf, processesOf, runOn, workspaces } from "./remote.ts";

// `npm run test:docker`: what fails while a program is starting, running or ending.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

interface Fault {
  readonly bring: (engine: TestEngine, id: string) => Promise<void>;
  /** How a program ends that would have ended by itself. */
  readonly ends: "as if nothing had been" | RegExp;
}

const restart = (signal: "SIGTERM" | "SIGKILL", awayMs: number) => async (engine: TestEngine) => {
  await engine.end(signal);
  await new Promise((resolve) => setTimeout(resolve, awayMs));
  await engine.start();
};

const faults: Readonly<Record<string, Fault>> = {
  "the engine's service crashes and starts again": {
    bring: restart("SIGKILL", 0),
    ends: "as if nothing had been",
  },
  "the engine's service is away for five seconds": {
    bring: restart("SIGTERM", 5_000),
    ends: "as if nothing had been",
  },
  "the container is removed by somebody": {
    bring: async ({ socket }, id) => void ask(socket, "DELETE", `/containers/${id}?force=1`),
    ends: /removed by somebody else|killed from outside/,
  },
  "the container is killed by somebody": {
    bring: async ({ socket }, id) => void ask(socket, "POST", `/containers/${id}/kill`),
    ends: /killed from outside/,
  },
  "the container is stopped by somebody": {
    bring: async ({ socket }, id) => void ask(socket, "POST", `/containers/${id}/stop?t=10`),
    ends: /ended it/,
  },
};
const phases = ["starting", "running", "ending"] as const;
const rows = Object.keys(faults).flatMap((fault) => phases.map((phase) => [fault, phase] as const));

describe.each(engineKinds.filter(isInstalled))("a program in a container of %s", (kind) => {
  let started: TestEngine | undefined;
  const engine = () => started!;
  beforeAll(async () => {
    // Keeps containers alive while dockerd is away; podman always does.
    started = await startEngine(kind, { liveRestore: true });
  });
  afterAll(() => started?.close());

  it.each(rows)("%s while it is %s: it ends once, and nothing of it stays", async (name, phase) => {
    const fault = faults[name]!;
    const stop = new AbortController();
    const one = await supervise(workspaces, { stop: stop.signal });
    const script =
      phase === "ending"
        ? "trap 'echo term; sleep 2; exit 0' TERM; echo up; while true; do sleep 1 & wait $!; done"
        : `echo up; sleep ${fault.ends === "as if nothing had been" ? 25 : 8}; echo done`;
    const running = runOn(runnerOn(engine()), { command: "sh", args: ["-c", script], graceSec: 5 }, one);
    const began = performance.now();
    await expect.poll(() => one.identity(), { timeout: 60_000, interval: 5 }).not.toBeNull();
    if (phase !== "starting")
      await expect.poll(() => one.out().toString(), { timeout: 60_000, interval: 50 }).toContain("up");
    if (phase === "ending") stop.abort();
    await fault.bring(engine(), one.identity()!.uid);
    const { outcome } = await running;
    if (phase === "ending") expect(outcome.stopped).toBe(true);
    else if (fault.ends === "as if nothing had been") {
      // An engine that is about to end may refuse to start it.
      if (phase === "running" || outcome.startError === undefined) {
        expect(outcome).toMatchObject({ exitCode: 0, stopped: false });
        expect(one.out().toString()).toBe("up\ndone\n");
        expect(one.system()).toBe("");
      } else expect(outcome.startError).toMatch(/The engine does not start its container/);
    } else if (phase === "running") expect(outcome.startError).toMatch(fault.ends);
    else if (outcome.exitCode !== 0) expect(outcome.startError).toBeDefined();
    expect(processesOf(one.runId)).toEqual([]);
    await expect.poll(() => objectsOf(engine(), one.runId), { timeout: 60_000 }).toEqual([]);
    console.log(
      `${kind}, ${name} while ${phase}: over after ${((performance.now() - began) / 1000).toFixed(1)} s`,
    );
  });

  it("is found and removed with its volume by another service after its own has died, in each phase", async () => {
    const dead = runnerOn(engine());
    const other = runnerOn(engine());
    for (const until of ["made", "running"]) {
      const one = await supervise(workspaces, {
        // The service dies: nothing of it goes on.
        ...(until === "made" ? { onStarted: () => Effect.never } : {}),
      });
      void runOn(dead, { command: "sh", args: ["-c", "echo up; sleep 100"] }, one);
      await expect.poll(() => objectsOf(engine(), one.runId), { timeout: 30_000 }).toHaveLength(2);
      if (until === "running")
        await expect.poll(() => one.out().toString(), { timeout: 30_000 }).toContain("up");
      expect(await Effect.runPromise(other.runIdsAlive())).toContain(one.runId);
      await Effect.runPromise(other.endOrphans(one.runId, null, 1));
      expect(processesOf(one.runId)).toEqual([]);
      expect(await objectsOf(engine(), one.runId)).toEqual([]);
    }
  });
});

describe.runIf(isInstalled("dockerd"))("an engine that does not keep its containers", () => {
  it("ends their programs with their grace when it restarts, and the runs say so", async () => {
    const engine = await startEngine("dockerd");
    try {
      const one = await supervise(workspaces);
      const script = "trap 'echo term; exit 0' TERM; echo up; while true; do sleep 1 & wait $!; done";
      const running = runOn(runnerOn(engine), { command: "sh", args: ["-c", script], graceSec: 5 }, one);
      await expect.poll(() => one.out().toString(), { timeout: 60_000 }).toContain("up");
      await restart("SIGTERM", 1_000)(engine);
      expect((await running).outcome.startError).toMatch(/the engine stopped/);
      expect(one.out().toString()).toBe("up\nterm\n");
      expect(await objectsOf(engine, one.runId)).toEqual([]);
    } finally {
      await engine.close();
    }
  });
});
