import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import { nothingHappened, type ProgramSpec } from "../../ports/process-runner.ts";
import { followLog, type OpenLog, pause, readLog } from "../runner-helper/follow-log.ts";
import type { FrameReader } from "../runner-helper/frame-reader.ts";
import { isPassing, RefusedByCluster } from "./cluster.ts";
import { deadlineOf } from "./create-pod.ts";
import { clearAway, endingLookMs, endPod, helperGraceSec } from "./end-pods.ts";
import { podLog } from "./pod-log.ts";
import type { PodProcessRunnerOptions, ProgramInPod } from "./pod-process-runner.ts";
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

const leaveAfterResultMs = 5_000;
const pendingLookMs = 500;
const runningLookMs = 2_000;
/** How long the log may follow the end of its container. */
const lastWordsMs = 2_000;
/** How long a kubelet may be silent about a deleted pod before the run shows it. */
const unconfirmedMs = 10_000;

/** Why the service ends a pod whose program has not ended by itself. */
type Ending = "lingered" | { readonly startError: string };

/** Attends to a pod from its creation until it has ended, and deletes it. Rejects where its output cannot be stored. */
export const attendPod = async (
  options: PodProcessRunnerOptions,
  spec: ProgramSpec,
  created: Pod,
  text: string,
  reader: FrameReader,
  at: ProgramInPod,
): Promise<ProcessOutcome> => {
  const attendance = new PodAttendance(options, spec, created, text, reader, at);
  await attendance.toTheEnd();
  return attendance.outcome();
};

class PodAttendance {
  readonly #options: PodProcessRunnerOptions;
  readonly #spec: ProgramSpec;
  readonly #created: Pod;
  readonly #text: string;
  readonly #reader: FrameReader;
  readonly #at: ProgramInPod;
  readonly #log: OpenLog;
  readonly #beganAt = performance.now();
  readonly #untilMs: number;
  readonly #over = new AbortController();
  /** Fires when the pod must be looked at before its time. */
  readonly #wake = new AbortController();
  readonly #imageIsRefused = watchImage();
  /** As last seen; null once it is gone. */
  #pod: Pod | null;
  #lastSeen: Pod;
  #ending: Ending | null = null;
  #failure: { readonly of: unknown } | null = null;
  #specIsThere = false;
  #deletedAt: number | null = null;
  #resultAt: number | null = null;
  #following: Promise<void> | null = null;
  #place = "";

