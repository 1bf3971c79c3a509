import { isAbsolute } from "node:path";
import { z } from "zod";
import { claimVolumes } from "../../../adapters-infra/kubernetes/claim-volumes.ts";
import { cluster } from "../../../adapters-infra/kubernetes/cluster.ts";
import {
  KubeconfigUnusable,
  readKubeconfig,
  readServiceAccount,
} from "../../../adapters-infra/kubernetes/kubeconfig.ts";
import { podProcessRunner } from "../../../adapters-infra/kubernetes/pod-process-runner.ts";
import type { KubernetesTemplate } from "../../../adapters-infra/kubernetes/template.ts";
import { engineHttp } from "../../../adapters-infra/runner-helper/engine-http.ts";
import { type OpenedRunner, openEngine, type RunnerParts } from "./opened-runner.ts";

const nonEmptyString = z.string().min(1);

/** The keys of a template of kind kubernetes; docs/runners.md explains each. */
const Template = z.strictObject({
  kind: z.literal("kubernetes"),
  kubeconfig: nonEmptyString.refine(isAbsolute, "must be an absolute path").nullable().default(null),
  context: nonEmptyString.nullable().default(null),
  cluster: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .nullable()
    .default(null),
  namespace: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "must be the name of a namespace"),
  image: nonEmptyString,
  runAsUser: z.number().int().min(1).max(2_000_000_000).default(1000),
  resources: z.record(z.string(), z.unknown()).nullable().default(null),
  nodeSelector: z.record(z.string(), z.string()).nullable().default(null),
  runtimeClassName: nonEmptyString.nullable().default(null),
  volume: z
    .strictObject({
      size: nonEmptyString,
      storageClassName: nonEmptyString.nullable().default(null),
      accessMode: z.enum(["ReadWriteOnce", "ReadWriteMany"]).default("ReadWriteOnce"),
    })
    .nullable()
    .default(null),
  pendingSec: z.number().int().min(5).max(86_400).default(600),
  endingSec: z.number().int().min(5).max(3_600).default(30),
});

const terms = {
  kind: "pod",
  openService: "let the namespace's network policy allow it",
  listMetadata: "List the rules with: kubectl describe networkpolicies --namespace NAMESPACE.",
  closeMetadata: "Forbid it with a network policy, and use a network plugin that enforces policies.",
  closeNeighbours: "Forbid it with a network policy, and use a network plugin that enforces policies.",
} as const;

/** Makes the runner of a template; a problem is a sentence for the operator. */
export const openKubernetes = (name: string, template: unknown, parts: RunnerParts): Promise<OpenedRunner> =>
  openEngine(name, template, parts, {
    kind: "kubernetes",
    schema: Template,
    terms,
    open: async ({ kind: _, ...fields }, facts) => {
      const template: KubernetesTemplate = { name, ...fields };
      const { kubeconfig, context, namespace, endingSec, volume } = template;
      try {
        const access =
          kubeconfig === null ? readServiceAccount(process.env) : readKubeconfig(kubeconfig, context);
        const api = cluster(engineHttp(access), namespace);
        const processes = podProcessRunner({
          cluster: api,
          template,
          scope: `k8s/${template.cluster ?? new URL(access.server).hostname}/${namespace}`,
          ...facts,
        });
        return { processes, endingSec, volumes: volume === null ? null : claimVolumes(api) };
      } catch (error) {
        if (error instanceof KubeconfigUnusable) return { problem: error.message };
        throw error;
      }
    },
  });
