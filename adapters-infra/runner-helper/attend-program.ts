import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { RunPlacement } from "../../ports/process-runner.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import { exitAfterResultMs } from "../local/exit-after-result-ms.ts";
import { endWorkload } from "./end-workload.ts";
import type { Engine, Inspection } from "./engine.ts";
import type { EngineProgram } from "./engine-program.ts";
import { followLog, type OpenLog, pause, readLog } from "./follow-log.ts";
import type { FrameReader } from "./frame-reader.ts";
import { RefusedByEngine } from "./refused.ts";

const waitingPollMs = 500;
const runningPollMs = 2_000;
const endingPollMs = 200;
const idleMs = 2_000;
/** How long an engine may be away that still has a log. */
const lastOutputMs = 30_000;

/** The program is the next service's: nothing of it ends here. */
const forEver = new Promise<never>(() => {});

/** Why the service ends a program that has not ended by itself. */
type Ending = "lingered" | "left its input unread" | { readonly startError: string };

/**
 * Attends to a program until it has ended, or its fence has passed, and removes its workload. Rejects where its output cannot
 * be stored.
 */
export const attendProgram = async <Workload>(
  engine: Engine<Workload>,
  workload: Workload,
  program: EngineProgram,
  fencedAt: number,
): Promise<ProcessOutcome> => {
  const attendance = new Attendance(engine, workload, program, fencedAt);
  await attendance.toTheEnd();
  return attendance.outcome();
};

class Attendance<Workload> {
  readonly #engine: Engine<Workload>;
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
  #delivering: Promise<void> | null = null;
  #shown = "";
  #node: RunPlacement["node"] = null;
  #isSilent = false;

