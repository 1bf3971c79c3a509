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
import { followLog, pause, readLog } from "../runner-helper/follow-log.ts";
import { type FrameReader, frameReader } from "../runner-helper/frame-reader.ts";
import { helperSpec } from "../runner-helper/helper-spec.ts";
import { volumeNameOf } from "../runner-helper/labels.ts";
import { type Cluster, isPassing, RefusedByCluster } from "./cluster.ts";
import { endingLookMs, endPod, endPods, helperGraceSec, leftoverSec, runIdsIn } from "./end-pods.ts";
import {
  attemptAnnotation,
  endedBecause,
  hasEnded,
  isRunning,
  type Pod,
  podOf,
  ranOutOfMemory,
  waitsFor,
} from "./pod.ts";
import { podLog } from "./pod-log.ts";
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

/** Kubernetes keeps a Secret below 1 MiB, and base64 takes a third. */
const maxSpecBytes = 760_000;
const leaveAfterResultMs = 5_000;
/** How long an API server that does not answer may take to create a pod. */
const createSec = 60;
const pendingLookMs = 500;
const runningLookMs = 2_000;

/** Runs each program in a pod of its own. */
export const podProcessRunner = (options: PodProcessRunnerOptions): ProcessRunner => {
  const { cluster, reach } = options;
  let helperName: Promise<string> | null = null;
  const programs = new Map<string, number>();
  const nextName = (runId: string) => {
    const n = (programs.get(runId) ?? 0) + 1;
    programs.set(runId, n);
    return `br-${isUuid(runId) ? runId : randomUUID()}-${n}`;
  };
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
          const program = runInPod(options, spec, supervision, {
            name: nextName(supervision.runId),
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
    endLeftovers: (runId, _identity, graceSec) => Effect.promise(() => endPods(cluster, runId, graceSec)),
    runIdsAlive: () => Effect.promise(() => runIdsIn(cluster)),
  };
};

interface Attendance {
  readonly name: string;
  readonly helper: () => Promise<string>;
  readonly stop: AbortSignal;
  readonly onStarted: (identity: ProcessIdentity) => Promise<void>;
  readonly onPlaced: (place: RunPlace) => Promise<void>;
  readonly write: (stream: LogStream, chunk: Uint8Array) => Promise<void>;
}

const runInPod = async (
  options: PodProcessRunnerOptions,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  at: Attendance,
): Promise<ProcessOutcome> => {
  const failed = (startError: string): ProcessOutcome => ({ ...nothingHappened, startError });
  if (at.stop.aborted) return { ...nothingHappened, stopped: true };
  const given = await helperSpec(spec, supervision, options.fenceSec);
  if ("startError" in given) return failed(given.startError);
  const { text } = given;
  if (Buffer.byteLength(text) > maxSpecBytes)
    return failed("Its prompt, environment and files are larger than a Secret of Kubernetes holds (1 MiB).");
  let pod: Pod | { readonly startError: string };
  try {
    pod = await createPod(options, spec, supervision, at);
  } catch (error) {
    return failed((error as Error).message);
  }
  if ("startError" in pod)
    return at.stop.aborted ? { ...nothingHappened, stopped: true } : failed(pod.startError);
  const reader = frameReader(spec, at.write);
  try {
    await at.onStarted({ kind: "pod", name: pod.metadata.name, uid: pod.metadata.uid });
    return await attend(options, spec, pod, text, reader, at);
  } catch (error) {
    // The service failed: nothing of the run may stay.
    await endPod(options.cluster, pod, spec.graceSec);
    throw error;
  }
};

const createPod = async (
  { cluster, template }: PodProcessRunnerOptions,
  spec: ProgramSpec,
  { runId, workspace }: ProcessSupervision,
  at: Attendance,
): Promise<Pod | { readonly startError: string }> => {
  const attempt = randomUUID();
  const { agentId, companyId } = workspace;
  const claimName = template.volume === null || agentId === null ? null : volumeNameOf(agentId);
  const beganAt = performance.now();
  for (;;) {
    if (at.stop.aborted) return { startError: "It was stopped before its pod was made." };
    const elapsedSec = (performance.now() - beganAt) / 1000;
    try {
      if (claimName !== null && template.volume !== null)
        await cluster.ensureClaim(claimName, template.volume);
      const answer = await cluster.createPod(
        podOf(template, {
          name: at.name,
          runId,
          attempt,
          companyId,
          agentId,
          helperName: await at.helper(),
          claimName,
          deadlineSec: deadlineOf(spec, template),
          graceSec: Math.ceil(spec.graceSec) + helperGraceSec,
        }),
      );
      if (answer.status === 201 || answer.status === 200) return answer.body as unknown as Pod;
      if (answer.status === 409) {
        // The answer to an earlier attempt may have been lost.
        const found = await cluster.pod(at.name);
        if (found?.metadata.annotations?.[attemptAnnotation] === attempt) return found;
        return { startError: `The cluster has another pod of the name ${at.name}.` };
      }
      if (answer.status === 403 && /quota/i.test(answer.message) && elapsedSec < template.pendingSec)
        await at.onPlaced({
          node: null,
          waitsFor: `The quota of the namespace leaves no room: ${answer.message}`,
        });
      else if (!isPassing(answer.status))
        return { startError: `The cluster refuses its pod: ${answer.message}` };
      else if (elapsedSec > createSec) return { startError: `The cluster makes no pod: ${answer.message}` };
    } catch (error) {
      const refused = error instanceof RefusedByCluster;
      if (refused && (!error.passing || elapsedSec > createSec)) return { startError: error.message };
      if (elapsedSec > createSec)
        return {
          startError: `The API server ${cluster.api.server} does not answer: ${(error as Error).message}.`,
        };
      await at.onPlaced({ node: null, waitsFor: `The API server ${cluster.api.server} does not answer.` });
    }
    await pause(1_000, at.stop);
  }
};

/** When the kubelet ends a pod that nobody attends to: after its program's own time limit in any case. */
const deadlineOf = (spec: ProgramSpec, template: KubernetesTemplate): number =>
  Math.min(Math.ceil(spec.timeoutSec + spec.graceSec + template.pendingSec + 60), 2 ** 31 - 1);

/** Attends to a pod until it has ended, and deletes it. */
const attend = async (
  { cluster, template }: PodProcessRunnerOptions,
  spec: ProgramSpec,
  created: Pod,
  told: string,
  reader: FrameReader,
  at: Attendance,
): Promise<ProcessOutcome> => {
  const { name, uid } = created.metadata;
  const over = new AbortController();
  let secretIsThere = false;
  let deleted = false;
  let why: "lingered" | string | null = null;
  let resultAt: number | null = null;
  let place = "";
  let following: Promise<void> | null = null;
  let failure: { readonly of: unknown } | null = null;
  let pod: Pod | null = created;
  const beganAt = performance.now();
  const wake = new AbortController();
  at.stop.addEventListener("abort", () => wake.abort(), { once: true });

  const deletePod = async () => {
    if (deleted) return;
    await cluster.deletePod(name, uid, Math.ceil(spec.graceSec) + helperGraceSec);
    deleted = true;
  };
  try {
    for (;;) {
      let ms = runningLookMs;
      try {
        if (!secretIsThere) {
          const answer = await cluster.createSpec(
            name,
            created.metadata,
            Buffer.from(told).toString("base64"),
          );
          if (answer.status < 300 || answer.status === 409) secretIsThere = true;
          else if (!isPassing(answer.status)) {
            why ??= `The cluster refuses the Secret of its pod: ${answer.message}`;
            secretIsThere = true;
          }
        }
        if (at.stop.aborted || why !== null || failure !== null) await deletePod();
        const found = await cluster.pod(name);
        pod = found?.metadata.uid === uid ? found : null;
        if (pod === null) break;
        const now: RunPlace = {
          node: pod.spec.nodeName ?? null,
          waitsFor: isRunning(pod) || hasEnded(pod) ? null : waitsFor(pod),
        };
        if (JSON.stringify(now) !== place) {
          place = JSON.stringify(now);
          await at.onPlaced(now);
        }
        if ((isRunning(pod) || hasEnded(pod)) && following === null)
          following = followLog(podLog(cluster, name), reader, over.signal).catch((error: unknown) => {
            failure = { of: error };
            wake.abort();
          });
        if (hasEnded(pod)) break;
        if (!isRunning(pod)) {
          ms = pendingLookMs;
          if (performance.now() - beganAt > template.pendingSec * 1000)
            why ??=
              `Its pod did not start within ${template.pendingSec} seconds. ${now.waitsFor ?? ""}`.trim();
        }
      } catch (error) {
        if (error instanceof RefusedByCluster && !error.passing)
          why ??= `The cluster refuses it: ${error.message}`;
        // Otherwise the API server is away: the pod continues, and its fences hold.
      }
      if (performance.now() - beganAt > (deadlineOf(spec, template) + leftoverSec) * 1000) {
        // The helper has kept its own time limit, wherever its node is.
        why ??= "Its node has not answered since its deadline.";
        break;
      }
      if (reader.hasResult()) {
        resultAt ??= performance.now();
        if (performance.now() - resultAt > leaveAfterResultMs) why ??= "lingered";
        ms = Math.min(ms, pendingLookMs);
      }
      if (reader.outcome() !== null || deleted) ms = endingLookMs;
      await pause(ms, wake.signal.aborted ? over.signal : wake.signal);
    }
    // Its last words stay readable until the pod is deleted.
    if (following !== null) await Promise.race([following, pause(2_000, over.signal)]);
    over.abort();
    if (pod !== null && reader.outcome() === null)
      await readLog(podLog(cluster, name), reader, false, AbortSignal.timeout(15_000));
  } finally {
    over.abort();
    await endPod(cluster, created, spec.graceSec, pod === null || hasEnded(pod));
  }
  if (failure !== null) throw (failure as { readonly of: unknown }).of;
  return outcomeOf(reader, pod, why, at.stop.aborted);
};

const outcomeOf = (
  reader: FrameReader,
  pod: Pod | null,
  why: string | null,
  stopped: boolean,
): ProcessOutcome => {
  const said = reader.outcome();
  const base = said ?? { ...nothingHappened, stderrTail: reader.stderrTail() };
  if (why === "lingered") return { ...base, stopped: false, endedAfterResult: true };
  if (stopped) return { ...base, stopped: true };
  if (why !== null) return { ...base, stopped: false, startError: why };
  if (said?.stopped === true)
    return {
      ...base,
      stopped: false,
      startError: "Its pod ended it, because the node was drained or the service did not answer.",
    };
  if (said !== null) return said;
  if (pod !== null && ranOutOfMemory(pod)) return { ...base, overMemory: true };
  return { ...base, startError: endedBecause(pod) };
};
