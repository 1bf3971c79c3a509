import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { RunPlace } from "../../ports/process-runner.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import type { EngineProgram } from "./engine-runner.ts";
import { followLog, type OpenLog, pause, readLog } from "./follow-log.ts";
import type { FrameReader } from "./frame-reader.ts";
import { RefusedByEngine } from "./refused.ts";

/** How a place stands. */
export interface Look {
  readonly state: "waiting" | "running" | "ended";
  readonly place: RunPlace;
  /** Whether memory ran out, where it has ended. */
  readonly overMemory: boolean;
  /** A sentence: why it ended, where its helper has not said. */
  readonly endedBecause: string;
}

/** What attending to a program asks of an engine. Throws RefusedByEngine, or anything else while the engine is away. */
export interface AttendedEngine<Place> {
  /** Gives the helper its specification, upon which the program starts. Asked again until it returns. */
  tell(place: Place, program: EngineProgram): Promise<void>;
  /** null: there is no such place any more. */
  look(place: Place): Promise<Look | null>;
  log(place: Place): OpenLog;
  /** Asks the program to end, and ends it after its grace. Called again until it has ended. */
  askToEnd(place: Place, program: EngineProgram, askedForMs: number): Promise<void>;
  /** Ends what still runs, and removes the place. Returns early where the engine stays away. */
  end(place: Place, program: EngineProgram, ended: boolean): Promise<void>;
  /** How long a program may wait for its start. */
  readonly pendingSec: number;
  readonly words: {
    readonly pending: string;
    /** Somebody else removed the place. */
    readonly removed: string;
    /** The engine, or the fence, asked the helper to end. */
    readonly endedByEngine: string;
    /** The engine has not answered since the program's own time limit. */
    readonly away: string;
  };
}

const leaveAfterResultMs = 5_000;
const waitingLookMs = 500;
const runningLookMs = 2_000;
const endingLookMs = 200;
const idleMs = 2_000;
/** Beyond the program's own time limit, its grace, and its wait for the start. */
const awayMs = 90_000;

/** Attends to a program until it has ended, and removes its place. */
export const attendProgram = async <Place>(
  engine: AttendedEngine<Place>,
  at: Place,
  program: EngineProgram,
): Promise<ProcessOutcome> => {
  const { spec, reader, stop } = program;
  const over = new AbortController();
  const wake = new AbortController();
  stop.addEventListener("abort", () => wake.abort(), { once: true });
  const beganAt = performance.now();
  const limitMs = (spec.timeoutSec + spec.graceSec + engine.pendingSec) * 1000 + awayMs;
  let told = false;
  let why: "lingered" | string | null = null;
  let resultAt: number | null = null;
  let endAskedAt: number | null = null;
  let shown = "";
  let following: Promise<void> | null = null;
  let failure: { readonly of: unknown } | null = null;
  let found: Look | null = null;
  try {
    for (;;) {
      let ms = runningLookMs;
      const mustEnd = stop.aborted || why !== null || failure !== null;
      if (mustEnd && !told) break;
      try {
        if (!told) {
          await engine.tell(at, program);
          told = true;
        }
        if (mustEnd) {
          endAskedAt ??= performance.now();
          await engine.askToEnd(at, program, performance.now() - endAskedAt);
        }
        found = await engine.look(at);
        if (found === null) break;
        if (JSON.stringify(found.place) !== shown) {
          shown = JSON.stringify(found.place);
          await program.onPlaced(found.place);
        }
        if (found.state !== "waiting")
          following ??= followLog(engine.log(at), reader, over.signal)
            .catch((error: unknown) => {
              failure = { of: error };
            })
            .finally(() => wake.abort());
        if (found.state === "ended") break;
        if (found.state === "waiting") {
          ms = waitingLookMs;
          if (performance.now() - beganAt > engine.pendingSec * 1000)
            why ??= `${engine.words.pending} ${found.place.waitsFor ?? ""}`.trim();
        }
      } catch (error) {
        if (error instanceof RefusedByEngine && !error.passing) why ??= error.message;
        // Otherwise the engine is away: the program continues, and its fences hold.
      }
      if (performance.now() - beganAt > limitMs) {
        // The helper has kept the program's own time limit, wherever it is.
        why ??= engine.words.away;
        break;
      }
      if (reader.hasResult()) {
        resultAt ??= performance.now();
        if (performance.now() - resultAt > leaveAfterResultMs) why ??= "lingered";
        ms = Math.min(ms, waitingLookMs);
      }
      if (reader.outcome() !== null || mustEnd) ms = endingLookMs;
      await pause(ms, wake.signal.aborted ? over.signal : wake.signal);
    }
    // Its last words stay readable until the place is removed.
    if (following !== null) await unlessIdle(following, reader);
    over.abort();
    await following;
    if (found !== null && told && failure === null && reader.outcome() === null)
      await readLog(engine.log(at), reader, false, new AbortController().signal);
  } finally {
    over.abort();
    await engine.end(at, program, found === null ? told : found.state === "ended");
  }
  if (failure !== null) throw (failure as { readonly of: unknown }).of;
  return outcomeOf(engine, program, found, why);
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

const outcomeOf = (
  { words }: AttendedEngine<never>,
  { reader, stop }: EngineProgram,
  found: Look | null,
  why: "lingered" | string | null,
): ProcessOutcome => {
  const said = reader.outcome();
  const base = said ?? { ...nothingHappened, stderrTail: reader.stderrTail() };
  if (why === "lingered") return { ...base, stopped: false, endedAfterResult: true };
  if (stop.aborted) return { ...base, stopped: true };
  if (why !== null) return { ...base, stopped: false, startError: why };
  if (said?.stopped === true) return { ...base, stopped: false, startError: words.endedByEngine };
  if (said !== null) return said;
  if (found === null) return { ...base, startError: words.removed };
  if (found.overMemory) return { ...base, overMemory: true };
  return { ...base, startError: found.endedBecause };
};