  constructor(engine: Engine<Workload>, workload: Workload, program: EngineProgram, fencedAt: number) {
    this.#engine = engine;
    this.#workload = workload;
    this.#program = program;
    this.#fencedAt = fencedAt;
    program.stop.addEventListener("abort", () => this.#wake.abort(), { once: true });
    program.detached.addEventListener(
      "abort",
      () => {
        this.#over.abort();
        this.#wake.abort();
      },
      { once: true },
    );
  }

  async toTheEnd(): Promise<void> {
    try {
      while (!(await this.#isOver())) {
        if (this.#program.detached.aborted) await forEver;
        await this.#showSilence();
        await pause(this.#pollMs(), this.#patience());
      }
      await this.#readLastOutput();
    } finally {
      if (this.#program.detached.aborted) await forEver;
      this.#over.abort();
      await this.#showSilence();
      const ended =
        this.#found === null ? this.#isStarted : this.#found.state === "ended" || this.#neverStarts;
      const { graceSec } = this.#program.spec;
      await endWorkload(this.#engine, this.#workload, { graceSec, ended, until: this.#fencedAt });
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
      if (!this.#isStarted && (await this.#mustStart()))
        await this.#engine.start(this.#workload, this.#program);
      this.#isStarted = true;
      if (this.#mustEnd) await this.#askToEnd();
      this.#found = await this.#engine.inspect(this.#workload);
      if (this.#found === null) return true;
      await this.#show(this.#found.placement);
      if (this.#found.state !== "waiting") this.#followLog();
      if (this.#found.state === "running") this.#deliverInput();
      if (this.#found.state === "ended") return true;
      if (this.#found.state === "waiting") this.#waitForStart(this.#found);
      if (this.#neverStarts) return true;
    } catch (error) {
      if (error instanceof RefusedByEngine && !error.passing) this.#ending ??= { startError: error.message };
      else this.#isSilent = true;
    }
    this.#recordResult();
    return this.#isAway();
  }

  async #mustStart(): Promise<boolean> {
    if (!this.#program.isAdopted) return true;
    return (await this.#engine.inspect(this.#workload))?.state === "waiting";
  }

  async #askToEnd(): Promise<void> {
    this.#endAskedAt ??= performance.now();
    const { graceSec } = this.#program.spec;
    await this.#engine.askToEnd(this.#workload, graceSec, performance.now() - this.#endAskedAt);
  }

  async #show(placement: RunPlacement): Promise<void> {
    this.#node = placement.node;
    if (JSON.stringify(placement) === this.#shown) return;
    this.#shown = JSON.stringify(placement);
    await this.#program.onPlacement(placement);
  }

  async #showSilence(): Promise<void> {
    if (!this.#isSilent || !this.#mustEnd) return;
    const waitsFor = `${this.#engine.terms.engine} does not answer, so it is not known whether it has ended.`;
    await this.#show({ node: this.#node, waitsFor }).catch(() => {});
  }

  #followLog(): void {
    const { reader } = this.#program;
    this.#following ??= followLog(this.#engine.log(this.#workload), reader, this.#over.signal)
      .catch((error: unknown) => {
        this.#failure = { of: error };
      })
      .finally(() => this.#wake.abort());
  }

  #deliverInput(): void {
    const { input } = this.#program;
    if (input.isUnread) this.#ending ??= "left its input unread";
    this.#delivering ??= input
      .deliver(this.#engine.input(this.#workload), this.#over.signal)
      .then((refusal) => {
        if (refusal === null) return;
        this.#ending ??= { startError: refusal };
        this.#wake.abort();
      });
  }

  #waitForStart({ placement, neverStarts }: Inspection): void {
    const { pendingSec, terms } = this.#engine;
    if (neverStarts !== null) this.#ending ??= { startError: neverStarts };
    if (performance.now() - this.#beganAt > pendingSec * 1000)
      this.#ending ??= {
        startError:
          `Its ${terms.kind} did not start within ${pendingSec} seconds. ${placement.waitsFor ?? ""}`.trim(),
      };
  }

  #recordResult(): void {
    if (!this.#program.reader.hasResult()) return;
    this.#resultAt ??= performance.now();
    if (performance.now() - this.#resultAt > exitAfterResultMs) this.#ending ??= "lingered";
  }

  #isAway(): boolean {
    if (performance.now() <= this.#fencedAt) return false;
    this.#ending ??= { startError: this.#engine.terms.away };
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
  async #readLastOutput(): Promise<void> {
    const { reader } = this.#program;
    if (this.#following !== null) await unlessIdle(this.#following, reader);
    this.#over.abort();
    await this.#following;
    const hasRun = this.#found !== null && this.#isStarted && !this.#neverStarts;
    if (hasRun && this.#failure === null) await readRest(this.#engine.log(this.#workload), reader);
  }

  outcome(): ProcessOutcome {
    const { reader, stop } = this.#program;
    const { terms } = this.#engine;
    const outcome = reader.outcome();
    const base = outcome ?? { ...nothingHappened, stderrTail: reader.stderrTail() };
    if (this.#ending === "lingered") return { ...base, stopped: false, endedAfterResult: true };
    if (this.#ending === "left its input unread") return { ...base, stopped: false, unreadInput: true };
    if (stop.aborted) return { ...base, stopped: true };
    if (this.#ending !== null) return { ...base, stopped: false, ...this.#ending };
    if (outcome?.stopped === true) {
      const startError = `Its ${terms.kind} ended it, because ${terms.ends} or the service did not answer.`;
      return { ...base, stopped: false, startError };
    }
    if (outcome !== null) return outcome;
    if (this.#found === null) return { ...base, startError: this.#engine.removedBecause(this.#workload) };
    if (this.#found.overMemory) return { ...base, overMemory: true };
    return { ...base, startError: this.#found.endedBecause };
  }
}

/** Reads the rest of the log of a workload that has ended, over as many connections as it takes while lines come. */
const readRest = async (log: OpenLog, reader: FrameReader): Promise<void> => {
  const { signal } = new AbortController();
  let count = reader.count();
  for (let idleSince = performance.now(); performance.now() - idleSince < lastOutputMs; ) {
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
