import { filesFolder, workFolder } from "../runner-helper/engine-workspaces.ts";
import { labelsOf } from "../runner-helper/labels.ts";
import type { KubernetesTemplate } from "./template.ts";

export const managedLabel = "app.kubernetes.io/managed-by";
export const runAnnotation = "boardroom/run";
/** Tells one attempt to create a pod from another of its name. */
export const attemptAnnotation = "boardroom/attempt";

const specFolder = "/boardroom/spec";
const helperFolder = "/boardroom/helper";

export interface PodPlan {
  readonly name: string;
  readonly runId: string;
  readonly attempt: string;
  readonly companyId: string | null;
  readonly agentId: string | null;
  readonly helperName: string;
  readonly claimName: string | null;
  readonly deadlineSec: number;
  readonly graceSec: number;
}

/** The pod of one program. It waits for the Secret of its name, which is created once its identity is stored. */
export const podOf = (template: KubernetesTemplate, plan: PodPlan) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: plan.name,
    labels: { [managedLabel]: "boardroom", ...labelsOf(plan.runId, plan) },
    annotations: { [runAnnotation]: plan.runId, [attemptAnnotation]: plan.attempt },
  },
  spec: {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    activeDeadlineSeconds: plan.deadlineSec,
    terminationGracePeriodSeconds: plan.graceSec,
    ...(template.nodeSelector === null ? {} : { nodeSelector: template.nodeSelector }),
    ...(template.runtimeClassName === null ? {} : { runtimeClassName: template.runtimeClassName }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: template.runAsUser,
      runAsGroup: template.runAsUser,
      fsGroup: template.runAsUser,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "agent",
        image: template.image,
        command: ["node", `${helperFolder}/helper.mjs`, `${specFolder}/spec`],
        ...(template.resources === null ? {} : { resources: template.resources }),
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: [
          { name: "helper", mountPath: helperFolder, readOnly: true },
          { name: "spec", mountPath: specFolder, readOnly: true },
          { name: "work", mountPath: workFolder },
          { name: "files", mountPath: filesFolder },
          { name: "tmp", mountPath: "/tmp" },
        ],
      },
    ],
    volumes: [
      { name: "helper", configMap: { name: plan.helperName } },
      { name: "spec", secret: { secretName: plan.name, defaultMode: 0o440 } },
      {
        name: "work",
        ...(plan.claimName === null
          ? { emptyDir: {} }
          : { persistentVolumeClaim: { claimName: plan.claimName } }),
      },
      { name: "files", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ],
  },
});

/** A pod as the API server tells of it: the fields that a runner reads. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly waiting?: { readonly reason?: string; readonly message?: string };
        readonly running?: object;
        readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
      };
    }[];
  };
}

const stateOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.state;

export const isRunning = (pod: Pod): boolean => stateOf(pod)?.running !== undefined;

/** Whether none of its processes lives, as the kubelet of its node has seen. */
export const hasEnded = (pod: Pod): boolean => {
  if (stateOf(pod)?.terminated !== undefined) return true;
  const { phase } = pod.status ?? {};
  return phase === "Succeeded" || phase === "Failed";
};

export const ranOutOfMemory = (pod: Pod): boolean => stateOf(pod)?.terminated?.reason === "OOMKilled";

/** Why a pod's program does not run yet; null where it only takes its time. */
export const waitsFor = (pod: Pod): string | null => {
  const { conditions = [] } = pod.status ?? {};
  const unplaced = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unplaced !== undefined)
    return `No node of the cluster has room for it, or may take it: ${unplaced.message ?? unplaced.reason}.`;
  const waiting = stateOf(pod)?.waiting;
  switch (waiting?.reason) {
    case "ErrImagePull":
    case "ImagePullBackOff":
    case "InvalidImageName":
    case "ErrImageNeverPull":
      return `Its image cannot be had (${waiting.reason}): ${waiting.message ?? ""}`.trim();
    case "CreateContainerConfigError":
    case "CreateContainerError":
    case "RunContainerError":
      return `Its container cannot be made (${waiting.reason}): ${waiting.message ?? ""}`.trim();
    default:
      return null;
  }
};

/** Why a pod ended without the word of its helper; a sentence with what can be done. */
export const endedBecause = (pod: Pod | null): string => {
  if (pod === null) return "Its pod was deleted by somebody else while it ran.";
  const { reason, message = "" } = pod.status ?? {};
  if (reason === "Evicted")
    return `Its pod was evicted from node ${pod.spec.nodeName ?? "?"}: ${message.trim()} Give it requests that hold what it needs.`;
  if (reason === "DeadlineExceeded") return "Its pod was ended at its deadline.";
  const terminated = stateOf(pod)?.terminated;
  return `Its pod ended without a result (${[reason, terminated?.reason, terminated?.exitCode === undefined ? undefined : `exit code ${terminated.exitCode}`].filter((part) => part !== undefined).join(", ")}).`;
};
