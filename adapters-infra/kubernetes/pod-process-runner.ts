import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Inspection } from "../runner-helper/attend-program.ts";
import type { EngineProgram } from "../runner-helper/engine-program.ts";
import { type Engine, engineRunner } from "../runner-helper/engine-runner.ts";
import type { ServiceFacts } from "../runner-helper/helper-spec.ts";
import { RefusedByEngine } from "../runner-helper/refused.ts";
import { type Cluster, isPassing } from "./cluster.ts";
import { createPod, deadlineOf } from "./create-pod.ts";
import { clearAway, endPod, endPods, helperGraceSec, runIdsIn } from "./end-pods.ts";
import { podLog } from "./pod-log.ts";
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

export interface PodProcessRunnerOptions {
  readonly cluster: Cluster;
  readonly template: KubernetesTemplate;
  readonly scope: string;
  /** The bundled program of process 1. */
  readonly helper: string;
  readonly service: ServiceFacts;
}

interface Workload {
  readonly created: Pod;
  readonly imageIsRefused: ReturnType<typeof watchImage>;
  lastSeen: Pod;
  deletedAt: number | null;
}

/** Between the end of a program's time limit, grace and wait for its start, and the deadline of its pod. */
const deadlineMarginSec = 60;
/** How long a kubelet may be silent about a deleted pod before the run shows it. */
const unconfirmedMs = 5_000;

/** Runs each program in a pod of its own. */
export const podProcessRunner = (options: PodProcessRunnerOptions): ProcessRunner => {
  const { cluster, scope, template, service } = options;
  const { pendingSec, endingSec } = template;
  let helperName: Promise<string> | null = null;
  const helper = () => {
    helperName ??= cluster.ensureHelper(options.helper).catch((error: unknown) => {
      helperName = null;
      throw error;
    });
    return helperName;
  };
  const graceOf = ({ spec }: EngineProgram) => Math.ceil(spec.graceSec) + helperGraceSec;
  const pods: Engine<Workload> = {
    scope,
    service,
    pendingSec,
    awaySec: deadlineMarginSec + endingSec,
    words: {
      pending: `Its pod did not start within ${pendingSec} seconds.`,
      endedByEngine: "Its pod ended it, because the node was drained or the service did not answer.",
      silent: `The API server ${cluster.api.server} does not answer, so it is not known whether it has ended.`,
      away: "Its node has not answered since its deadline.",
    },
    removedBecause: ({ lastSeen }) => goneBecause(lastSeen),
    make: async (program) => {
      if (Buffer.byteLength(program.specification) > maxSpecBytes)
        return {
          startError:
            "Its prompt, environment and files are larger than a Secret of Kubernetes holds (1 MiB).",
        };
      const deadlineSec = deadlineOf(program.spec, template, deadlineMarginSec);
      const made = await createPod(cluster, template, program, {
        helper,
        deadlineSec,
        graceSec: graceOf(program),
      });
      return "startError" in made ? made : { workload: workloadOf(made) };
    },
    identityOf: ({ created: { metadata } }) => ({ kind: "pod", name: metadata.name, uid: metadata.uid }),
    start: async ({ created: { metadata } }, { specification }) => {
      const data = Buffer.from(specification).toString("base64");
      const { status, message } = await cluster.createSpec(metadata.name, metadata, data);
      if (status < 300 || status === 409) return;
      throw new RefusedByEngine(`The cluster refuses the Secret of its pod: ${message}`, isPassing(status));
    },
    inspect: async (workload) => {
      const { name, uid } = workload.created.metadata;
      const pod = await cluster.pod(name);
      if (pod === null || pod.metadata.uid !== uid) return null;
      workload.lastSeen = pod;
      return inspectionOf(workload, pod);
    },
    log: ({ created }) => podLog(cluster, created.metadata.name),
    askToEnd: async (workload, program) => {
      if (workload.deletedAt !== null) return;
      const { name, uid } = workload.created.metadata;
      await cluster.deletePod(name, uid, graceOf(program));
      workload.deletedAt = performance.now() + graceOf(program) * 1000;
    },
    end: async ({ created }, { spec }, ended, fencedAt) => {
      if (ended) return clearAway(cluster, created);
      await endPod(cluster, { pod: created, graceSec: spec.graceSec, until: fencedAt });
    },
    endLeftovers: (runId, graceSec) => endPods(cluster, template, runId, graceSec),
    runIds: () => runIdsIn(cluster),
  };
  return engineRunner(pods);
};

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
