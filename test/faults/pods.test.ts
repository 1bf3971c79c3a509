import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { KubernetesTemplate } from "../../adapters-infra/kubernetes/template.ts";
import type { ProcessOutcome, ProcessSpec } from "../../ports/agent-adapter.ts";
import { hostileIn, type RemoteProgram, supervise } from "../contracts/remote-runner.ts";
import { type LoopbackCluster, loopbackCluster } from "../support/kubernetes/loopback-cluster.ts";

/** Each program has a cluster of its own, so that the tests run side by side. */
interface Scene extends LoopbackCluster {
  readonly program: RemoteProgram;
  readonly start: (deeds: readonly string[], more?: Partial<ProcessSpec>) => Promise<ProcessOutcome>;
  readonly waitsFor: () => string;
  readonly nothingIsLeft: () => Promise<void>;
}

const patience = { timeout: 60_000, interval: 20 };
const pods = /\/pods$/;

const onCluster = async (
  play: (scene: Scene) => Promise<void>,
  more: Partial<KubernetesTemplate> & { readonly stop?: AbortSignal } = {},
): Promise<void> => {
  const cluster = await loopbackCluster();
  const { stop, ...template } = more;
  try {
    const program = await supervise(cluster.workspaces, stop === undefined ? {} : { stop });
    const { supervision, runId, placements } = program;
    await play({
      ...cluster,
      program,
      start: (deeds, spec) =>
        Effect.runPromise(
          cluster.runner(template).run(hostileIn(supervision.workspace.files, deeds, spec), supervision),
        ),
      waitsFor: () => placements.map(({ waitsFor }) => waitsFor ?? "").join("\n"),
      nothingIsLeft: () =>
        vi.waitFor(() => {
          expect(cluster.objectsOf(runId)).toEqual([]);
          expect(cluster.processesOf(runId)).toEqual([]);
        }, patience),
    });
    expect(cluster.api.complaints).toEqual([]);
  } finally {
    await cluster.close();
  }
};

const clean = { exitCode: 0, signal: null, timedOut: false, stopped: false, endedAfterResult: false };

