import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { agentFiles } from "../attacks/attempts/agent-files.ts";
import { machine } from "../attacks/attempts/machine.ts";
import { network } from "../attacks/attempts/network.ts";
import { paths } from "../attacks/attempts/paths.ts";
import { carryOut } from "../attacks/carry-out.ts";
import { attackPrograms, engineAttacks } from "../attacks/engine-trials.ts";
import { agentImage, programOf } from "../support/agent-image.ts";
import { freePort } from "../support/free-port.ts";
import { apply, inLab, kubectl, labFolder, machineAddress, template } from "./lab.ts";

// `npm run test:kubernetes`: the attacks of agents in pods, on a service whose agents all run there.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 180_000 });

const image = "localhost/attacks:1";
/** One for each agent that the attempts make: the lab uses none again. */
const volumes = Array.from({ length: 80 }, (_, n) => `attack-${n}`);
const volumeOf = (name: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    storageClassName: "lab",
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    local: { path: `/run/lab/volumes/${name}` },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["lab"] }] },
        ],
      },
    },
  },
});

/** At once, because containerd reads it whenever it changes. */
const replaceFile = (path: string, text: string) => {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};

describe("attacks in pods of a real cluster", () => {
  const attacks = engineAttacks();
  beforeAll(async () => {
    for (const name of volumes) mkdirSync(join(labFolder, "volumes", name), { recursive: true });
    apply({ apiVersion: "v1", kind: "List", items: volumes.map(volumeOf) });
    const folder = mkdtempSync(join(tmpdir(), "br-attacks-"));
    try {
      const programs = Object.fromEntries(attackPrograms.map((name) => [name, programOf(name)]));
      inLab("ctr", "-n", "k8s.io", "images", "import", await agentImage(folder, image, programs));
    } finally {
      rmSync(folder, { recursive: true });
    }
    const port = await freePort(machineAddress);
    const { kubeconfig, namespace } = template;
    await attacks.open({
      runner: {
        kind: "kubernetes",
        kubeconfig,
        cluster: "lab",
        namespace,
        image,
        volume: { size: "1Gi" },
        resources: { limits: { memory: "200Mi" } },
        endingSec: 60,
      },
      env: {
        HOST: machineAddress,
        PORT: String(port),
        SERVICE_AGENT_URL: `http://${machineAddress}:${port}`,
      },
      sockets: ["/run/containerd/containerd.sock", "/var/lib/kubelet", join(labFolder, "admin.kubeconfig")],
      start: { folder: "/boardroom/spec", left: ["spec"] },
      memoryFolder: null,
      hasUserNamespaces: false,
    });
  });
  afterAll(async () => {
    await attacks.close();
    kubectl("delete", "pods,pvc", "--all");
    kubectl("delete", "pv", ...volumes);
    for (const name of volumes) rmSync(join(labFolder, "volumes", name), { recursive: true });
    inLab("ctr", "-n", "k8s.io", "images", "rm", image);
  });

  carryOut(agentFiles, ["kubernetes"], attacks.agentFiles);
  carryOut(paths, ["kubernetes"], attacks.paths);
  carryOut(machine, ["kubernetes"], {
    ...attacks.machine,
    "rights-on-the-engine": async () => {
      await attacks.machine["rights-on-the-engine"]();
      const api = /server: "?(https:[^"\s]+)/.exec(readFileSync(template.kubeconfig!, "utf8"))?.[1];
      const answers = await attacks.attacked().attempt(
        attacks.acme(),
        `const answers = [];
         for (const path of ["/api/v1/namespaces/${template.namespace}/secrets", "/api/v1/namespaces/${template.namespace}/pods", "/api/v1/nodes"])
           answers.push((await fetch("${api}" + path, { headers: { authorization: "Bearer " + process.env.SERVICE_API_KEY } })).status,
             (await fetch("${api}" + path)).status);
         return answers;`,
        { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } },
      );
      expect(answers).toEqual([401, 403, 401, 403, 401, 403]);
    },
  });

  const checked = async () => {
    const { checks } = await attacks.attacked().board.runners.check({ runnerName: "engine" });
    return checks.map(({ code }) => code);
  };
  carryOut(network, ["kubernetes"], {
    metadata: async () => {
      // Each pod has a route to everywhere, and nobody in it reads the rules of its node.
      expect(await checked()).toContain("metadata_unchecked");
      const plugin = join(labFolder, "config/cni/10-bridge.conflist");
      const usual = readFileSync(plugin, "utf8");
      replaceFile(plugin, usual.replace("0.0.0.0/0", "10.77.0.0/16"));
      try {
        await expect.poll(checked).toContain("metadata_closed");
      } finally {
        replaceFile(plugin, usual);
      }
    },
    // The lab's network plugin keeps no pods apart, as many do.
    neighbours: async () => expect(await checked()).toContain("neighbours_open"),
  });
});
