import { clause } from "../../core/model/shared/sentence.ts";
/** A pod as the API server reports it: the fields that a runner reads. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string; readonly activeDeadlineSeconds?: number };
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
    return `No node of the cluster has room for it, or may take it: ${clause(unplaced.message ?? unplaced.reason ?? "")}.`;
  const waiting = stateOf(pod)?.waiting;
  switch (waiting?.reason) {
    case "ErrImagePull":
    case "ImagePullBackOff":
    case "InvalidImageName":
    case "ErrImageNeverPull":
      return noImage(waiting.reason, waiting.message);
    case "CreateContainerConfigError":
    case "CreateContainerError":
    case "RunContainerError":
      return `Its container cannot be made (${waiting.reason}): ${waiting.message ?? ""}`.trim();
    default:
      return null;
  }
};

const noImage = (reason: string, message = ""): string =>
  `Its image cannot be had (${reason}): ${message}`.trim();

/** Answers of a registry after which further attempts are of no use. */
const refusal =
  /not found|manifest unknown|does not exist|unauthorized|authentication required|denied|forbidden/i;

/**
 * Watches one pod for an image that cannot be had. Returns a sentence once that is certain: the name is none, or the
 * registry has refused it twice, or has failed three times; null before.
 */
export const watchImage = () => {
  let failures = 0;
  let fails = false;
  return (pod: Pod): string | null => {
    const { reason = "", message = "" } = stateOf(pod)?.waiting ?? {};
    if (reason === "InvalidImageName" || reason === "ErrImageNeverPull") return noImage(reason, message);
    // Between two attempts the kubelet reports ImagePullBackOff.
    if (reason === "ErrImagePull" && !fails) failures += 1;
    fails = reason === "ErrImagePull";
    return fails && failures >= (refusal.test(message) ? 2 : 3) ? noImage(reason, message) : null;
  };
};

/** Why a pod ended without the result of its helper; a sentence with what can be done. */
export const endedBecause = (pod: Pod): string => {
  const node = pod.spec.nodeName ?? "?";
  const { reason, message = "" } = pod.status ?? {};
  if (reason === "Evicted")
    return `Its pod was evicted from node ${node}: ${message.trim()} Give it requests that hold what it needs.`;
  if (reason === "DeadlineExceeded") return "Its pod was ended at its deadline.";
  const removed = removedBecause(pod);
  if (removed !== null) return removed;
  const terminated = stateOf(pod)?.terminated;
  return `Its pod ended without a result (${[reason, terminated?.reason, terminated?.exitCode === undefined ? undefined : `exit code ${terminated.exitCode}`].filter((part) => part !== undefined).join(", ")}).`;
};

/** Why a pod is gone that nobody of the service deleted, as far as it was last seen. */
export const goneBecause = (lastSeen: Pod): string =>
  removedBecause(lastSeen) ?? "Its pod was deleted by somebody else while it ran.";

/** The cluster itself removes pods of lost nodes, for more important pods, and for a drained node. */
const removedBecause = ({ spec, status }: Pod): string | null => {
  const node = spec.nodeName ?? "?";
  const target = status?.conditions?.find(
    ({ type, status }) => type === "DisruptionTarget" && status === "True",
  );
  switch (target?.reason ?? status?.reason) {
    case "NodeLost":
    case "DeletionByPodGC":
    case "DeletionByTaintManager":
      return `Its node ${node} was lost: it no longer answered, and the cluster removed its pods.`;
    case "PreemptionByScheduler":
    case "Preempting":
      return `Its pod had to leave node ${node} for a pod of higher priority.`;
    case "EvictionByEvictionAPI":
      return `Its pod had to leave node ${node}, which is being drained.`;
    default:
      return null;
  }
};
