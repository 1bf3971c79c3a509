import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cluster } from "../../adapters-infra/kubernetes/cluster.ts";
import { readKubeconfig } from "../../adapters-infra/kubernetes/kubeconfig.ts";
import { podProcessRunner } from "../../adapters-infra/kubernetes/pod-process-runner.ts";
import type { KubernetesTemplate } from "../../adapters-infra/kubernetes/template.ts";
import { engineHttp } from "../../adapters-infra/runner-helper/engine-http.ts";
import type { HandoverFiles } from "../../adapters-infra/runner-helper/handover-files.ts";
import { installation } from "../support/installation.ts";

/** Of the programs and images that the lab is made of. */
export const cache = process.env.BOARDROOM_LAB ?? join(homedir(), ".cache/boardroom-kubernetes-lab");
/** The folder of the running lab (`up`). */
export const labFolder = readlinkSync(join(cache, "current"));

/** This machine's end of the lab's network, where pods scope it. */
export const machineAddress = "10.77.0.2";

export const template: KubernetesTemplate = {
  name: "lab",
  kubeconfig: join(labFolder, "runner.kubeconfig"),
  context: null,
  cluster: "lab",
  namespace: "boardroom-agents",
  image: "localhost/agent:1",
  runAsUser: 1000,
  resources: null,
  nodeSelector: null,
  runtimeClassName: null,
  volume: null,
  pendingSec: 60,
  endingSec: 30,
};

export const labCluster = (kubeconfig = template.kubeconfig!) =>
  cluster(engineHttp(readKubeconfig(kubeconfig, null)), template.namespace);

export const labRunner = (
  more: Partial<KubernetesTemplate> = {},
  handover: HandoverFiles | null = null,
  of = installation,
) =>
  podProcessRunner({
    cluster: labCluster(),
    template: { ...template, ...more },
    scope: "k8s/lab/boardroom-agents",
    helper: readFileSync(new URL("../../dist/runner-helper.js", import.meta.url), "utf8"),
    handover,
    service: { installation: of, fenceSec: 20, skills: "/none" },
  });

const asAdmin = [`--kubeconfig=${join(labFolder, "admin.kubeconfig")}`, "-n", template.namespace];

/** As the admin of the lab. */
export const kubectl = (...args: string[]): string =>
  execFileSync("kubectl", [...asAdmin, ...args]).toString();

/** Makes objects as the admin of the lab. */
export const apply = (objects: object): void =>
  void execFileSync("kubectl", [...asAdmin, "apply", "-f", "-"], { input: JSON.stringify(objects) });

// The lab's own role is older than the inputs of pods.
apply({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "boardroom-input", namespace: template.namespace },
  rules: [{ apiGroups: [""], resources: ["pods/attach"], verbs: ["get"] }],
});
apply({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "boardroom-input", namespace: template.namespace },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "boardroom-input" },
  subjects: [{ kind: "User", name: "boardroom-runner", apiGroup: "rbac.authorization.k8s.io" }],
});

/** A command in the lab's own namespaces. */
export const inLab = (...args: string[]): string => {
  const pid = readFileSync(join(labFolder, "lab.pid"), "utf8").trim();
  return execFileSync("nsenter", ["-t", pid, "-n", "-m", "-p", ...args]).toString();
};
