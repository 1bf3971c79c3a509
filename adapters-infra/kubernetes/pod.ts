import type { InstallationId } from "../../core/model/shared/ids.ts";
import type { EngineVolume } from "../../ports/workspaces.ts";
import { filesFolder, workFolder } from "../runner-helper/engine-workspaces.ts";
import { labelsOf } from "../runner-helper/labels.ts";
import type { KubernetesTemplate } from "./template.ts";

export const managedLabel = "app.kubernetes.io/managed-by";

const specFolder = "/boardroom/spec";
const helperFolder = "/boardroom/helper";

export interface PodPlan {
  readonly installation: InstallationId;
  readonly name: string;
  readonly runId: string;
  readonly companyId: string | null;
  readonly agentId: string | null;
  readonly helperName: string;
  readonly claimName: string | null;
  /** Of the workspace; each is a claim of its name. */
  readonly volumes: readonly EngineVolume[];
  readonly deadlineSec: number;
  readonly graceSec: number;
}

/** The pod of one program. It waits for the Secret of its name, which is created once its identity is stored. */
export const podOf = (template: KubernetesTemplate, plan: PodPlan) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: plan.name,
    labels: { [managedLabel]: "boardroom", ...labelsOf(plan.installation, plan.runId, plan) },
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
      // Otherwise each pod opens the modes of all files on its volumes to the group: 600 becomes 660.
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "agent",
        image: template.image,
        // Stays open when a connection to it ends.
        stdin: true,
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
          ...plan.volumes.map(({ path }, at) => ({ name: `work-${at}`, mountPath: path })),
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
      ...plan.volumes.map(({ name }, at) => ({
        name: `work-${at}`,
        persistentVolumeClaim: { claimName: name },
      })),
    ],
  },
});
