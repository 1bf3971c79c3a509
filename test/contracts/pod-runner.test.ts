import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LoopbackCluster, loopbackCluster } from "../support/kubernetes/loopback-cluster.ts";
import { remoteRunnerContract } from "./remote-runner.ts";

let cluster: LoopbackCluster;
beforeAll(async () => {
  cluster = await loopbackCluster();
});
afterAll(async () => {
  await cluster.close();
});

describe.concurrent("pods of a cluster over loopback", () => {
  remoteRunnerContract(() => ({
    runner: cluster.runner(),
    other: cluster.runner(),
    workspaces: cluster.workspaces,
    seenFromOutside: async ({ name }) => JSON.stringify(cluster.api.pods.get(name)?.object),
    processesOf: async (runId) => cluster.processesOf(runId),
    leftOf: async (runId) => cluster.leftOf(runId),
  }));
});

it("Pods are made and read by no request and no field but the published ones, and all are deleted", async () => {
  await expect.poll(() => cluster.api.pods.size, { timeout: 60_000 }).toBe(0);
  expect(cluster.api.secrets.size).toBe(0);
  expect(cluster.api.complaints).toEqual([]);
});
