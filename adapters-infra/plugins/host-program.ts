import { z } from "zod";
import { clause } from "../../core/model/shared/sentence.ts";
import type { ProgramSpec } from "../../ports/process-runner.ts";

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

/** The functions that a host may call back, by name. */
export type Functions = Map<string, (...args: never[]) => unknown>;

/** Connects a program with the readers and writers that its host has for it. */
export interface HostConnection {
  /** Sends a line of a program, or that its input is open. */
  readonly send: (message: { readonly spec: number; readonly line?: string }) => void;
  readonly keepPace: () => Promise<void> | undefined;
}

/** Reads the program that a host wants to run. */
export const readSpec = (given: unknown): HostSpec => {
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
export const connected = (
  { input, ...spec }: HostSpec,
  functions: Functions,
  around: HostConnection,
): ProgramSpec => {
  const program = withLines(spec, functions, around);
  return input === undefined
    ? program
    : {
        ...program,
        onInput: (open) => {
          functions.set(`write:${input}`, (value: unknown) => {
            if (typeof value === "string") open.write(value);
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
  { send, keepPace }: HostConnection,
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
