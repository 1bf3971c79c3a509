import { z } from "zod";
import { clause } from "../../core/model/shared/sentence.ts";
import type { ProcessOutcome, PromptVariables, RunContext } from "../../ports/agent-adapter.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";
import { personWaits } from "./person-waits.ts";

/** One call of a method in a host, with the functions of its context that the host may call back. */
export interface HostCall {
  /** The context as it crosses the process boundary: values as JSON, functions by name. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly functions: readonly string[];
  readonly finished: Promise<void>;
  begin(): void;
  callBack(name: string, args: readonly unknown[]): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface CallSurroundings {
  /** A run has its time limit, or, where none is configured, may last as long as it runs programs. */
  readonly isRun: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Sends a line of a program, or that its input is open. */
  readonly send: (message: { readonly spec: number; readonly line?: string }) => void;
  readonly abort: () => void;
  readonly keepPace: () => Promise<void> | undefined;
  /** Called when the run has had its time: its grace ends then, by `performance.now()`. */
  readonly onOver: (graceEndsAt: number) => void;
  /** Called after the call's answer, where the call took longer than it may: its host must end. */
  readonly onOverdue: () => void;
}

/** Programs of one call at the same time. */
const maxPrograms = 16;
/** Allowed idle time of a run without a configured limit, whose programs have limits of their own. */
const usualLimitSec = 3600;
const usualGraceSec = 10;
/** Time to answer after the end of the last program. */
const answerMs = 2_000;

const text = z.string().refine((value) => !value.includes("\0"), "must not hold NUL");
/** A name with "=" would be read as another name. */
const variables = z
  .record(z.string(), text)
  .refine(
    (env) => Object.keys(env).every((name) => /^[^=\0]+$/.test(name)),
    "must not have = or NUL in a name",
  );
const Spec = z.object({
  command: text.min(1),
  args: z.array(text),
  cwd: text.optional(),
  env: variables.optional(),
  unsetEnv: z.array(text).optional(),
  stdin: z.string().optional(),
  // The runner reports a number that is not above 0.
  timeoutSec: z.number().nullable(),
  graceSec: z.number().nullable(),
  silenceSec: z.number().nullish(),
  lines: z.number().int().optional(),
  input: z.number().int().optional(),
});

/** A program and the numbers by which the host knows the reader of its lines and its open input. */
type HostSpec = Omit<ProgramSpec, "onInput" | "onStdoutLine"> & {
  readonly lines?: number;
  readonly input?: number;
};

type Functions = Map<string, (...args: never[]) => unknown>;

export const hostCall = (context: object, around: CallSurroundings): HostCall => {
  const values: Record<string, unknown> = {};
  const functions: Functions = new Map();
  let signal: AbortSignal | null = null;
  for (const [key, value] of Object.entries(context)) {
    if (value instanceof AbortSignal) signal = value;
    else if (typeof value === "function") functions.set(key, value as (...args: never[]) => unknown);
    else values[key] = value;
  }
  if (around.isRun) values.context = withKnownNames(values);
  const names = [...functions.keys()];
  const { timeoutSec, graceSec } = (values.config ?? {}) as Readonly<Record<string, unknown>>;
  const limitMs = isSeconds(timeoutSec) ? timeoutSec * 1000 : null;
  const graceMs = (isSeconds(graceSec) ? graceSec : usualGraceSec) * 1000;
  let programs = 0;
  let startedAt = performance.now();
  let isOver = false;
  let isFinished = false;
  let timer: NodeJS.Timeout | undefined;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const over = () => {
    isFinished = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", around.abort);
    finish();
  };
  const timedOut = (why: string) => ({
    exitCode: null,
    timedOut: true,
    errorCode: "timeout",
    errorMessage: why,
  });
  const tookTooLong = `The run took longer than its time limit of ${timeoutSec} seconds (timeoutSec).`;
  const waits = personWaits();
  const after = (ms: number, act: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  };
  const endWith = (why: string) => {
    over();
    around.resolve(timedOut(why));
    around.onOverdue();
  };
  /** Asks the adapter to stop, and waits for its grace; for a program that used it up, long enough to report that. */
  const askToStop = (leastMs: number) => {
    if (programs > 0 || limitMs === null) return;
    around.abort();
    const leftMs = startedAt + limitMs + waits.totalMs() + graceMs - performance.now();
    after(Math.max(leftMs, leastMs), () => endWith(tookTooLong));
  };
  const watchTime = () => {
    if (!around.isRun) return;
    if (waits.isOpen()) clearTimeout(timer);
    else if (limitMs !== null)
      after(Math.max(startedAt + limitMs + waits.totalMs() - performance.now(), 0), () => {
        isOver = true;
        around.onOver(startedAt + limitMs + waits.totalMs() + graceMs);
        askToStop(0);
      });
    else if (programs > 0) clearTimeout(timer);
    else
      after(usualLimitSec * 1000, () =>
        endWith(`The adapter neither ran a program nor ended for ${usualLimitSec} seconds.`),
      );
  };
  /** A program has what is left of the run's time. */
  const shortened = <S extends { readonly timeoutSec: number }>(spec: S): S => {
    if (limitMs === null) return spec;
    const leftSec = Math.ceil(limitMs + waits.totalMs() - (performance.now() - startedAt)) / 1000;
    return { ...spec, timeoutSec: Math.min(spec.timeoutSec, Math.max(leftSec, 0.001)) };
  };
  const program = async (given: unknown): Promise<unknown> => {
    const run = functions.get("runProcess") as ((spec: ProgramSpec) => Promise<ProcessOutcome>) | undefined;
    if (run === undefined) throw new Error("There is no runProcess now.");
    const spec = readSpec(given);
    if (isOver) throw new Error(tookTooLong);
    if (programs >= maxPrograms) throw new Error(`It runs ${maxPrograms} programs already.`);
    programs += 1;
    if (limitMs === null) watchTime();
    try {
      return await run(connected(shortened(spec), functions, around));
    } finally {
      programs -= 1;
      if (isOver) askToStop(answerMs);
      else if (limitMs === null) watchTime();
    }
  };
  /** The run's time stands still while it waits for people. */
  const waiting = async (args: readonly unknown[]): Promise<unknown> => {
    const ask = functions.get("askPermission") as ((...args: readonly unknown[]) => unknown) | undefined;
    if (ask === undefined) throw new Error("There is no askPermission now.");
    if (isOver) throw new Error(tookTooLong);
    waits.begin();
    watchTime();
    try {
      return await ask(...args);
    } finally {
      waits.end();
      if (!isFinished) watchTime();
    }
  };
  return {
    values,
    functions: names,
    finished,
    begin: () => {
      startedAt = performance.now();
      watchTime();
      if (signal?.aborted) around.abort();
      else signal?.addEventListener("abort", around.abort, { once: true });
    },
    callBack: async (name, args) => {
      if (name === "runProcess") return program(args[0]);
      if (name === "askPermission") return waiting(args);
      const wanted = functions.get(name);
      if (wanted === undefined) throw new Error(`There is no ${name.slice(0, 50)} now.`);
      return wanted(...(args as never[]));
    },
    resolve: (value) => {
      over();
      const isTimedOut = (value as { readonly timedOut?: unknown } | null)?.timedOut === true;
      if (!isOver || isTimedOut || signal?.aborted) around.resolve(value);
      else around.resolve({ ...(value as object | null), ...timedOut(tookTooLong) });
    },
    reject: (error) => {
      over();
      if (isOver && signal?.aborted !== true) around.resolve(timedOut(tookTooLong));
      else around.reject(error);
    },
  };
};

