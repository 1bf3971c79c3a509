import * as Effect from "effect/Effect";
import { afterAll, describe, expect, it, vi } from "vitest";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import type { HandoverFiles } from "../../adapters-infra/runner-helper/handover-files.ts";
import { volumeNameOf } from "../../adapters-infra/runner-helper/labels.ts";
import { hostileIn, remoteRunnerContract, supervise } from "../contracts/remote-runner.ts";
import { anotherInstallation, installation } from "../support/installation.ts";
import { inLab, kubectl, labRunner } from "./lab.ts";

// `npm run test:kubernetes`: on a real node that `up` of the lab has started.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const podWorkspaces = engineWorkspaces("pod");
const processesOf = (runId: string): readonly string[] =>
  inLab("sh", "-c", `grep -lz "SERVICE_RUN_ID=${runId}" /proc/[0-9]*/environ 2>/dev/null || true`)
    .split("\n")
    .filter((line) => line !== "");
const objectsOf = (runId: string): readonly string[] =>
  kubectl("get", "pods,secrets", "-o", "name")
    .split("\n")
    .filter((name) => name.includes(runId));

afterAll(() => void kubectl("delete", "pods", "--all", "--wait=false"));

describe("pods of a real cluster", () => {
  const engine = {
    runner: labRunner(),
    other: labRunner(),
    copy: labRunner({}, null, anotherInstallation),
    keeping: (handoverFiles: HandoverFiles) => labRunner({}, handoverFiles),
    workspaces: podWorkspaces,
    seenFromOutside: async ({ name }: { name: string }) =>
      kubectl("get", "pod", name, "-o", "yaml") + kubectl("describe", "pod", name),
    processesOf: async (runId: string) => processesOf(runId),
    objectsOf: async (runId: string) => objectsOf(runId),
  };
  remoteRunnerContract(() => engine);

  it("keep nothing of the service's rights: no token, no capability, a read-only system, one user", async () => {
    const one = await supervise(podWorkspaces);
    await Effect.runPromise(
      engine.runner.run(
        {
          command: "sh",
          args: [
            "-c",
            "id -u; ls /var/run/secrets 2>&1 | wc -l; touch /x 2>&1; grep -E 'CapEff|NoNewPrivs|Seccomp:' /proc/self/status",
          ],
          timeoutSec: 30,
          graceSec: 1,
        },
        one.supervision,
      ),
    );
    expect(one.out().toString()).toMatch(/^1000\n/);
    expect(one.out().toString()).toMatch(/Read-only file system/);
    expect(one.out().toString()).toMatch(/CapEff:\s+0{16}\nNoNewPrivs:\s+1\nSeccomp:\s+2/);
  });

  it("keep an agent's workspace and home on its volume from one pod to the next", async () => {
    const runner = labRunner({
      volume: { size: "10Mi", storageClassName: null, accessMode: "ReadWriteOnce" },
    });
    const say = async (script: string, agentId: string) => {
      const one = await supervise(podWorkspaces);
      const workspace = { ...one.supervision.workspace, agentId: agentId as never };
      const outcome = await Effect.runPromise(
        runner.run(
          { command: "sh", args: ["-c", script], timeoutSec: 60, graceSec: 1 },
          { ...one.supervision, workspace },
        ),
      );
      expect(outcome).toMatchObject({ exitCode: 0 });
      return one.out().toString();
    };
    const agent = `agent-${Date.now()}`;
    await say("echo kept > file; echo session > $HOME/session", agent);
    expect(await say("cat file $HOME/session", agent)).toBe("kept\nsession\n");
    kubectl("delete", "pvc", volumeNameOf(installation, agent), "--wait=false");
  });

  it.each<[string, Parameters<typeof labRunner>[0], RegExp]>([
    [
      "no node that may take it",
      { nodeSelector: { disk: "of-gold" }, pendingSec: 6 },
      /No node of the cluster has room/,
    ],
    ["no image", { image: "localhost/none:1" }, /^Its image cannot be had/m],
  ])("say why they wait: %s", async (_, more, sentence) => {
    const one = await supervise(podWorkspaces);
    const outcome = await Effect.runPromise(
      labRunner(more).run({ command: "true", args: [], timeoutSec: 30, graceSec: 1 }, one.supervision),
    );
    expect(one.placements.map(({ waitsFor }) => waitsFor ?? "").join("\n")).toMatch(sentence);
    expect(outcome.startError).toMatch(sentence);
    await expect.poll(() => objectsOf(one.runId), { timeout: 120_000 }).toEqual([]);
  });

  it("say that they took too much memory", async () => {
    const one = await supervise(podWorkspaces);
    const outcome = await Effect.runPromise(
      labRunner({ resources: { limits: { memory: "96Mi" } } }).run(
        {
          command: "node",
          args: ["-e", "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"],
          timeoutSec: 60,
          graceSec: 1,
        },
        one.supervision,
      ),
    );
    // The kernel ends the program, or process 1 with it.
    expect(outcome.overMemory === true || outcome.signal === "SIGKILL").toBe(true);
  });

  it("wait for room in a quota, and say so", async () => {
    kubectl("create", "quota", "no-room", "--hard=pods=0");
    const one = await supervise(podWorkspaces);
    const running = Effect.runPromise(
      labRunner().run({ command: "echo", args: ["ran"], timeoutSec: 30, graceSec: 1 }, one.supervision),
    );
    await expect.poll(() => one.placements.at(-1)?.waitsFor ?? "", { timeout: 20_000 }).toMatch(/quota/i);
    kubectl("delete", "quota", "no-room");
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(one.out().toString()).toBe("ran\n");
  });
});

