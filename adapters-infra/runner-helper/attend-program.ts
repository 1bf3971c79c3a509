import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { RunPlacement } from "../../ports/process-runner.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { leaveAfterResultMs } from "../local/leave-after-result-ms.ts";
import type { EngineProgram } from "./engine-program.ts";
import { followLog, type OpenLog, pause, readLog } from "./follow-log.ts";
import type { FrameReader } from "./frame-reader.ts";
import { RefusedByEngine } from "./refused.ts";

/** The state of a workload. */
export interface Inspection {
  readonly state: "waiting" | "running" | "ended";
  readonly placement: RunPlacement;
  /** Whether memory ran out, where it has ended. */
  readonly overMemory: boolean;
  /** A sentence: why it ended, where its helper has not said. */
  readonly endedBecause: string;
  /** A sentence: why waiting is of no use; null while it may start. */
  readonly neverStarts: string | null;
}

/** Calls to an engine that attending to a program needs. Throws RefusedByEngine, or anything else while the engine is away. */
export interface AttendedEngine<Workload> {
  /** Gives the helper its specification, upon which the program starts. Asked again until it returns. */
  start(workload: Workload, program: EngineProgram): Promise<void>;
  /** null: there is no such workload any more. */
  inspect(workload: Workload): Promise<Inspection | null>;
  log(workload: Workload): OpenLog;
  /** Asks the program to end, and ends it after its grace. Called again until it has ended. */
  askToEnd(workload: Workload, program: EngineProgram, askedForMs: number): Promise<void>;
  /** Ends what still runs, and removes the workload. Asks an engine that is away until `fencedAt`, as in `performance.now()`. */
  end(workload: Workload, program: EngineProgram, ended: boolean, fencedAt: number): Promise<void>;
  /** How long a program may wait for its start. */
  readonly pendingSec: number;
  /** How long the engine may be silent beyond a program's own time limit, its grace, and its wait for the start. */
  readonly awaySec: number;
  /** A sentence about a workload that is gone and that this service has not removed. */
  removedBecause(workload: Workload): string;
  readonly words: {
    readonly pending: string;
    /** The engine, or the fence, asked the helper to end. */
    readonly endedByEngine: string;
    /** The engine does not answer while a program is to be ended. */
    readonly silent: string;
    /** The engine has not answered since the program's own time limit. */
    readonly away: string;
  };
}

const waitingPollMs = 500;
const runningPollMs = 2_000;
const endingPollMs = 200;
const idleMs = 2_000;
/** How long an engine may be away that still has a log. */
const lastWordsMs = 30_000;

/** Why the service ends a program that has not ended by itself. */
type Ending = "lingered" | { readonly startError: string };

/**
 * Attends to a program until it has ended, or its fence has passed, and removes its workload. Rejects where its output cannot
 * be stored.
 */
export const attendProgram = async <Workload>(
  engine: AttendedEngine<Workload>,
  workload: Workload,
  program: EngineProgram,
  fencedAt: number,
): Promise<ProcessOutcome> => {
  const attendance = new Attendance(engine, workload, program, fencedAt);
  await attendance.toTheEnd();
  return attendance.outcome();
};

class Attendance<Workload> {
  readonly #engine: AttendedEngine<Workload>;
  readonly #workload: Workload;
  readonly #program: EngineProgram;
  readonly #fencedAt: number;
  readonly #beganAt = performance.now();
  readonly #over = new AbortController();
  /** Fires when the workload must be inspected before its time. */
  readonly #wake = new AbortController();
  #isStarted = false;
  /** As last seen; null: it is gone, or was not seen yet. */
  #found: Inspection | null = null;
  #ending: Ending | null = null;
  #failure: { readonly of: unknown } | null = null;
  #endAskedAt: number | null = null;
  #resultAt: number | null = null;
  #following: Promise<void> | null = null;
  #shown = "";
  #node: RunPlacement["node"] = null;
  #isSilent = false;