describe.concurrent("a pod that does not start", () => {
  it("says that no node takes it, and runs once one does", () =>
    onCluster(async ({ api, start, program, waitsFor, nothingIsLeft }) => {
      api.onPod = (pod) => pod.cannotBePlaced("0/3 nodes are available: 3 Insufficient memory");
      const running = start(["say:ran"]);
      await vi.waitFor(
        () =>
          expect(waitsFor()).toBe(
            "No node of the cluster has room for it, or may take it: 0/3 nodes are available: 3 Insufficient memory.",
          ),
        patience,
      );
      for (const pod of api.pods.values()) pod.run();
      expect(await running).toMatchObject(clean);
      expect(program.out().toString()).toBe("ran\n");
      expect(program.placements.at(-1)).toEqual({ node: "node-1", waitsFor: null });
      await nothingIsLeft();
    }));

  it("fails after the template's pendingSec with the reason", () =>
    onCluster(
      async ({ api, start, nothingIsLeft }) => {
        api.onPod = (pod) => pod.cannotBePlaced("node(s) didn't match Pod's node affinity/selector");
        expect((await start(["say:ran"])).startError).toBe(
          "Its pod did not start within 1 seconds. No node of the cluster has room for it, or may take it: node(s) didn't match Pod's node affinity/selector.",
        );
        await nothingIsLeft();
      },
      { pendingSec: 1 },
    ));

  it.each([
    ["InvalidImageName", 'Failed to apply default image tag "A:1": couldn\'t parse image reference'],
    ["ErrImageNeverPull", 'Container image "agents:1" is not present with pull policy of Never'],
  ])("fails at once where its image cannot be had: %s", (reason, message) =>
    onCluster(async ({ api, start, nothingIsLeft }) => {
      api.onPod = (pod) => {
        pod.place();
        pod.waits(reason, message);
      };
      expect((await start(["say:ran"])).startError).toBe(`Its image cannot be had (${reason}): ${message}`);
      await nothingIsLeft();
    }),
  );

  it("fails when the registry has refused its image twice", () =>
    onCluster(async ({ api, start, waitsFor, nothingIsLeft }) => {
      const refused = 'rpc error: code = NotFound desc = failed to pull image "agents:1": not found';
      api.onPod = (pod) => {
        pod.place();
        pod.waits("ErrImagePull", refused);
      };
      const running = start(["say:ran"]);
      await vi.waitFor(() => expect(waitsFor()).toContain(refused), patience);
      const [pod] = api.pods.values();
      pod?.waits("ImagePullBackOff", 'Back-off pulling image "agents:1"');
      await vi.waitFor(() => expect(waitsFor()).toContain("Back-off"), patience);
      pod?.waits("ErrImagePull", refused);
      expect((await running).startError).toBe(`Its image cannot be had (ErrImagePull): ${refused}`);
      await nothingIsLeft();
    }));

  it("does not wait for the end of a pod that never had its image", () =>
    onCluster(async ({ api, start, nothingIsLeft }) => {
      api.onPod = (pod) => {
        pod.place();
        pod.waits("InvalidImageName", "bad");
        // It takes a real kubelet a minute.
        pod.nodeIsLost = true;
      };
      expect((await start(["say:ran"])).startError).toBe("Its image cannot be had (InvalidImageName): bad");
      for (const pod of api.pods.values()) {
        expect(pod.object.metadata.deletionTimestamp).toBeDefined();
        pod.remove();
      }
      await nothingIsLeft();
    }));

  it("waits for a registry that does not answer, and runs when it does", () =>
    onCluster(async ({ api, start, waitsFor, nothingIsLeft }) => {
      api.onPod = (pod) => {
        pod.place();
        pod.waits("ErrImagePull", "dial tcp 10.0.0.1:443: i/o timeout");
      };
      const running = start(["say:ran"]);
      const [pod] = await vi.waitFor(() => {
        expect(waitsFor()).toContain("i/o timeout");
        return [...api.pods.values()];
      }, patience);
      pod?.waits("ImagePullBackOff", "Back-off");
      await vi.waitFor(() => expect(waitsFor()).toContain("Back-off"), patience);
      pod?.waits("ErrImagePull", "dial tcp 10.0.0.1:443: i/o timeout");
      await vi.waitFor(() => expect(waitsFor().match(/i\/o timeout/g)).toHaveLength(2), patience);
      pod?.run();
      expect(await running).toMatchObject(clean);
      await nothingIsLeft();
    }));

  it("waits for room in the quota, and says so", () =>
    onCluster(async ({ api, start, waitsFor, nothingIsLeft }) => {
      const message =
        'pods "br" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
      api.fail("POST", pods, { status: 403, reason: "Forbidden", message }, 2);
      expect(await start(["say:ran"])).toMatchObject(clean);
      expect(waitsFor()).toContain(`The quota of the namespace leaves no room: ${message}`);
      await nothingIsLeft();
    }));

  it("fails at once where the cluster's rules refuse it", () =>
    onCluster(async ({ api, start, nothingIsLeft }) => {
      const message = "Pod is invalid: spec.runtimeClassName: RuntimeClass gvisor not found";
      api.fail("POST", pods, { status: 422, reason: "Invalid", message });
      expect((await start(["say:ran"])).startError).toBe(`The cluster refuses its pod: ${message}`);
      await nothingIsLeft();
    }));

  it("is deleted, and the run fails, where its Secret is refused", () =>
    onCluster(async ({ api, start, nothingIsLeft }) => {
      api.fail("POST", /\/secrets$/, {
        status: 413,
        reason: "RequestEntityTooLarge",
        message: "limit is 3145728",
      });
      expect((await start(["say:ran"])).startError).toBe(
        "The cluster refuses the Secret of its pod: limit is 3145728",
      );
      await nothingIsLeft();
    }));

  it("is deleted where the run must stop before it has started", () => {
    const stop = new AbortController();
    return onCluster(
      async ({ api, start, waitsFor, nothingIsLeft }) => {
        api.onPod = (pod) => pod.cannotBePlaced("0/3 nodes are available");
        const running = start(["say:ran"]);
        await vi.waitFor(() => expect(waitsFor()).toContain("0/3 nodes"), patience);
        stop.abort();
        expect(await running).toMatchObject({ stopped: true });
        await nothingIsLeft();
      },
      { stop: stop.signal },
    );
  });
});

