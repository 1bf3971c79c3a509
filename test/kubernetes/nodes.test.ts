import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import type { RemoteProgram } from "../contracts/remote-runner.ts";
import { supervise } from "../contracts/remote-runner.ts";
import { inLab, kubectl, labRunner } from "./lab.ts";
import { openSecondNode, type SecondNode } from "./second-node.ts";

// `npm run test:kubernetes`: a second node next to the one that `up` of the lab has started.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const podWorkspaces = engineWorkspaces("pod");
const first = "lab";
let second: SecondNode;

const isReady = (node: string): boolean =>
  kubectl(
    "get",
    "node",
    node,
    "--ignore-not-found",
    "-o",
    "jsonpath={.status.conditions[?(@.type=='Ready')].status} {.spec.taints}",
  ).trim() === "True";
const ready = (node: string, expected = true) =>
  vi.waitFor(() => expect(isReady(node)).toBe(expected), { timeout: 120_000, interval: 500 });

beforeAll(async () => {
  second = await openSecondNode();
  await ready(second.name);
});
afterAll(async () => {
  await second?.close();
  kubectl("delete", "pods,pvc", "--all", "--wait=false");
});

const on = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": node } });
const volume = { size: "10Mi", storageClassName: null, accessMode: "ReadWriteOnce" } as const;

const run = async (
  script: string,
  more: Parameters<typeof labRunner>[0],
  { one, agentId = null }: { readonly one?: RemoteProgram; readonly agentId?: string | null } = {},
) => {
  const program = one ?? (await supervise(podWorkspaces));
  const { supervision } = program;
  const outcome = await Effect.runPromise(
    labRunner(more).run(
      { command: "sh", args: ["-c", script], timeoutSec: 120, graceSec: 1 },
      { ...supervision, workspace: { ...supervision.workspace, agentId: agentId as never } },
    ),
  );
  return { ...program, outcome };
};

describe("pods of a cluster with two nodes", () => {
  it("run on the node that their template selects", async () => {
    for (const node of [first, second.name]) {
      const { outcome, out, placements } = await run("echo here", on(node));
      expect(outcome).toMatchObject({ exitCode: 0 });
      expect(out().toString()).toBe("here\n");
      expect(placements.at(-1)?.node).toBe(node);
    }
  });

  it("wait for the node of their agent's volume while it is away, and say so, though another node is fine", async () => {
    const agentId = `agent-${Date.now()}`;
    expect((await run("echo kept > file", { ...on(first), volume }, { agentId })).outcome).toMatchObject({
      exitCode: 0,
    });
    const kubelet = (signal: string) => inLab("sh", "-c", `kill -${signal} $(cat /run/lab/pid/kubelet)`);
    kubelet("STOP");
    try {
      await ready(first, false);
      const one = await supervise(podWorkspaces);
      const running = run("cat file", { volume }, { one, agentId });
      await expect
        .poll(() => one.placements.at(-1)?.waitsFor ?? "", { timeout: 60_000 })
        .toMatch(/No node of the cluster has room for it, or may take it:.*volume node affinity conflict/);
      const elsewhere = await run("echo fine", {});
      expect(elsewhere.placements.at(-1)?.node).toBe(second.name);
      expect(elsewhere.out().toString()).toBe("fine\n");
      kubelet("CONT");
      expect((await running).outcome).toMatchObject({ exitCode: 0 });
      expect(one.out().toString()).toBe("kept\n");
    } finally {
      kubelet("CONT");
    }
    await ready(first);
  });

  it("on a node that is lost keep their stopped run live, which says so, until the node is taken out", async () => {
    const stop = new AbortController();
    const one = await supervise(podWorkspaces, { stop: stop.signal });
    let isOver = false;
    const running = run("echo up; sleep 100", { ...on(second.name), endingSec: 300 }, { one });
    void running.then(() => {
      isOver = true;
    });
    await expect.poll(() => one.out().toString(), { timeout: 60_000 }).toBe("up\n");
    second.run("sh", "-c", "kill -STOP $(cat /run/lab/pid/kubelet)");
    await ready(second.name, false);
    stop.abort();
    await expect
      .poll(() => one.placements.at(-1)?.waitsFor ?? "", { timeout: 60_000 })
      .toBe(`Its node ${second.name} has not confirmed yet that it has ended.`);
    const elsewhere = await run("echo fine", {});
    expect(elsewhere.placements.at(-1)?.node).toBe(first);
    expect(isOver).toBe(false);
    kubectl("delete", "node", second.name);
    expect((await running).outcome).toMatchObject({ stopped: true });
  });
});
