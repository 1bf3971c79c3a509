import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Container } from "../../adapters-infra/docker/container.ts";
import { containerRunner } from "../../adapters-infra/docker/container-runner.ts";
import type { DockerEngine } from "../../adapters-infra/docker/docker-engine.ts";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import { supervise } from "../contracts/remote-runner.ts";
import { installation } from "../support/installation.ts";

/** One that starts a container, whose answer to that is lost, and that is away from then on. Its clock is the test's. */
const engineThatGoesAway = () => {
  const volumes = new Set<string>();
  let container: Container | null = null;
  let isAway = false;
  const answer = <A>(value: () => A) =>
    isAway ? Promise.reject(new Error("connect ECONNREFUSED")) : Promise.resolve(value());
  const turn = (Status: "running" | "exited") => {
    if (container !== null)
      container = { ...container, State: { Status, Running: Status === "running", ExitCode: 0 } };
  };
  const engine: DockerEngine = {
    server: "unix:///run/test.sock",
    info: () => answer(() => ({ ID: "test", Name: "box" })),
    isBridge: () => answer(() => false),
    volume: () => answer(() => null),
    containersWith: () => answer(() => []),
    ensureVolume: (name) => answer(() => void volumes.add(name)),
    createContainer: (name) =>
      answer(() => {
        container = { Id: "c1", Name: name, State: { Status: "created", Running: false } };
        return { status: 201, body: { Id: "c1" }, message: "", at: 0 };
      }),
    container: () => answer(() => container),
    containers: () => answer(() => []),
    volumes: () => answer(() => []),
    put: () => answer(() => {}),
    start: () => {
      turn("running");
      isAway = true;
      return answer(() => {});
    },
    signal: () => answer(() => turn("exited")),
    unpause: () => answer(() => {}),
    removeContainer: () =>
      answer(() => {
        container = null;
        return true;
      }),
    removeVolume: (name) => answer(() => volumes.delete(name)),
    log: () => () => Promise.reject(new Error("connect ECONNREFUSED")),
    input: () => () => Promise.reject(new Error("connect ECONNREFUSED")),
    wasKilledByKernel: () => answer(() => false),
  };
  return {
    engine,
    isRunning: () => container?.State.Running === true,
    left: () => [...(container === null ? [] : [container.Name]), ...volumes],
    comeBack: () => {
      isAway = false;
    },
  };
};

describe("a run that is stopped while its engine is away, and whose container may or may not have started", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const timeoutSec = 600;
  const graceSec = 5;
  const stopped = async () => {
    const away = engineThatGoesAway();
    const template = { name: "box", image: "agents:1", runAsUser: 1000, network: "bridge" };
    const limits = { memoryBytes: null, cpus: null, pids: 512, runtime: null };
    const runner = containerRunner({
      engine: away.engine,
      template: { ...template, ...limits },
      scope: "docker/test",
      helper: "",
      handover: null,
      service: { installation, fenceSec: 20, skills: "/none" },
    });
    const stop = new AbortController();
    const one = await supervise(engineWorkspaces("container"), { stop: stop.signal });
    const began = performance.now();
    const running = Effect.runPromise(
      runner.run({ command: "sleep", args: ["600"], timeoutSec, graceSec }, one.supervision),
    ).then((outcome) => ({ outcome, afterSec: (performance.now() - began) / 1000 }));
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(away.isRunning()).toBe(true);
    stop.abort();
    return { ...away, ...one, running, isOver: () => isOver };
  };

  it("does not end before the engine has ended the container, and says what it waits for", async () => {
    const { comeBack, isOver, isRunning, left, placements, running } = await stopped();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(isOver()).toBe(false);
    expect(isRunning()).toBe(true);
    expect(placements.at(-1)?.waitsFor).toBe(
      "The engine unix:///run/test.sock does not answer, so it is not known whether it has ended.",
    );
    comeBack();
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await running).outcome).toMatchObject({ stopped: true });
    expect(left()).toEqual([]);
  });

  it("ends once its program must have ended by itself, if the engine never answers", async () => {
    const { running } = await stopped();
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    const { outcome, afterSec } = await running;
    expect(outcome).toMatchObject({ stopped: true });
    expect(afterSec).toBeGreaterThan(timeoutSec + graceSec);
    expect(afterSec).toBeLessThan(timeoutSec + graceSec + 200);
  });
});
