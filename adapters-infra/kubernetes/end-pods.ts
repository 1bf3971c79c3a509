import { isUuid } from "../../core/shared/ids.ts";
import { pause } from "../runner-helper/follow-log.ts";
import { labelOf, runLabel } from "../runner-helper/labels.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import type { Cluster } from "./cluster.ts";
import { runAnnotation } from "./pod.ts";
import { hasEnded, type Pod } from "./pod-status.ts";
import type { KubernetesTemplate } from "./template.ts";

/** Between the end of the grace of programs and the kubelet's SIGKILL of process 1. */
export const helperGraceSec = 3;
const endingPollMs = 200;
/** How long the deletion of a pod that has ended is tried; afterwards the comparison of runs and pods deletes it. */
const clearAwayMs = 30_000;
const probePodKeptMs = 300_000;
/** Not 0: that removes the object without asking the kubelet. */
const endedGraceSec = 1;
const never = new AbortController().signal;

export interface EndingPod {
  readonly pod: Pod;
  readonly graceSec: number;
  /** The deadline, as in `performance.now()`. */
  readonly until: number;
}

/**
 * Deletes a pod and waits until its processes have ended; asks until the API server answers. Returns false where they
 * have not ended in time, such as on a node whose kubelet is away.
 */
export const endPod = async (cluster: Cluster, { pod, graceSec, until }: EndingPod): Promise<boolean> => {
  const { name, uid } = pod.metadata;
  let deleted = false;
  do {
    try {
      if (!deleted) await cluster.deletePod(name, uid, Math.ceil(graceSec) + helperGraceSec);
      deleted = true;
      const now = await cluster.pod(name);
      if (now === null || now.metadata.uid !== uid || hasEnded(now)) return true;
    } catch (error) {
      if (error instanceof RefusedByEngine && !error.passing) throw error;
    }
    await pause(deleted ? endingPollMs : 1_000, never);
  } while (performance.now() < until);
  return false;
};

/** Deletes a pod whose processes have ended. */
export const clearAway = async (cluster: Cluster, { metadata: { name, uid } }: Pod): Promise<void> => {
  const until = performance.now() + clearAwayMs;
  while (performance.now() < until) {
    try {
      return await cluster.deletePod(name, uid, endedGraceSec);
    } catch (error) {
      if (error instanceof RefusedByEngine && !error.passing) return;
    }
    await pause(1_000, never);
  }
};

/** Ends all pods of a run. Throws where that cannot be known: the run must not end before its programs. */
export const endPods = async (
  cluster: Cluster,
  { endingSec }: Pick<KubernetesTemplate, "endingSec">,
  runId: string,
  graceSec: number,
): Promise<void> => {
  const { pods, at } = await cluster.pods(`${runLabel}=${labelOf(runId)}`);
  const until = performance.now() + (Math.ceil(graceSec) + helperGraceSec + endingSec) * 1000;
  await Promise.all(
    pods.map(async (pod) => {
      if (hasEnded(pod) || isFenced(pod, at, endingSec)) return clearAway(cluster, pod);
      if (await endPod(cluster, { pod, graceSec, until })) return;
      throw new Error(
        `Pod ${pod.metadata.name} has not ended: its node ${pod.spec.nodeName ?? "?"} does not answer. It is tried again.`,
      );
    }),
  );
};

/** Whether its kubelet has ended it at its deadline, wherever that is. */
const isFenced = ({ metadata, spec }: Pod, at: number, endingSec: number): boolean => {
  const ageMs = at - Date.parse(metadata.creationTimestamp ?? "");
  return spec.activeDeadlineSeconds !== undefined && ageMs > (spec.activeDeadlineSeconds + endingSec) * 1000;
};

/**
 * Returns the runs that have pods, ended pods included, because those are to be deleted; none where the server does not
 * answer. Deletes old pods of probes.
 */
export const runIdsIn = async (cluster: Cluster): Promise<ReadonlySet<string>> => {
  const { pods, at } = await cluster.pods("").catch(() => ({ pods: [], at: 0 }));
  const runIds = new Set<string>();
  for (const pod of pods) {
    const runId = pod.metadata.annotations?.[runAnnotation] ?? "";
    const ageMs = at - Date.parse(pod.metadata.creationTimestamp ?? "");
    if (isUuid(runId)) runIds.add(runId);
    else if (hasEnded(pod) && ageMs > probePodKeptMs)
      await cluster.deletePod(pod.metadata.name, pod.metadata.uid, endedGraceSec).catch(() => {});
  }
  return runIds;
};
