import type { ProcessRunner } from "../../ports/process-runner.ts";
import {
  type Engine,
  helperGraceSec,
  type Inspection,
  lifetimeSec,
  type RunnerFacts,
} from "../runner-helper/engine.ts";
import { engineRunner } from "../runner-helper/engine-runner.ts";
import type { OpenLog } from "../runner-helper/follow-log.ts";
import { ofInstallation, ownerLabels, runLabel, volumeNameOf } from "../runner-helper/labels.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import { type Cluster, isPassing } from "./cluster.ts";
import { podOf } from "./pod.ts";
import { podInput } from "./pod-input.ts";
import {
  endedBecause,
  goneBecause,
  hasEnded,
  isRunning,
  type Pod,
  ranOutOfMemory,
  waitsFor,
  watchImage,
} from "./pod-status.ts";
import type { KubernetesTemplate } from "./template.ts";

export interface PodProcessRunnerOptions extends RunnerFacts {
  readonly cluster: Cluster;
  readonly template: KubernetesTemplate;
}

interface Workload {
  readonly created: Pod;
  readonly imageIsRefused: ReturnType<typeof watchImage>;
  lastSeen: Pod;
  deletedAt: number | null;
}

/** How long a kubelet may be silent about a deleted pod before the run shows it. */
const unconfirmedMs = 5_000;
/** Not 0: that removes the object without asking the kubelet. */
const endedGraceSec = 1;

/** Runs each program in a pod of its own. */
export const podProcessRunner = (options: PodProcessRunnerOptions): ProcessRunner => {
  const { cluster, scope, template, service } = options;
  const { installation } = service;
  const { pendingSec, endingSec } = template;
  let helperName: Promise<string> | null = null;
  const helper = () => {
    helperName ??= cluster.ensureHelper(options.helper).catch((error: unknown) => {
      helperName = null;
      throw error;
    });
    return helperName;
  };
  /** The workload's own pod, not another of its name. */
  const podAt = async ({ created: { metadata } }: Workload): Promise<Pod | null> => {
    const pod = await cluster.pod(metadata.name);
    return pod?.metadata.uid === metadata.uid ? pod : null;
  };
  const remove = ({ created: { metadata } }: Workload, graceSec: number) =>
    cluster.deletePod(metadata.name, metadata.uid, graceSec);
  const pods: Engine<Workload> = {
    scope,
    service,
    pendingSec,
    endingSec,
    terms: {
      kind: "pod",
      engine: `The API server ${cluster.api.server}`,
      ends: "the node was drained",
      away: "Its node has not answered since its deadline.",
    },
    removedBecause: ({ lastSeen }) => goneBecause(lastSeen),
    endConfirmedBy: ({ created }) => `its node ${created.spec.nodeName ?? "?"}`,
    make: async (order, waitedSec) => {
      if (Buffer.byteLength(order.specification) > maxSpecBytes)
        return {
          startError:
            "Its prompt, environment and files are larger than a Secret of Kubernetes holds (1 MiB).",
        };
      const claimName = await ensureClaims(options, order.workspace);
      return createPod(options, order, { claimName, helperName: await helper(), waitedSec });
    },
    identityOf: ({ created: { metadata } }) => ({ kind: "pod", name: metadata.name, uid: metadata.uid }),
    start: async ({ created: { metadata } }, { specification }) => {
      const data = Buffer.from(specification).toString("base64");
      const { status, message } = await cluster.createSpec(metadata.name, metadata, data);
      if (status < 300 || status === 409) return;
      throw new RefusedByEngine(`The cluster refuses the Secret of its pod: ${message}`, isPassing(status));
    },
    inspect: async (workload) => {
      const pod = await podAt(workload);
      if (pod === null) return null;
      workload.lastSeen = pod;
      return inspectionOf(workload, pod);
    },
    log: ({ created }) => podLog(cluster, created.metadata.name),
    input: ({ created }) => podInput(cluster, created.metadata.name),
    askToEnd: async (workload, graceSec) => {
      if (workload.deletedAt !== null) return;
      await remove(workload, graceOf(graceSec));
      workload.deletedAt = performance.now() + graceOf(graceSec) * 1000;
    },
    lives: async (workload) => {
      const pod = await podAt(workload);
      return pod !== null && !hasEnded(pod);
    },
    remove: async (workload) => {
      await remove(workload, endedGraceSec);
      return true;
    },
    find: async (run) => {
      const labels = ofInstallation(installation, run === undefined ? runLabel : `${runLabel}=${run}`);
      const { pods, at } = await cluster.pods(labels);
      return pods.map((pod) => foundPod(pod, at, endingSec));
    },
  };
  return engineRunner(pods, options.handover);
};

