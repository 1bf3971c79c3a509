import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { PersonWaits, ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import { exitAfterResultMs } from "./exit-after-result-ms.ts";
import type { OutputWatch } from "./process-output.ts";
import { foldersOf, type SampledLimits, tooMuchDisk, tooMuchMemory } from "./run-samples.ts";

/** Silence after the last process has exited until the output counts as complete. */
const drainMs = 500;

/** Why supervision of the program ended. */
export type SupervisionEnd =
  | "exited"
  | "timed out"
  | "fell silent"
  | "took too much memory"
  | "took too much disk"
  | "left its input unread"
  | "stopped"
  | "lingered after its result";

export const isOverLimit = (why: SupervisionEnd): boolean =>
  why === "took too much memory" || why === "took too much disk";

interface Watched {
  readonly exited: Promise<unknown>;
  readonly pid: number;
  /** How long it had run before this service attended to it. */
  readonly ranMs: number;
  readonly cwd: string;
  readonly sampled: SampledLimits;
  /** Files in memory of the machine before the program's start. */
  readonly sharedBefore: number;
  /** Completes when too much of its open input waits. */
  readonly inputUnread: Deferred.Deferred<void>;
}

/** Waits for the first reason to end supervision. */
export const endingOf = (
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  { exited, pid, ranMs, cwd, sampled, sharedBefore, inputUnread }: Watched,
  output: OutputWatch,
  pumps: Fiber.Fiber<void>,
): Effect.Effect<SupervisionEnd> =>
  firstOf<SupervisionEnd>([
    Effect.as(
      Effect.promise(() => exited),
      "exited",
    ),
    Effect.as(aborted(supervision.stop), "stopped"),
    Effect.flatMap(timeUp(spec, supervision.waits ?? noWaits, ranMs), () =>
      output.hasResult() ? Effect.never : Effect.succeed("timed out"),
    ),
    Effect.as(silence(spec, output, supervision.waits ?? noWaits), "fell silent"),
    Effect.as(tooMuchMemory(pid, sampled.maxMemoryBytes, sharedBefore), "took too much memory"),
    Effect.as(tooMuchDisk(pid, foldersOf(cwd, supervision.env), sampled.maxDiskBytes), "took too much disk"),
    Effect.as(Deferred.await(inputUnread), "left its input unread"),
    Effect.as(
      Effect.andThen(Deferred.await(output.result), Effect.sleep(exitAfterResultMs)),
      "lingered after its result",
    ),
    // Only its defects matter here: output can end long before the program.
    Effect.andThen(Fiber.join(pumps), Effect.never),
  ]);

/** Interrupts the losers even where the caller is uninterruptible. */
export const firstOf = <A>(effects: readonly Effect.Effect<A>[]): Effect.Effect<A> =>
  Effect.raceAllFirst(effects.map((effect) => Effect.interruptible(effect)));

/** setTimeout counts in 32 bits. */
const maxTimerMs = 2 ** 31 - 1;

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void);
    if (signal.aborted) return done();
    signal.addEventListener("abort", done, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", done));
  });

const noWaits: PersonWaits = {
  isOpen: () => false,
  totalMs: () => 0,
  lastAt: () => 0,
  watch: () => () => {},
};

/** Waits until the program has had its time; that in which its run waits for people does not count. */
const timeUp = ({ timeoutSec }: ProgramSpec, waits: PersonWaits, ranMs: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    let leftMs = timeoutSec * 1000 - ranMs;
    const endsAt = performance.now() + leftMs - waits.totalMs();
    do {
      yield* Effect.sleep(Math.min(Math.max(leftMs, waits.isOpen() ? drainMs : 0), maxTimerMs));
      leftMs = endsAt + waits.totalMs() - performance.now();
    } while (leftMs > 0 || waits.isOpen());
  });

/**
 * Waits until the program has been silent for too long. Time in which the log blocks output, or in which its run waits
 * for people, does not count.
 */
const silence = (
  { silenceSec }: ProgramSpec,
  output: OutputWatch,
  waits: PersonWaits,
): Effect.Effect<void> =>
  silenceSec === undefined
    ? Effect.never
    : Effect.gen(function* () {
        for (;;) {
          const { lastOutputAt, writing } = output.progress;
          const leftMs = Math.max(lastOutputAt, waits.lastAt()) + silenceSec * 1000 - performance.now();
          if (output.hasResult()) return yield* Effect.never;
          if (leftMs <= 0 && writing === 0 && !waits.isOpen()) return;
          yield* Effect.sleep(Math.min(Math.max(leftMs, drainMs), maxTimerMs));
        }
      });

/** On a busy machine the time can be up before this process has looked at its pipes. */
const turn: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)));
});

/**
 * Reads the rest of the pipes. Silence ends it, so an escaped process that holds a pipe does not block it. A slow log
 * does not count as silence.
 */
export const drain = (pumps: Fiber.Fiber<void>, output: OutputWatch): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      const before = output.progress.chunks;
      const finished = yield* firstOf([
        Effect.as(Fiber.join(pumps), true),
        Effect.as(Effect.andThen(Effect.sleep(drainMs), turn), false),
      ]);
      if (finished || (output.progress.chunks === before && output.progress.writing === 0)) return;
    }
  });