  constructor(
    engine: AttendedEngine<Workload>,
    workload: Workload,
    program: EngineProgram,
    fencedAt: number,
  ) {
    this.#engine = engine;
    this.#workload = workload;
    this.#program = program;
    this.#fencedAt = fencedAt;
    program.stop.addEventListener("abort", () => this.#wake.abort(), { once: true });
  }

  async toTheEnd(): Promise<void> {
    try {
      while (!(await this.#isOver())) {
        await this.#showSilence();
        await pause(this.#pollMs(), this.#patience());
      }
      await this.#readLastWords();
    } finally {
      this.#over.abort();
      await this.#showSilence();
      const ended =
        this.#found === null ? this.#isStarted : this.#found.state === "ended" || this.#neverStarts;
      await this.#engine.end(this.#workload, this.#program, ended, this.#fencedAt);
    }
    if (this.#failure !== null) throw this.#failure.of;
  }

  /** Nothing has run in the workload, and nothing can: its end is not waited for. */
  get #neverStarts(): boolean {
    return this.#endAskedAt !== null && this.#found?.state === "waiting" && this.#found.neverStarts !== null;
  }

  get #mustEnd(): boolean {
    return this.#program.stop.aborted || this.#ending !== null || this.#failure !== null;
  }

  /** Inspects once, and does what the workload's state asks for. While the engine is away, the program and its fences continue. */
  async #isOver(): Promise<boolean> {
    if (this.#mustEnd && !this.#isStarted) return true;
    this.#isSilent = false;
    try {
      if (!this.#isStarted) await this.#engine.start(this.#workload, this.#program);
      this.#isStarted = true;
      if (this.#mustEnd) await this.#askToEnd();
      this.#found = await this.#engine.inspect(this.#workload);
      if (this.#found === null) return true;
      await this.#show(this.#found.placement);
      if (this.#found.state !== "waiting") this.#followLog();
      if (this.#found.state === "ended") return true;
      if (this.#found.state === "waiting") this.#waitForStart(this.#found);
      if (this.#neverStarts) return true;
    } catch (error) {
      if (error instanceof RefusedByEngine && !error.passing) this.#ending ??= { startError: error.message };
      else this.#isSilent = true;
    }
    this.#noteResult();
    return this.#isAway();
  }

  async #askToEnd(): Promise<void> {
    this.#endAskedAt ??= performance.now();
    await this.#engine.askToEnd(this.#workload, this.#program, performance.now() - this.#endAskedAt);
  }

  async #show(placement: RunPlacement): Promise<void> {
    this.#node = placement.node;
    if (JSON.stringify(placement) === this.#shown) return;
    this.#shown = JSON.stringify(placement);
    await this.#program.onPlacement(placement);
  }

  async #showSilence(): Promise<void> {
    if (!this.#isSilent || !this.#mustEnd) return;
    const { silent } = this.#engine.words;
    await this.#show({ node: this.#node, waitsFor: silent }).catch(() => {});
  }

  #followLog(): void {
    const { reader } = this.#program;
    this.#following ??= followLog(this.#engine.log(this.#workload), reader, this.#over.signal)
      .catch((error: unknown) => {
        this.#failure = { of: error };
      })
      .finally(() => this.#wake.abort());
  }

  #waitForStart({ placement, neverStarts }: Inspection): void {
    const { pendingSec, words } = this.#engine;
    if (neverStarts !== null) this.#ending ??= { startError: neverStarts };
    if (performance.now() - this.#beganAt > pendingSec * 1000)
      this.#ending ??= { startError: `${words.pending} ${placement.waitsFor ?? ""}`.trim() };
  }

  #noteResult(): void {
    if (!this.#program.reader.hasResult()) return;
    this.#resultAt ??= performance.now();
    if (performance.now() - this.#resultAt > leaveAfterResultMs) this.#ending ??= "lingered";
  }

  #isAway(): boolean {
    if (performance.now() <= this.#fencedAt) return false;
    this.#ending ??= { startError: this.#engine.words.away };
    return true;
  }

  #pollMs(): number {
    const { reader } = this.#program;
    if (reader.outcome() !== null || this.#mustEnd) return endingPollMs;
    return this.#found?.state === "running" && !reader.hasResult() ? runningPollMs : waitingPollMs;
  }

  #patience(): AbortSignal {
    return (this.#wake.signal.aborted ? this.#over : this.#wake).signal;
  }

  /** The log stays readable until the workload is removed. */
  async #readLastWords(): Promise<void> {
    const { reader } = this.#program;
    if (this.#following !== null) await unlessIdle(this.#following, reader);
    this.#over.abort();
    await this.#following;
    const hasRun = this.#found !== null && this.#isStarted && !this.#neverStarts;
    if (hasRun && this.#failure === null) await readRest(this.#engine.log(this.#workload), reader);
  }

  outcome(): ProcessOutcome {
    const { reader, stop } = this.#program;
    const { words } = this.#engine;
    const said = reader.outcome();
    const base = said ?? { ...nothingHappened, stderrTail: reader.stderrTail() };
    if (this.#ending === "lingered") return { ...base, stopped: false, endedAfterResult: true };
    if (stop.aborted) return { ...base, stopped: true };
    if (this.#ending !== null) return { ...base, stopped: false, ...this.#ending };
    if (said?.stopped === true) return { ...base, stopped: false, startError: words.endedByEngine };
    if (said !== null) return said;
    if (this.#found === null) return { ...base, startError: this.#engine.removedBecause(this.#workload) };
    if (this.#found.overMemory) return { ...base, overMemory: true };
    return { ...base, startError: this.#found.endedBecause };
  }
}

/** Reads the rest of the log of a workload that has ended, over as many connections as it takes while lines come. */
const readRest = async (log: OpenLog, reader: FrameReader): Promise<void> => {
  const { signal } = new AbortController();
  let count = reader.count();
  for (let idleSince = performance.now(); performance.now() - idleSince < lastWordsMs; ) {
    if (reader.outcome() !== null || (await readLog(log, reader, false, signal))) return;
    if (reader.count() > count) idleSince = performance.now();
    count = reader.count();
    await pause(waitingPollMs, signal);
  }
};

/** Waits for the end of the log, as long as lines come. */
const unlessIdle = async (following: Promise<void>, reader: FrameReader): Promise<void> => {
  const over = new AbortController();
  void following.then(() => over.abort());
  for (let count = -1; count !== reader.count() && !over.signal.aborted; ) {
    count = reader.count();
    await pause(idleMs, over.signal);
  }
};
