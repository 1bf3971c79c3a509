import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { cluster } from "../../adapters-infra/kubernetes/cluster.ts";
import {
  KubeconfigUnusable,
  readKubeconfig,
  readServiceAccount,
} from "../../adapters-infra/kubernetes/kubeconfig.ts";
import { podProcessRunner } from "../../adapters-infra/kubernetes/pod-process-runner.ts";
import type { KubernetesTemplate } from "../../adapters-infra/kubernetes/template.ts";
import { checkEngine } from "../../adapters-infra/runner-helper/check-engine.ts";
import { engineHttp } from "../../adapters-infra/runner-helper/engine-http.ts";
import { engineWorkspaces } from "../../adapters-infra/runner-helper/engine-workspaces.ts";
import { leaseTimes } from "../../core/runs/lease.ts";
import type { VolumeId } from "../../core/shared/ids.ts";
import type { Config } from "./config.ts";
import type { OpenedRunner } from "./opened-runner.ts";
import { readHelper } from "./read-helper.ts";

const word = z.string().min(1);

/** The keys of a template of kind kubernetes; docs/runners.md explains each. */
const Template = z.strictObject({
  kind: z.literal("kubernetes"),
  kubeconfig: word.refine(isAbsolute, "must be an absolute path").nullable().default(null),
  context: word.nullable().default(null),
  cluster: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .nullable()
    .default(null),
  namespace: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "must be the name of a namespace"),
  image: word,
  runAsUser: z.number().int().min(1).max(2_000_000_000).default(1000),
  resources: z.record(z.string(), z.unknown()).nullable().default(null),
  nodeSelector: z.record(z.string(), z.string()).nullable().default(null),
  runtimeClassName: word.nullable().default(null),
  volume: z
    .strictObject({
      size: word,
      storageClassName: word.nullable().default(null),
      accessMode: z.enum(["ReadWriteOnce", "ReadWriteMany"]).default("ReadWriteOnce"),
    })
    .nullable()
    .default(null),
  pendingSec: z.number().int().min(5).max(86_400).default(600),
  endingSec: z.number().int().min(5).max(3_600).default(30),
});

const checkWords = {
  kind: "pod",
  openService: "let the namespace's network policy allow it",
  closeMetadata: "Forbid it with a network policy, and use a network plugin that enforces policies.",
  closeNeighbours: "Forbid it with a network policy, and use a network plugin that enforces policies.",
} as const;

/** Makes the runner of a template; a problem is a sentence for the operator. */
export const openKubernetes = async (name: string, said: unknown, config: Config): Promise<OpenedRunner> => {
  const parsed = Template.safeParse(said);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".") || "The template"}: ${issue?.message}.` };
  }
  if (config.agentUrl === null)
    return {
      problem: "SERVICE_AGENT_URL is not set: pods cannot know where they reach the service.",
    };
  const { agentUrl } = config;
  const workspaces = engineWorkspaces("pod");
  const { kind: _, ...fields } = parsed.data;
  const template: KubernetesTemplate = { name, ...fields };
  try {
    const access =
      template.kubeconfig === null
        ? readServiceAccount(process.env)
        : readKubeconfig(template.kubeconfig, template.context);
    const { recoveryBoundSec } = leaseTimes(config.leaseSec);
    const namespace = cluster(engineHttp(access), template.namespace);
    const scope = `k8s/${template.cluster ?? new URL(access.server).hostname}/${template.namespace}`;
    const processes = podProcessRunner({
      cluster: namespace,
      template,
      scope,
      helper: await readHelper(),
      service: { fenceSec: recoveryBoundSec, skills: join(config.dataDir, "skills") },
    });
    return {
      runner: {
        name,
        kind: "kubernetes",
        processes,
        workspaces,
        recoveryBoundSec: recoveryBoundSec + template.endingSec,
        volume: template.volume === null ? null : (scope as VolumeId),
        check: () => checkEngine(processes, workspaces, agentUrl, checkWords),
      },
    };
  } catch (error) {
    if (error instanceof KubeconfigUnusable) return { problem: error.message };
    throw error;
  }
};
