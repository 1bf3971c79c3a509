import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { type Cluster, cluster } from "../../../adapters-infra/kubernetes/cluster.ts";
import { podProcessRunner } from "../../../adapters-infra/kubernetes/pod-process-runner.ts";
import type { KubernetesTemplate } from "../../../adapters-infra/kubernetes/template.ts";
import { type EngineAccess, engineHttp } from "../../../adapters-infra/runner-helper/engine-http.ts";
import type { HandoverFiles } from "../../../adapters-infra/runner-helper/handover-files.ts";
import type { InstallationId } from "../../../core/model/shared/ids.ts";
import type { ProcessRunner } from "../../../ports/process-runner.ts";
import type { Workspace, Workspaces } from "../../../ports/workspaces.ts";
import { installation } from "../installation.ts";
import { LoopbackApi } from "./loopback-api.ts";

export const template: KubernetesTemplate = {
  name: "loopback",
  kubeconfig: null,
  context: null,
  cluster: null,
  namespace: "agents",
  image: "registry.example/agents:1",
  runAsUser: 1000,
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "256Mi" } },
  nodeSelector: { pool: "agents" },
  runtimeClassName: "gvisor",
  volume: null,
  pendingSec: 30,
  endingSec: 5,
};

/** A cluster over loopback, runners on it, and what is left there. */
export interface LoopbackCluster {
  readonly api: LoopbackApi;
  readonly access: EngineAccess;
  readonly cluster: Cluster;
  readonly runner: (
    more?: Partial<KubernetesTemplate>,
    handover?: HandoverFiles | null,
    of?: InstallationId,
  ) => ProcessRunner;
  /** Folders of this machine in the place of those in pods. */
  readonly workspaces: Workspaces;
  readonly processesOf: (runId: string) => readonly string[];
  readonly objectsOf: (runId: string) => readonly string[];
  readonly close: () => Promise<void>;
}

export const loopbackCluster = async (): Promise<LoopbackCluster> => {
  const api = new LoopbackApi();
  const access = await api.open();
  const agents = cluster(engineHttp(access), template.namespace);
  const folder = mkdtempSync(join(tmpdir(), "loopback-work-"));
  const helper = readFileSync(new URL("../../../dist/runner-helper.js", import.meta.url), "utf8");
  const temporary = (companyId: Workspace["companyId"]) =>
    Effect.sync((): Workspace => {
      const own = mkdtempSync(join(folder, "pod-"));
      const { cwd, files, home } = {
        cwd: join(own, "work"),
        files: join(own, "files"),
        home: join(own, "home"),
      };
      const seen = { own: [cwd, home], granted: [] };
      return { companyId, agentId: null, cwd, ...seen, files, user: null, env: { HOME: home } };
    });
  return {
    api,
    access,
    cluster: agents,
    runner: (more = {}, handover = null, of = installation) =>
      podProcessRunner({
        cluster: agents,
        template: { ...template, ...more },
        scope: "k8s/loopback/agents",
        helper,
        handover,
        service: { installation: of, fenceSec: 20, skills: "/none" },
      }),
    workspaces: { temporary, prepare: ({ companyId }) => temporary(companyId) },
    processesOf,
    objectsOf: (runId) => [
      ...[...api.pods.keys()].filter((name) => name.includes(runId)),
      ...[...api.secrets.keys()].filter((name) => name.includes(runId)),
    ],
    close: async () => {
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const processesOf = (runId: string): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`SERVICE_RUN_ID=${runId}`);
    } catch {
      return false;
    }
  });