type Order = Parameters<Engine<Workload>["make"]>[0];

/** Returns the name of the agent's claim; null: it has none. */
const ensureClaims = async (
  { cluster, template: { volume }, service: { installation } }: PodProcessRunnerOptions,
  { agentId, companyId, volumes = [] }: Order["workspace"],
): Promise<string | null> => {
  if (volume === null) return null;
  const ofAgent = agentId === null ? null : volumeNameOf(installation, agentId);
  if (ofAgent !== null)
    await cluster.ensureClaim(ofAgent, volume, ownerLabels(installation, { companyId, agentId }));
  for (const each of volumes) await cluster.ensureClaim(each.name, volume, each.labels);
  return ofAgent;
};

const createPod = async (
  { cluster, template, service: { installation } }: PodProcessRunnerOptions,
  { name, runId, workspace: { agentId, companyId, volumes = [] }, spec }: Order,
  {
    waitedSec,
    ...named
  }: { readonly claimName: string | null; readonly helperName: string; readonly waitedSec: number },
) => {
  const { status, message, body } = await cluster.createPod(
    podOf(template, {
      ...{ installation, name, runId, companyId, agentId, volumes, ...named },
      deadlineSec: Math.min(Math.ceil(lifetimeSec(spec, template)), 2 ** 31 - 1),
      graceSec: graceOf(spec.graceSec),
    }),
  );
  if (status === 201) return { workload: workloadOf(body as unknown as Pod) };
  // The answer to an earlier attempt may have been lost; nobody else knows the name.
  const found = status === 409 ? await cluster.pod(name) : null;
  if (found !== null) return { workload: workloadOf(found) };
  const isFull = status === 403 && /quota/i.test(message);
  if (isFull && waitedSec < template.pendingSec)
    return { waitsFor: `The quota of the namespace leaves no room: ${message}` };
  throw new RefusedByEngine(`The cluster refuses its pod: ${message}`, !isFull && isPassing(status));
};

/** A pod of a run, by the clock of the server. */
const foundPod = (pod: Pod, atMs: number, endingSec: number) => {
  const ageMs = atMs - Date.parse(pod.metadata.creationTimestamp ?? "");
  return {
    workload: workloadOf(pod),
    runId: pod.metadata.labels?.[runLabel] ?? "",
    ended: hasEnded(pod) || isFenced(pod, ageMs, endingSec),
    ageMs,
  };
};

const graceOf = (graceSec: number): number => Math.ceil(graceSec) + helperGraceSec;

/** Whether its kubelet has ended it at its deadline, wherever that is. */
const isFenced = ({ spec: { activeDeadlineSeconds } }: Pod, ageMs: number, endingSec: number): boolean =>
  activeDeadlineSeconds !== undefined && ageMs > (activeDeadlineSeconds + endingSec) * 1000;

/** Kubernetes keeps a Secret below 1 MiB, and base64 takes a third. */
const maxSpecBytes = 760_000;

const workloadOf = (created: Pod): Workload => ({
  created,
  imageIsRefused: watchImage(),
  lastSeen: created,
  deletedAt: null,
});

const inspectionOf = ({ deletedAt, imageIsRefused }: Workload, pod: Pod): Inspection => {
  const node = pod.spec.nodeName ?? null;
  const ended = hasEnded(pod);
  const isUnconfirmed = deletedAt !== null && performance.now() > deletedAt + unconfirmedMs;
  return {
    state: ended ? "ended" : isRunning(pod) ? "running" : "waiting",
    placement: {
      node,
      waitsFor:
        ended || (isRunning(pod) && !isUnconfirmed)
          ? null
          : isUnconfirmed
            ? `Its node ${node ?? "?"} has not confirmed yet that it has ended.`
            : waitsFor(pod),
    },
    overMemory: ranOutOfMemory(pod),
    endedBecause: endedBecause(pod),
    neverStarts: imageIsRefused(pod),
  };
};

/** The API server counts in whole seconds, and clocks of nodes are corrected now and then. */
const overlapMs = 2_000;

/** The log of a pod's one container. */
const podLog =
  ({ api, podPath }: Cluster, name: string): OpenLog =>
  (fromMs, follow, signal) => {
    const since = fromMs === null ? "" : `&sinceTime=${new Date(fromMs - overlapMs).toISOString()}`;
    return api.follow(`${podPath(name)}/log?container=agent&follow=${follow}${since}`, signal);
  };
