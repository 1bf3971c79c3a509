import { isUuid } from "../../core/shared/ids.ts";
import { pause } from "../runner-helper/follow-log.ts";
import { labelOf, runLabel } from "../runner-helper/labels.ts";
import { type Cluster, RefusedByCluster } from "./cluster.ts";
import { hasEnded, type Pod, runAnnotation } from "./pod.ts";

/** Between the end of the grace of programs and the kubelet's SIGKILL of process 1. */
export const helperGraceSec = 3;
/** How long a deleted pod is waited for: a node whose kubelet is away cannot say that its pod has ended. */
export const leftoverSec = 30;
export const endingLookMs = 200;
const probePodKeptMs = 300_000;

/** Deletes a pod and waits until its processes have ended. Asks until the API server answers. */
export const endPod = async (
  cluster: Cluster,
  { metadata: { name, uid } }: Pod,
  graceSec: number,
  ended = false,
): Promise<void> => {
  const until = performance.now() + (Math.ceil(graceSec) + leftoverSec) * 1000;
  const never = new AbortController().signal;
  let deleted = false;
  while (performance.now() < until) {
    try {
      if (!deleted) await cluster.deletePod(name, uid, Math.ceil(graceSec) + helperGraceSec);
      deleted = true;
      if (ended) return;
      const pod = await cluster.pod(name);
      if (pod === null || pod.metadata.uid !== uid || hasEnded(pod)) return;
    } catch (error) {
      if (error instanceof RefusedByCluster && !error.passing) return;
    }
    await pause(deleted ? endingLookMs : 1_000, never);
  }
};

export const endPods = async (cluster: Cluster, runId: string, graceSec: number): Promise<void> => {
  const pods = await cluster.pods(`${runLabel}=${labelOf(runId)}`).catch((): readonly Pod[] => []);
  await Promise.all(pods.map((pod) => endPod(cluster, pod, graceSec)));
};

/** The runs that have pods, ended pods included: they are to be deleted. Deletes old pods of probes. */
export const runIdsIn = async (cluster: Cluster): Promise<ReadonlySet<string>> => {
  const pods = await cluster.pods("").catch((): readonly Pod[] => []);
  const runIds = new Set<string>();
  for (const pod of pods) {
    const runId = pod.metadata.annotations?.[runAnnotation] ?? "";
    const ageMs = Date.now() - Date.parse(pod.metadata.creationTimestamp ?? "");
    if (isUuid(runId)) runIds.add(runId);
    else if (hasEnded(pod) && ageMs > probePodKeptMs) await endPod(cluster, pod, 1, true).catch(() => {});
  }
  return runIds;
};