  constructor(
    options: PodProcessRunnerOptions,
    spec: ProgramSpec,
    created: Pod,
    text: string,
    reader: FrameReader,
    at: ProgramInPod,
  ) {
    this.#options = options;
    this.#spec = spec;
    this.#created = created;
    this.#pod = created;
    this.#lastSeen = created;
    this.#text = text;
    this.#reader = reader;
    this.#at = at;
    this.#log = podLog(options.cluster, created.metadata.name);
    const { template } = options;
    this.#untilMs = this.#beganAt + (deadlineOf(spec, template) + template.endingSec) * 1000;
    if (at.stop.aborted) this.#wake.abort();
    at.stop.addEventListener("abort", () => this.#wake.abort(), { once: true });
  }

  async toTheEnd(): Promise<void> {
    const { cluster } = this.#options;
    try {
      while (!(await this.#hasEnded())) await pause(this.#lookMs(), this.#patience());
      await this.#readLastWords();
    } finally {
      this.#over.abort();
      if (this.#pod === null || hasEnded(this.#pod)) await clearAway(cluster, this.#created);
      else
        await endPod(cluster, {
          pod: this.#created,
          graceSec: this.#spec.graceSec,
          until: this.#untilMs,
        });
    }
    if (this.#failure !== null) throw this.#failure.of;
  }

  /** Looks once, and does what the pod's state asks for. Without an API server the pod continues, and its fences hold. */
  async #hasEnded(): Promise<boolean> {
    try {
      await this.#giveSpec();
      if (this.#at.stop.aborted || this.#ending !== null || this.#failure !== null) await this.#deletePod();
      await this.#look();
      if (this.#pod === null || hasEnded(this.#pod)) return true;
      if (!isRunning(this.#pod)) this.#waitForStart(this.#pod);
    } catch (error) {
      if (error instanceof RefusedByCluster && !error.passing)
        this.#ending ??= { startError: `The cluster refuses it: ${error.message}` };
    }
    this.#noteResult();
    if (performance.now() <= this.#untilMs) return false;
    // The helper has kept its own time limit, wherever its node is.
    this.#ending ??= { startError: "Its node has not answered since its deadline." };
    return true;
  }

  /** Its identity is stored: now it may start. */
  async #giveSpec(): Promise<void> {
    if (this.#specIsThere) return;
    const { metadata } = this.#created;
    const data = Buffer.from(this.#text).toString("base64");
    const answer = await this.#options.cluster.createSpec(metadata.name, metadata, data);
    const isThere = answer.status < 300 || answer.status === 409;
    if (!isThere && isPassing(answer.status)) return;
    this.#specIsThere = true;
    if (!isThere)
      this.#ending ??= { startError: `The cluster refuses the Secret of its pod: ${answer.message}` };
  }

  async #deletePod(): Promise<void> {
    if (this.#deletedAt !== null) return;
    const { name, uid } = this.#created.metadata;
    await this.#options.cluster.deletePod(name, uid, Math.ceil(this.#spec.graceSec) + helperGraceSec);
    this.#deletedAt = performance.now();
  }

  async #look(): Promise<void> {
    const { name, uid } = this.#created.metadata;
    const found = await this.#options.cluster.pod(name);
    const pod = found?.metadata.uid === uid ? found : null;
    this.#pod = pod;
    if (pod === null) return;
    this.#lastSeen = pod;
    const place = { node: pod.spec.nodeName ?? null, waitsFor: this.#waitsFor(pod) };
    if (JSON.stringify(place) !== this.#place) {
      this.#place = JSON.stringify(place);
      await this.#at.onPlaced(place);
    }
    if (isRunning(pod) || hasEnded(pod)) this.#followLog();
  }

  #waitsFor(pod: Pod): string | null {
    if (hasEnded(pod)) return null;
    const endsSince = this.#deletedAt === null ? 0 : performance.now() - this.#deletedAt;
    if (endsSince > (Math.ceil(this.#spec.graceSec) + helperGraceSec) * 1000 + unconfirmedMs)
      return `Its node ${pod.spec.nodeName ?? "?"} has not confirmed yet that it has ended.`;
    return isRunning(pod) ? null : waitsFor(pod);
  }

  #followLog(): void {
    this.#following ??= followLog(this.#log, this.#reader, this.#over.signal).catch((error: unknown) => {
      this.#failure = { of: error };
      this.#wake.abort();
    });
  }

  #waitForStart(pod: Pod): void {
    const { pendingSec } = this.#options.template;
    const refused = this.#imageIsRefused(pod);
    if (refused !== null) this.#ending ??= { startError: refused };
    if (performance.now() - this.#beganAt > pendingSec * 1000)
      this.#ending ??= {
        startError: `Its pod did not start within ${pendingSec} seconds. ${waitsFor(pod) ?? ""}`.trim(),
      };
  }

  #noteResult(): void {
    if (!this.#reader.hasResult()) return;
    this.#resultAt ??= performance.now();
    if (performance.now() - this.#resultAt > leaveAfterResultMs) this.#ending ??= "lingered";
  }

  #lookMs(): number {
    if (this.#ending !== null || this.#deletedAt !== null || this.#reader.outcome() !== null)
      return endingLookMs;
    const isRunningNow = this.#pod !== null && isRunning(this.#pod) && !this.#reader.hasResult();
    return isRunningNow ? runningLookMs : pendingLookMs;
  }

  #patience(): AbortSignal {
    return (this.#wake.signal.aborted ? this.#over : this.#wake).signal;
  }

  /** The log stays readable until the pod is deleted. */
  async #readLastWords(): Promise<void> {
    if (this.#following !== null)
      await Promise.race([this.#following, pause(lastWordsMs, this.#over.signal)]);
    this.#over.abort();
    if (this.#pod === null || this.#reader.outcome() !== null) return;
    await readLog(this.#log, this.#reader, false, AbortSignal.timeout(15_000));
  }

  outcome(): ProcessOutcome {
    const said = this.#reader.outcome();
    const base = said ?? { ...nothingHappened, stderrTail: this.#reader.stderrTail() };
    if (this.#ending === "lingered") return { ...base, stopped: false, endedAfterResult: true };
    if (this.#at.stop.aborted) return { ...base, stopped: true };
    if (this.#ending !== null) return { ...base, stopped: false, ...this.#ending };
    if (said?.stopped === true)
      return {
        ...base,
        stopped: false,
        startError: "Its pod ended it, because the node was drained or the service did not answer.",
      };
    if (said !== null) return said;
    if (this.#pod !== null && ranOutOfMemory(this.#pod)) return { ...base, overMemory: true };
    return {
      ...base,
      startError: this.#pod === null ? goneBecause(this.#lastSeen) : endedBecause(this.#pod),
    };
  }
}
