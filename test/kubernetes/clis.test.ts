import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { stringify } from "yaml";
import { realCliImage, realClisFinishIssues } from "../support/real-clis-elsewhere.ts";
import { inLab, kubectl, machineAddress, template } from "./lab.ts";

// `npm run test:kubernetes`: the command lines of the built-in adapters in pods; only the model is scripted.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const image = "localhost/clis:1";

describe("in pods of a real cluster", () => {
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "br-clis-"));
    try {
      inLab("ctr", "-n", "k8s.io", "images", "import", await realCliImage(folder, image));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  afterAll(() => {
    kubectl("delete", "pods,pvc", "--all", "--wait=false");
    inLab("ctr", "-n", "k8s.io", "images", "rm", image);
  });

  realClisFinishIssues(machineAddress, () => {
    const { kubeconfig, namespace } = template;
    const volume = { size: "1Gi" };
    return stringify({ kind: "kubernetes", kubeconfig, cluster: "lab", namespace, image, volume });
  });
});
