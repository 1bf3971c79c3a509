import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { claimVolumes } from "../../adapters-infra/kubernetes/claim-volumes.ts";
import { engineIssueWorkspaces } from "../../adapters-infra/runner-helper/engine-issue-workspaces.ts";
import {
  issueTreesContract,
  makeTree,
  openTreeStores,
  rowsOfEngines,
  type TestedTrees,
} from "../contracts/issue-trees-contract.ts";
import { agentImage } from "../support/agent-image.ts";
import { installation } from "../support/installation.ts";
import { apply, inLab, kubectl, labCluster, labFolder, labRunner, machineAddress } from "./lab.ts";

// `npm run test:kubernetes`: workspaces of issues on claims of a real node, in pods that fetch from this machine.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 300_000 });

const image = "localhost/agent-with-git:1";
/** A volume of the lab serves one claim only, and each workspace is one. */
const volumes = Array.from({ length: 60 }, (_, n) => `tree-${n}`);

describe("workspaces on claims of a real cluster", () => {
  let tested: TestedTrees;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "br-trees-"));
    try {
      inLab("ctr", "-n", "k8s.io", "images", "import", await agentImage(folder, image));
    } finally {
      rmSync(folder, { recursive: true });
    }
    for (const name of volumes) mkdirSync(join(labFolder, "volumes", name));
    apply({
      apiVersion: "v1",
      kind: "List",
      items: [
        ...volumes.map((name) => ({
          apiVersion: "v1",
          kind: "PersistentVolume",
          metadata: { name },
          spec: {
            storageClassName: "lab",
            capacity: { storage: "10Gi" },
            accessModes: ["ReadWriteOnce"],
            persistentVolumeReclaimPolicy: "Retain",
            local: { path: `/run/lab/volumes/${name}` },
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [
                  { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["lab"] }] },
                ],
              },
            },
          },
        })),
        // The lab's own role is older than workspaces.
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "Role",
          metadata: { name: "boardroom-claims", namespace: "boardroom-agents" },
          rules: [
            { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get", "list", "delete"] },
          ],
        },
        {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "RoleBinding",
          metadata: { name: "boardroom-claims", namespace: "boardroom-agents" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "boardroom-claims" },
          subjects: [{ kind: "User", name: "boardroom-runner", apiGroup: "rbac.authorization.k8s.io" }],
        },
      ],
    });
    const processes = labRunner({
      image,
      volume: { size: "1Gi", storageClassName: null, accessMode: "ReadWriteOnce" },
    });
    tested = {
      at: await openTreeStores(machineAddress),
      processes,
      trees: engineIssueWorkspaces(installation, processes, claimVolumes(labCluster())),
    };
  });
  afterAll(() => {
    tested?.at.close();
    kubectl("delete", "pods,pvc", "--all", "--wait=false");
    kubectl("delete", "pv", ...volumes, "--wait=false");
    inLab("ctr", "-n", "k8s.io", "images", "rm", image);
  });

  issueTreesContract(() => tested, rowsOfEngines);

  it("are gone once they are discarded, with all that an agent has closed", async () => {
    const { trees } = tested;
    const { folder, sh } = await makeTree(tested);
    await sh("mkdir -p closed/in; echo x >closed/in/x; chmod 0 closed");
    expect(await Effect.runPromise(trees.isThere(folder))).toBe(true);
    await Effect.runPromise(trees.discard(folder));
    await expect.poll(() => Effect.runPromise(trees.isThere(folder)), { timeout: 120_000 }).toBe(false);
  });

  it("are copied aside, whole, before they are made anew", async () => {
    const tree = await makeTree(tested);
    await tree.sh("echo s >secret; chmod 0 secret");
    const result = await Effect.runPromise(tested.trees.setAside(tree.folder));
    await Effect.runPromise(tested.trees.discard(tree.folder));
    await Effect.runPromise(tested.trees.emptyTrash());
    expect(await labCluster().claim(result.replace("the volume ", ""))).not.toBeNull();
  });
});
