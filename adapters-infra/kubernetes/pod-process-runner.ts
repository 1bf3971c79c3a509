import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { isUuid } from "../../core/shared/ids.ts";
import type { LogStream, ProcessOutcome } from "../../ports/agent-adapter.ts";
import {
  nothingHappened,
  type ProcessIdentity,
  type ProcessRunner,
  type ProcessSupervision,
  type ProgramSpec,
  type RunPlace,
} from "../../ports/process-runner.ts";
import { frameReader } from "../runner-helper/frame-reader.ts";
import { helperSpec } from "../runner-helper/helper-spec.ts";
import { attendPod } from "./attend-pod.ts";
import type { Cluster } from "./cluster.ts";
import { createPod, deadlineOf } from "./create-pod.ts";
import { endPod, endPods, runIdsIn } from "./end-pods.ts";
import type { Pod } from "./pod-status.ts";
import type { KubernetesTemplate } from "./template.ts";

export interface PodProcessRunnerOptions {
  readonly cluster: Cluster;
  readonly template: KubernetesTemplate;
  readonly reach: string;
  /** The bundled program of process 1. */
  readonly helper: string;
  /** How long a program may live without an answer of the service. */
  readonly fenceSec: number;
}

/** What the service does for one program in a pod. */
export interface ProgramInPod {
  /** Of the pod. */
  readonly name: string;
  /** Returns the name of the ConfigMap with the helper. */
  readonly helper: () => Promise<string>;
  readonly stop: AbortSignal;
  readonly onStarted: (identity: ProcessIdentity) => Promise<void>;
  readonly onPlaced: (place: RunPlace) => Promise<void>;
  readonly write: (stream: LogStream, chunk: Uint8Array) => Promise<void>;
}

/** Kubernetes keeps a Secret below 1 MiB, and base64 takes a third. */
const maxSpecBytes = 760_000;

/** Runs each program in a pod of its own. */
export const podProcessRunner = (options: PodProcessRunnerOptions): ProcessRunner => {
  const { cluster, reach, template } = options;
  let helperName: Promise<string> | null = null;
  /** Tells the programs of one run apart. */
  let programs = 0;
  const helper = () => {
    helperName ??= cluster.ensureHelper(options.helper).catch((error: unknown) => {
      helperName = null;
      throw error;
    });
    return helperName;
  };
  return {
    reach,
    run: (spec, supervision) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const runPromise = Effect.runPromiseWith(yield* Effect.context<never>());
          const over = new AbortController();
          const { runId } = supervision;
          programs += 1;
          const program = runInPod(options, spec, supervision, {
            name: `br-${isUuid(runId) ? runId : randomUUID()}-${programs}`,
            helper,
            stop: AbortSignal.any([supervision.stop, over.signal]),
            onStarted: (identity) => runPromise(supervision.onStarted(identity)),
            onPlaced: (place) => runPromise(supervision.onPlaced?.(place) ?? Effect.void),
            write: (stream, chunk) => runPromise(supervision.onOutput(stream, chunk)),
          });
          // An interruption ends the pod too, and waits for it.
          const settled = Effect.promise(() =>
            program.then(
              () => {},
              () => {},
            ),
          );
          yield* Effect.onInterrupt(restore(settled), () =>
            Effect.andThen(
              Effect.sync(() => over.abort()),
              settled,
            ),
          );
          return yield* Effect.promise(() => program);
        }),
      ),
    endLeftovers: (runId, _identity, graceSec) =>
      Effect.promise(() => endPods(cluster, template, runId, graceSec)),
    runIdsAlive: () => Effect.promise(() => runIdsIn(cluster)),
  };
};

const runInPod = async (
  options: PodProcessRunnerOptions,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  at: ProgramInPod,
): Promise<ProcessOutcome> => {
  const failed = (startError: string): ProcessOutcome =>
    at.stop.aborted ? { ...nothingHappened, stopped: true } : { ...nothingHappened, startError };
  if (at.stop.aborted) return failed("");
  const given = await helperSpec(spec, supervision, options.fenceSec);
  if ("startError" in given) return failed(given.startError);
  const { text } = given;
  if (Buffer.byteLength(text) > maxSpecBytes)
    return failed("Its prompt, environment and files are larger than a Secret of Kubernetes holds (1 MiB).");
  const pod = await createPod(options, spec, supervision, at);
  if ("startError" in pod) return failed(pod.startError);
  await stored(options, spec, pod, at);
  return attendPod(options, spec, pod, text, frameReader(spec, at.write), at);
};

/** Stores the identity of a pod; where that fails, ends the pod: nothing of the run may stay. */
const stored = async (
  { cluster, template }: PodProcessRunnerOptions,
  spec: ProgramSpec,
  pod: Pod,
  { onStarted }: ProgramInPod,
): Promise<void> => {
  try {
    await onStarted({ kind: "pod", name: pod.metadata.name, uid: pod.metadata.uid });
  } catch (error) {
    const until = performance.now() + (deadlineOf(spec, template) + template.endingSec) * 1000;
    await endPod(cluster, { pod, graceSec: spec.graceSec, until });
    throw error;
  }
};