describe.concurrent("an API server in trouble", () => {
  it.each([
    [429, "TooManyRequests", "Too many requests, please try again later."],
    [500, "InternalError", "etcdserver: request timed out"],
    [503, "ServiceUnavailable", "the server is currently unable to handle the request"],
  ])("that answers %i to the creation of each object is asked again", (status, reason, message) =>
    onCluster(async ({ api, start, waitsFor, nothingIsLeft }) => {
      for (const path of [/\/configmaps$/, pods, /\/secrets$/])
        api.fail("POST", path, { status, reason, message });
      expect(await start(["say:ran"])).toMatchObject(clean);
      expect(waitsFor()).toContain(message);
      await nothingIsLeft();
    }),
  );

  it("whose answer to a creation is lost makes no second pod", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      let made = 0;
      api.onPod = (pod) => {
        made += 1;
        pod.run();
      };
      for (const path of [/\/configmaps$/, pods, /\/secrets$/]) api.fail("POST", path, "answer is lost");
      expect(await start(["say:ran"])).toMatchObject(clean);
      expect(made).toBe(1);
      expect(program.out().toString()).toBe("ran\n");
      await nothingIsLeft();
    }));

  it("that refuses a pod after an answer was lost keeps no pod of it", () =>
    onCluster(async ({ api, start, program, objectsOf }) => {
      const message = "Pod is invalid: spec.runtimeClassName: RuntimeClass gvisor not found";
      api.fail("POST", pods, "answer is lost");
      api.fail("POST", pods, { status: 422, reason: "Invalid", message });
      expect((await start(["say:ran"])).startError).toBe(`The cluster refuses its pod: ${message}`);
      await vi.waitFor(() => expect(objectsOf(program.runId)).toEqual([]), patience);
    }));

  it("that is away while a program runs changes nothing of its end and output", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      const running = start(["say:up", "wait:3000", "say:done"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      api.goAway();
      await vi.waitFor(() => expect(api.unanswered.length).toBeGreaterThan(2), patience);
      api.isAway = false;
      expect(await running).toMatchObject(clean);
      expect(program.out().toString()).toBe("up\ndone\n");
      await nothingIsLeft();
    }));

  it("that is away while a run must stop leaves the run live until its pod has ended", () => {
    const stop = new AbortController();
    return onCluster(
      async ({ api, start, program, processesOf, nothingIsLeft }) => {
        const running = start(["say:up", "hang"]);
        let isOver = false;
        void running.then(() => {
          isOver = true;
        });
        await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
        api.goAway();
        stop.abort();
        const deletions = () => api.unanswered.filter((request) => request.startsWith("DELETE "));
        await vi.waitFor(() => expect(deletions().length).toBeGreaterThan(1), patience);
        expect(isOver).toBe(false);
        expect(processesOf(program.runId)).not.toEqual([]);
        api.isAway = false;
        expect(await running).toMatchObject({ stopped: true });
        await nothingIsLeft();
      },
      { stop: stop.signal },
    );
  });

  it("that is away leaves a lost run to the next attempt", () =>
    onCluster(async ({ api, start, program, runner, nothingIsLeft }) => {
      const running = start(["say:up", "hang"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      const other = runner();
      api.isAway = true;
      await expect(Effect.runPromise(other.endOrphans(program.runId, null, 1))).rejects.toThrow();
      api.isAway = false;
      await Effect.runPromise(other.endOrphans(program.runId, null, 1));
      await nothingIsLeft();
      expect((await running).startError).toMatch(/^Its pod (was deleted by somebody else|ended it)/);
    }));
});