/** The task of a run, also by the names that packages of another product read from its context. */
const withKnownNames = ({ context, prompt, houseRules, variables }: Readonly<Record<string, unknown>>) => {
  const { issueId, wakeCommentIds } = (context ?? {}) as Partial<RunContext>;
  const { taskTitle } = (variables ?? {}) as Partial<PromptVariables>;
  const known = {
    taskId: issueId,
    taskTitle,
    wakeCommentId: wakeCommentIds?.at(-1),
    paperclipTaskMarkdown: [houseRules, prompt].filter((part) => typeof part === "string").join("\n\n"),
  };
  const set = Object.entries(known).filter(([, value]) => typeof value === "string" && value !== "");
  return { ...(context as object | undefined), ...Object.fromEntries(set) };
};

const readSpec = (given: unknown): HostSpec => {
  const read = Spec.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`runProcess: ${issue?.path.join(".")} ${clause(issue?.message ?? "")}.`);
  }
  const { timeoutSec, graceSec, silenceSec, lines, input, ...rest } = read.data;
  const { cwd, env, unsetEnv, stdin, ...needed } = rest;
  return {
    ...needed,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(unsetEnv === undefined ? {} : { unsetEnv }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(silenceSec == null ? {} : { silenceSec }),
    ...(lines === undefined ? {} : { lines }),
    ...(input === undefined ? {} : { input }),
    timeoutSec: timeoutSec ?? 0,
    graceSec: graceSec ?? 0,
  };
};

/** Connects the program with its readers and writers in the host. */
const connected = (
  { input, ...spec }: HostSpec,
  functions: Functions,
  around: CallSurroundings,
): ProgramSpec => {
  const program = withLines(spec, functions, around);
  return input === undefined
    ? program
    : {
        ...program,
        onInput: (open) => {
          functions.set(`write:${input}`, (said: unknown) => {
            if (typeof said === "string") open.write(said);
          });
          functions.set(`end:${input}`, () => open.end());
          around.send({ spec: input });
        },
      };
};

/** Forwards lines as they come; a promise resolves when one of them was the result. */
const withLines = (
  { lines, ...spec }: Omit<HostSpec, "input">,
  functions: Functions,
  { send, keepPace }: CallSurroundings,
): ProgramSpec => {
  if (lines === undefined) return spec;
  let isAsked = false;
  const over = new Promise<boolean>((resolve) => {
    functions.set(`over:${lines}`, () => resolve(true));
  });
  return {
    ...spec,
    keepPace,
    onStdoutLine: (line) => {
      send({ spec: lines, line });
      // One request is enough: the promise is the same for every line.
      if (isAsked) return undefined;
      isAsked = true;
      return over;
    },
  };
};

const isSeconds = (value: unknown): value is number =>
  typeof value === "number" && value > 0 && Number.isFinite(value);
