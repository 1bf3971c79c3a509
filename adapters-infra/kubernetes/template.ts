/** How the pods of one runner are made, as the operator's template says. */
export interface KubernetesTemplate {
  readonly name: string;
  /** Absolute; null: the service runs in a pod of the cluster, with a service account. */
  readonly kubeconfig: string | null;
  /** Of the kubeconfig; null: its current one. */
  readonly context: string | null;
  /** The name of the cluster in the reach; null: the host name of its API server. */
  readonly cluster: string | null;
  readonly namespace: string;
  /** With node 20 or later and /bin/sh. */
  readonly image: string;
  readonly runAsUser: number;
  readonly resources: Readonly<Record<string, unknown>> | null;
  readonly nodeSelector: Readonly<Record<string, string>> | null;
  readonly runtimeClassName: string | null;
  /** The volume of each agent; null: what it writes is gone with the pod. */
  readonly volume: {
    readonly size: string;
    readonly storageClassName: string | null;
    readonly accessMode: "ReadWriteOnce" | "ReadWriteMany";
  } | null;
  /** How long a pod may wait until its program starts. */
  readonly pendingSec: number;
  /** How long the cluster may take to end a deleted pod after its grace. */
  readonly endingSec: number;
}
