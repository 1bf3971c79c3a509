import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { claimVolumes } from "../../adapters-infra/kubernetes/claim-volumes.ts";
import { engineIssueWorkspaces } from "../../adapters-infra/runner-helper/engine-issue-workspaces.ts";
import { outcomeOf } from "../support/code-stores.ts";
import { installation } from "../support/installation.ts";
import { type LoopbackCluster, loopbackCluster } from "../support/kubernetes/loopback-cluster.ts";
import { atCommitContract } from "./at-commit-contract.ts";
import {
  issueTreesContract,
  makeTree,
  openTreeStores,
  rowsOfEngines,
  type TestedTrees,
} from "./issue-trees-contract.ts";

let cluster: LoopbackCluster;
let tested: TestedTrees;
beforeAll(async () => {
  cluster = await loopbackCluster();
  const volume = { size: "1Gi", storageClassName: null, accessMode: "ReadWriteOnce" } as const;
  const processes = cluster.runner({ volume });
  tested = {
    at: await openTreeStores(),
    processes,
    trees: engineIssueWorkspaces(installation, processes, claimVolumes(cluster.cluster)),
  };
});
afterAll(async () => {
  tested?.at.close();
  await cluster?.close();
});

describe("workspaces on claims of a cluster over loopback", () => {
  issueTreesContract(() => tested, rowsOfEngines);

  atCommitContract(
    () => tested,
    () => [...cluster.api.claims.keys()].filter((name) => name.startsWith("br-temporary-")),
  );

  it("are gone once they are discarded", async () => {
    const { trees } = tested;
    const { folder } = await makeTree(tested);
    expect(await Effect.runPromise(trees.isThere(folder))).toBe(true);
    await Effect.runPromise(trees.discard(folder));
    expect(await Effect.runPromise(trees.isThere(folder))).toBe(false);
  });

  it("are copied aside, whole, before they are made anew", async () => {
    const tree = await makeTree(tested);
    await tree.sh("echo s >secret; chmod 0 secret");
    const result = await Effect.runPromise(tested.trees.setAside(tree.folder));
    const name = result.replace("the volume ", "");
    await Effect.runPromise(tested.trees.discard(tree.folder));
    await Effect.runPromise(tested.trees.emptyTrash());
    expect(cluster.api.claims.has(name)).toBe(true);
  });

  it("are not taken for missing while the cluster is away", async () => {
    const { folder } = await makeTree(tested);
    cluster.api.goAway();
    const asked = await Effect.runPromise(Effect.flip(tested.trees.isThere(folder)));
    expect(asked.message).toMatch(/^The engine of its workspace cannot be asked: /);
    cluster.api.isAway = false;
    // A connection of the pool may be one that has broken.
    await expect.poll(() => outcomeOf(tested.trees.isThere(folder))).toBe(true);
  });

  it("are made and deleted by no request and no field but the published ones", () => {
    expect(cluster.api.complaints).toEqual([]);
  });
});
