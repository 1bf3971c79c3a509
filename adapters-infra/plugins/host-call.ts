import { z } from "zod";
import type { ProcessOutcome } from "../../ports/agent-adapter.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";

/** One call of a method in a host, with the functions of its context that the host may call back. */
export interface HostCall {
  /** The context as it crosses the process boundary: values as JSON, functions by name. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly functions: readonly string[];
  readonly settled: Promise<void>;
  begin(): void;
  callBack(name: string, args: readonly unknown[]): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: Error): void;
  /** Returns a sentence once the call has been idle, without a program, for too long; null before. */
  overdue(now: number): string | null;
  /** Fails the call for the host. */
  giveUp(why: string): void;
}

export interface CallSurroundings {
  /** A run may last as long as it runs programs or stays active. */
  readonly isRun: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly send: (message: { readonly spec: number; readonly line: string }) => void;
  readonly abort: () => void;
  readonly keepPace: () => Promise<void> | undefined;
}

/** Programs of one call at the same time. */
const maxPrograms = 16;
/** Allowed idle time beyond the agent's timeoutSec. */
const idleMarginMs = 120_000;
const usualTimeoutSec = 3600;

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
});

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
  const names = [...functions.keys()];
  let programs = 0;
  let idleSince = performance.now();
  let tellSettled = () => {};
  const settled = new Promise<void>((resolve) => {
    tellSettled = resolve;
  });
  const idleMs = timeoutSecOf(values.config) * 1000 + idleMarginMs;

  const over = () => {
    signal?.removeEventListener("abort", around.abort);
    tellSettled();
  };
  const program = async (given: unknown): Promise<unknown> => {
    const run = functions.get("runProcess") as ((spec: ProgramSpec) => Promise<ProcessOutcome>) | undefined;
    if (run === undefined) throw new Error("There is no runProcess now.");
    const spec = readSpec(given);
    if (programs >= maxPrograms) throw new Error(`It runs ${maxPrograms} programs already.`);
    programs += 1;
    try {
      return await run(withLines(spec, functions, around));
    } finally {
      programs -= 1;
      idleSince = performance.now();
    }
  };
  return {
    values,
    functions: names,
    settled,
    begin: () => {
      if (signal?.aborted) around.abort();
      else signal?.addEventListener("abort", around.abort, { once: true });
    },
    callBack: async (name, args) => {
      if (name === "runProcess") return program(args[0]);
      const wanted = functions.get(name);
      if (wanted === undefined) throw new Error(`There is no ${name.slice(0, 50)} now.`);
      return wanted(...(args as never[]));
    },
    resolve: (value) => {
      over();
      around.resolve(value);
    },
    reject: (error) => {
      over();
      around.reject(error);
    },
    overdue: (now) => {
      if (!around.isRun || programs > 0) return null;
      return now - idleSince > idleMs
        ? `The adapter neither ran a program nor ended for ${Math.round(idleMs / 1000)} seconds.`
        : null;
    },
    giveUp: (why) => {
      over();
      around.resolve({ exitCode: null, timedOut: true, errorCode: "timeout", errorMessage: why });
    },
  };
};

const readSpec = (given: unknown): Omit<ProgramSpec, "onStdoutLine"> & { readonly lines?: number } => {
  const read = Spec.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`runProcess: ${issue?.path.join(".")} ${issue?.message}.`);
  }
  const { timeoutSec, graceSec, silenceSec, lines, ...rest } = read.data;
  const { cwd, env, unsetEnv, stdin, ...needed } = rest;
  return {
    ...needed,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(unsetEnv === undefined ? {} : { unsetEnv }),
    ...(stdin === undefined ? {} : { stdin }),
    ...(silenceSec == null ? {} : { silenceSec }),
    ...(lines === undefined ? {} : { lines }),
    timeoutSec: timeoutSec ?? 0,
    graceSec: graceSec ?? 0,
  };
};

/** Forwards lines as they come; a promise resolves when one of them was the result. */
const withLines = (
  { lines, ...spec }: Omit<ProgramSpec, "onStdoutLine"> & { readonly lines?: number },
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

const timeoutSecOf = (config: unknown): number => {
  const given = (config as { readonly timeoutSec?: unknown } | null | undefined)?.timeoutSec;
  return typeof given === "number" && given > 0 && Number.isFinite(given) ? given : usualTimeoutSec;
};
