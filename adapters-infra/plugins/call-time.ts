import { personWaits } from "./person-waits.ts";

/** The time that a call may take. The limit of a run stands still while the run waits for people. */
export interface CallTime {
  readonly tookTooLong: string;
  readonly isOver: () => boolean;
  begin(): void;
  /** The call has its answer. */
  end(): void;
  /** A program gets what is left of the run's time. */
  shorten<S extends { readonly timeoutSec: number }>(spec: S): S;
  readonly programs: Spans & { readonly count: () => number };
  /** Questions that wait for people. */
  readonly questions: Spans;
}

interface Spans {
  begin(): void;
  end(): void;
}

export interface CallTimeContext {
  /** A run has its time limit, or, where none is configured, may last as long as it runs programs. */
  readonly isRun: boolean;
  readonly abort: () => void;
  /** Called when the run has had its time: its grace ends then, by `performance.now()`. */
  readonly onOver: (graceEndsAt: number) => void;
  /** Called where the grace is over, too. */
  readonly onExpired: (why: string) => void;
}

/** Allowed idle time of a run without a configured limit, whose programs have limits of their own. */
const defaultLimitSec = 3600;
const defaultGraceSec = 10;
/** Time to answer after the end of the last program. */
const answerMs = 2_000;

export const callTime = (
  config: Readonly<Record<string, unknown>>,
  { isRun, abort, onOver, onExpired }: CallTimeContext,
): CallTime => {
  const { limitMs, graceMs, tookTooLong } = limitsOf(config);
  const waits = personWaits();
  let startedAt = performance.now();
  let programs = 0;
  let isOver = false;
  let hasEnded = false;
  let timer: NodeJS.Timeout | undefined;

  const after = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  };
  const endsAt = (limit: number) => startedAt + limit + waits.totalMs();
  /** Asks the adapter to stop, and waits for its grace; for a program that used it up, long enough to report that. */
  const askToStop = (leastMs: number) => {
    if (programs > 0 || limitMs === null) return;
    abort();
    const leftMs = endsAt(limitMs) + graceMs - performance.now();
    after(Math.max(leftMs, leastMs), () => onExpired(tookTooLong));
  };
  const watch = () => {
    if (!isRun) return;
    if (waits.isOpen()) clearTimeout(timer);
    else if (limitMs !== null)
      after(Math.max(endsAt(limitMs) - performance.now(), 0), () => {
        isOver = true;
        onOver(endsAt(limitMs) + graceMs);
        askToStop(0);
      });
    else if (programs > 0) clearTimeout(timer);
    else
      after(defaultLimitSec * 1000, () =>
        onExpired(`The adapter neither ran a program nor ended for ${defaultLimitSec} seconds.`),
      );
  };
  return {
    tookTooLong,
    isOver: () => isOver,
    begin: () => {
      startedAt = performance.now();
      watch();
    },
    end: () => {
      hasEnded = true;
      clearTimeout(timer);
    },
    shorten: (spec) => {
      if (limitMs === null) return spec;
      const leftSec = Math.ceil(endsAt(limitMs) - performance.now()) / 1000;
      return { ...spec, timeoutSec: Math.min(spec.timeoutSec, Math.max(leftSec, 0.001)) };
    },
    programs: {
      count: () => programs,
      begin: () => {
        programs += 1;
        if (limitMs === null) watch();
      },
      end: () => {
        programs -= 1;
        if (isOver) askToStop(answerMs);
        else if (limitMs === null) watch();
      },
    },
    questions: {
      begin: () => {
        waits.begin();
        watch();
      },
      end: () => {
        waits.end();
        if (!hasEnded) watch();
      },
    },
  };
};

const limitsOf = ({ timeoutSec, graceSec }: Readonly<Record<string, unknown>>) => ({
  limitMs: isSeconds(timeoutSec) ? timeoutSec * 1000 : null,
  graceMs: (isSeconds(graceSec) ? graceSec : defaultGraceSec) * 1000,
  tookTooLong: `The run took longer than its time limit of ${timeoutSec} seconds (timeoutSec).`,
});

const isSeconds = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && Number.isFinite(value);
