import type { ProcessOutcome, PromptVariables, RunContext } from "../../ports/agent-adapter.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";
import { type CallTimeContext, callTime } from "./call-time.ts";
import { connected, type Functions, type HostConnection, readSpec } from "./host-program.ts";

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

export interface CallContext extends HostConnection, Omit<CallTimeContext, "onExpired"> {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Called after the call's answer, where the call took longer than it may: its host must end. */
  readonly onOverdue: () => void;
}

/** Programs of one call at the same time. */
const maxPrograms = 16;

export const hostCall = (context: object, around: CallContext): HostCall => {
  const { values, functions, signal } = partsOf(context);
  if (around.isRun) values.context = withKnownNames(values);
  const names = [...functions.keys()];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const time = callTime((values.config ?? {}) as Readonly<Record<string, unknown>>, {
    ...around,
    onExpired: (why) => {
      over();
      around.resolve(timedOut(why));
      around.onOverdue();
    },
  });
  const over = () => {
    time.end();
    signal?.removeEventListener("abort", around.abort);
    finish();
  };
  const required = (name: string) => {
    const wanted = functions.get(name);
    if (wanted === undefined) throw new Error(`There is no ${name.slice(0, 50)} now.`);
    return wanted as (...args: readonly unknown[]) => unknown;
  };
  const runProgram = async (given: unknown): Promise<unknown> => {
    const run = required("runProcess") as (spec: ProgramSpec) => Promise<ProcessOutcome>;
    const spec = readSpec(given);
    if (time.isOver()) throw new Error(time.tookTooLong);
    if (time.programs.count() >= maxPrograms) throw new Error(`It runs ${maxPrograms} programs already.`);
    time.programs.begin();
    try {
      return await run(connected(time.shorten(spec), functions, around));
    } finally {
      time.programs.end();
    }
  };
  const askPeople = async (args: readonly unknown[]): Promise<unknown> => {
    const ask = required("askPermission");
    if (time.isOver()) throw new Error(time.tookTooLong);
    time.questions.begin();
    try {
      return await ask(...args);
    } finally {
      time.questions.end();
    }
  };
  return {
    values,
    functions: names,
    finished,
    begin: () => {
      time.begin();
      if (signal?.aborted) around.abort();
      else signal?.addEventListener("abort", around.abort, { once: true });
    },
    callBack: async (name, args) => {
      if (name === "runProcess") return runProgram(args[0]);
      if (name === "askPermission") return askPeople(args);
      return required(name)(...args);
    },
    resolve: (value) => {
      over();
      const isTimedOut = (value as { readonly timedOut?: unknown } | null)?.timedOut === true;
      if (!time.isOver() || isTimedOut || signal?.aborted) around.resolve(value);
      else around.resolve({ ...(value as object | null), ...timedOut(time.tookTooLong) });
    },
    reject: (error) => {
      over();
      if (time.isOver() && signal?.aborted !== true) around.resolve(timedOut(time.tookTooLong));
      else around.reject(error);
    },
  };
};

/** Separates the values of a context, which cross the process boundary, from its functions. */
const partsOf = (context: object) => {
  const values: Record<string, unknown> = {};
  const functions: Functions = new Map();
  let signal: AbortSignal | null = null;
  for (const [key, value] of Object.entries(context)) {
    if (value instanceof AbortSignal) signal = value;
    else if (typeof value === "function") functions.set(key, value as (...args: never[]) => unknown);
    else values[key] = value;
  }
  return { values, functions, signal: signal as AbortSignal | null };
};

const timedOut = (why: string) => ({
  exitCode: null,
  timedOut: true,
  errorCode: "timeout",
  errorMessage: why,
});

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
