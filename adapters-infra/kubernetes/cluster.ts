import { createHash } from "node:crypto";
import type { Answer, EngineHttp } from "../runner-helper/engine-http.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import { managedLabel, type podOf } from "./pod.ts";
import type { Pod } from "./pod-status.ts";
import type { KubernetesTemplate } from "./template.ts";

/** The objects of one namespace that a runner makes, reads and deletes. */
export interface Cluster {
  readonly api: EngineHttp;
  podPath(name: string): string;
  createPod(pod: ReturnType<typeof podOf>): Promise<Answer>;
  /** null if none exists. Throws where the server does not answer. */
  pod(name: string): Promise<Pod | null>;
  /** Those with all of the labels, with the time on the server's clock, in milliseconds. Throws where the server does not answer. */
  pods(labels: readonly string[]): Promise<{ readonly pods: readonly Pod[]; readonly at: number }>;
  /** Only that pod, not another of its name. One that is gone counts as deleted. */
  deletePod(name: string, uid: string, graceSec: number): Promise<void>;
  createSpec(name: string, owner: Pod["metadata"], spec: string): Promise<Answer>;
  /** Returns the name of the ConfigMap that holds the helper. */
  ensureHelper(text: string): Promise<string>;
  ensureClaim(
    name: string,
    volume: NonNullable<KubernetesTemplate["volume"]>,
    labels?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** null if none exists. Throws where the server does not answer. */
  claim(name: string): Promise<Claim | null>;
  /** Those with all of the labels. */
  claims(labels: readonly string[]): Promise<readonly Claim[]>;
  /** Only that claim, not another of its name. It stays while a pod uses it. */
  deleteClaim(name: string, uid: string): Promise<void>;
}

/** A PersistentVolumeClaim: the fields that a runner reads. */
export interface Claim {
  readonly metadata: { readonly name: string; readonly uid: string; readonly creationTimestamp?: string };
}

/** A server that has just started refuses everything until it has read its rules. */
export const isPassing = (status: number): boolean =>
  status === 401 || status === 403 || status === 429 || status >= 500;

const refused = ({ status, message }: Answer, what = "it"): RefusedByEngine =>
  new RefusedByEngine(`The cluster refuses ${what}: ${message}`, isPassing(status));

const success = ({ status }: Answer) => status >= 200 && status < 300;

export const cluster = (api: EngineHttp, namespace: string): Cluster => {
  const of = (kind: string, name = "") =>
    `/api/v1/namespaces/${namespace}/${kind}${name === "" ? "" : `/${name}`}`;
  /** null: none exists. */
  const find = async (kind: string, name: string, what?: string) => {
    const answer = await api.call("GET", of(kind, name));
    if (answer.status === 404) return null;
    if (!success(answer)) throw refused(answer, what);
    return answer.body as unknown;
  };
  const list = async (kind: string, labels: readonly string[], what?: string) => {
    const selector = encodeURIComponent([`${managedLabel}=boardroom`, ...labels].join(","));
    const answer = await api.call("GET", `${of(kind)}?labelSelector=${selector}`);
    if (!success(answer)) throw refused(answer, what);
    return { items: answer.body.items as unknown, at: answer.at };
  };
  const ensure = async (kind: string, what: string, object: object) => {
    const answer = await api.call("POST", of(kind), object);
    if (!success(answer) && answer.status !== 409) throw refused(answer, what);
  };
  const remove = async (kind: string, name: string, options: object) => {
    const answer = await api.call("DELETE", of(kind, name), {
      apiVersion: "v1",
      kind: "DeleteOptions",
      ...options,
    });
    if (!success(answer) && answer.status !== 404 && answer.status !== 409) throw refused(answer);
  };
  return {
    api,
    podPath: (name) => of("pods", name),
    createPod: (pod) => api.call("POST", of("pods"), pod),
    pod: async (name) => (await find("pods", name)) as Pod | null,
    pods: async (labels) => {
      const { items, at } = await list("pods", labels);
      return { pods: items as readonly Pod[], at };
    },
    deletePod: (name, uid, graceSec) =>
      remove("pods", name, { gracePeriodSeconds: graceSec, preconditions: { uid } }),
    createSpec: (name, owner, spec) => api.call("POST", of("secrets"), secretOf(name, owner, spec)),
    ensureHelper: async (text) => {
      const name = `boardroom-helper-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
      await ensure("configmaps", "the ConfigMap of the helper", configMapOf(name, text));
      return name;
    },
    claim: async (name) => (await find("persistentvolumeclaims", name, "to show a volume")) as Claim | null,
    claims: async (labels) =>
      (await list("persistentvolumeclaims", labels, "to list volumes")).items as readonly Claim[],
    deleteClaim: (name, uid) => remove("persistentvolumeclaims", name, { preconditions: { uid } }),
    ensureClaim: (name, volume, labels) =>
      ensure("persistentvolumeclaims", "a volume", claimOf(name, volume, labels)),
  };
};

const managed = { [managedLabel]: "boardroom" };

/** It is deleted with its pod. */
const secretOf = (name: string, { name: podName, uid }: Pod["metadata"], spec: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name,
    labels: managed,
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid }],
  },
  immutable: true,
  type: "Opaque",
  data: { spec },
});

const configMapOf = (name: string, helper: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: managed },
  immutable: true,
  data: { "helper.mjs": helper },
});

const claimOf = (
  name: string,
  { size, storageClassName, accessMode }: NonNullable<KubernetesTemplate["volume"]>,
  labels: Readonly<Record<string, string>> = {},
) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, labels: { ...managed, ...labels } },
  spec: {
    accessModes: [accessMode],
    resources: { requests: { storage: size } },
    ...(storageClassName === null ? {} : { storageClassName }),
  },
});