describe("a fault in each phase of a program", () => {
  const kill = (what: string) => inLab("sh", "-c", `kill -KILL $(cat /run/lab/pid/${what})`);
  const drop = ["-p", "tcp", "--dport", "6443", "-s", "10.77.0.2", "-j", "DROP"];
  const faults: Readonly<Record<string, (name: string) => void>> = {
    "the connection to the API server falls silent": () => {
      inLab("iptables", "-I", "INPUT", ...drop);
      setTimeout(() => inLab("iptables", "-D", "INPUT", ...drop), 8_000);
    },
    "the API server crashes": () => void kill("apiserver"),
    "the kubelet crashes": () => void kill("kubelet"),
    "the node's runtime crashes": () => void kill("containerd"),
    "the pod is deleted by somebody": (name) => void kubectl("delete", "pod", name, "--wait=false"),
  };
  const phases = ["starting", "running", "ending"] as const;
  const rows = Object.keys(faults).flatMap((fault) => phases.map((phase) => [fault, phase] as const));

  it.each(rows)("%s while it is %s: it ends once, and nothing of it stays", async (fault, phase) => {
    const stop = new AbortController();
    const one = await supervise(podWorkspaces, { stop: stop.signal });
    const { files } = one.supervision.workspace;
    const began = performance.now();
    const running = Effect.runPromise(
      labRunner().run(
        hostileIn(
          files,
          ["say:up", ...(phase === "ending" ? ["note-term", "hang"] : ["wait:8000", "say:done", "exit:0"])],
          {
            graceSec: 4,
          },
        ),
        one.supervision,
      ),
    );
    await expect.poll(() => one.identity(), { timeout: 60_000, interval: 20 }).not.toBeNull();
    if (phase !== "starting")
      await expect.poll(() => one.out().toString(), { timeout: 60_000, interval: 50 }).toContain("up");
    if (phase === "ending") stop.abort();
    faults[fault]!(one.identity()!.name);
    const outcome = await running;
    if (phase === "ending") expect(outcome.stopped).toBe(true);
    else if (fault.startsWith("the pod")) expect(outcome.startError).toBeDefined();
    else {
      expect(outcome).toMatchObject({ exitCode: 0 });
      expect(one.out().toString()).toBe("up\ndone\n");
    }
    await expect.poll(() => processesOf(one.runId), { timeout: 60_000, interval: 500 }).toEqual([]);
    await expect.poll(() => objectsOf(one.runId), { timeout: 120_000, interval: 500 }).toEqual([]);
    console.log(`${fault} while ${phase}: over after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  });
});