describe.concurrent("a node in trouble", () => {
  it("that evicts a pod is named, with its reason", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      const running = start(["say:up", "hang"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      for (const pod of api.pods.values()) pod.evict("The node was low on resource: ephemeral-storage.");
      expect((await running).startError).toBe(
        "Its pod was evicted from node node-1: The node was low on resource: ephemeral-storage. Give it requests that hold what it needs.",
      );
      await nothingIsLeft();
    }));

  it("whose kernel ends a pod out of memory lets the run say so", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      const running = start(["say:up", "hang"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      for (const pod of api.pods.values()) pod.endAs("OOMKilled", 137);
      expect(await running).toMatchObject({ overMemory: true, exitCode: null });
      await nothingIsLeft();
    }));

  it("that falls silent keeps a stopped run live, which says so, until the cluster removes the pod", () => {
    const stop = new AbortController();
    return onCluster(
      async ({ api, start, program, waitsFor, nothingIsLeft }) => {
        const running = start(["say:up", "hang"], { graceSec: 1 });
        let isOver = false;
        void running.then(() => {
          isOver = true;
        });
        await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
        const [pod] = api.pods.values();
        if (pod !== undefined) pod.nodeIsLost = true;
        stop.abort();
        await vi.waitFor(
          () => expect(waitsFor()).toContain("Its node node-1 has not confirmed yet that it has ended."),
          patience,
        );
        expect(isOver).toBe(false);
        // The node object is gone.
        pod?.remove();
        expect(await running).toMatchObject({ stopped: true });
        await nothingIsLeft();
      },
      { stop: stop.signal },
    );
  });

  it("that is lost with its pods is named", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      const running = start(["say:up", "hang"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      const [pod] = api.pods.values();
      if (pod !== undefined) {
        pod.nodeIsLost = true;
        pod.object.status.reason = "NodeLost";
        pod.object.status.message = "Node node-1 which was running pod br is unresponsive";
        pod.delete(30);
      }
      // The run has seen it: a second look begins after the first one.
      const shown = pod?.shown ?? 0;
      await vi.waitFor(() => expect(pod?.shown).toBeGreaterThan(shown + 1), patience);
      pod?.remove();
      expect((await running).startError).toBe(
        "Its node node-1 was lost: it no longer answered, and the cluster removed its pods.",
      );
      await nothingIsLeft();
    }));

  it("that does not confirm the end of a lost run's pod leaves the run to the next attempt", () =>
    onCluster(async ({ api, start, program, runner, nothingIsLeft }) => {
      const running = start(["say:up", "hang"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      const [pod] = api.pods.values();
      if (pod !== undefined) pod.nodeIsLost = true;
      const other = runner({ endingSec: 0 });
      await expect(Effect.runPromise(other.endOrphans(program.runId, null, 0))).rejects.toThrow(
        /its node node-1 does not answer/,
      );
      // Beyond its deadline its kubelet has ended it, by the API server's clock.
      api.skewMs = 86_400_000;
      await Effect.runPromise(other.endOrphans(program.runId, null, 0));
      api.skewMs = 0;
      pod?.remove();
      await running;
      await nothingIsLeft();
    }));
});

describe.concurrent("a log", () => {
  const many =
    "for (let i = 0; i < 600; i += 1) setTimeout(() => console.log('line ' + i + ' ' + 'x'.repeat(500)), 4 * i)";
  const all = Array.from({ length: 600 }, (_, i) => `line ${i} ${"x".repeat(500)}\n`).join("");

  it.each([
    ["the clocks agree", 0],
    ["the node's clock is an hour ahead", 3_600_000],
    ["the node's clock is an hour behind", -3_600_000],
  ])("whose connection is cut in the middle of lines is complete, each line once: %s", (_, skewMs) =>
    onCluster(async ({ api, runner, program, nothingIsLeft }) => {
      api.nodeSkewMs = skewMs;
      const running = Effect.runPromise(
        runner().run(
          { command: "node", args: ["-e", many], timeoutSec: 60, graceSec: 1 },
          program.supervision,
        ),
      );
      for (const n of [50, 150, 300, 450]) {
        await vi.waitFor(() => expect(program.out().toString()).toContain(`line ${n} `), patience);
        api.cutLogs();
      }
      expect(await running).toMatchObject(clean);
      expect(program.out().toString()).toBe(all);
      await nothingIsLeft();
    }),
  );

  it("that the kubelet rotates before it is read has a line about what is lost", () =>
    onCluster(async ({ api, runner, program, nothingIsLeft }) => {
      const go = join(await mkdtemp(join(tmpdir(), "rotated-")), "go");
      onTestFinished(() => rm(dirname(go), { recursive: true }));
      const halting = `
        const say = (from, to) => { for (let i = from; i < to; i += 1) console.log("line " + i + " " + "x".repeat(500)); };
        say(0, 21);
        const wait = setInterval(() => {
          if (!require("node:fs").existsSync(${JSON.stringify(go)})) return;
          clearInterval(wait);
          say(21, 600);
        }, 20);`;
      const running = Effect.runPromise(
        runner().run(
          { command: "node", args: ["-e", halting], timeoutSec: 60, graceSec: 1 },
          program.supervision,
        ),
      );
      await vi.waitFor(() => expect(program.out().toString()).toContain("line 20 "), patience);
      api.goAway();
      await writeFile(go, "");
      const [pod] = api.pods.values();
      await vi.waitFor(() => expect(pod?.ended).toBe(true), patience);
      pod?.log.splice(0, pod.log.length - 10);
      api.isAway = false;
      expect(await running).toMatchObject(clean);
      expect(program.system()).toMatch(/^\[\d+ pieces of output were lost: the engine dropped them\.\]\n$/);
      expect(program.out().toString()).toContain("line 599 ");
      await nothingIsLeft();
    }));

  it("with lines of the container's runtime is read past them", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      api.onPod = (pod) => {
        pod.say("runtime: a line that is no frame");
        pod.run();
      };
      expect(await start(["say:up"])).toMatchObject(clean);
      expect(program.out().toString()).toBe("up\n");
      await nothingIsLeft();
    }));

  it("that ends without the helper's result leaves the container's exit code to the run", () =>
    onCluster(async ({ api, start, program, nothingIsLeft }) => {
      const running = start(["say:up", "hang"]);
      await vi.waitFor(() => expect(program.out().toString()).toContain("up"), patience);
      for (const pod of api.pods.values()) pod.endAs("Error", 139);
      expect((await running).startError).toBe("Its pod ended without a result (Error, exit code 139).");
      await nothingIsLeft();
    }));
});
