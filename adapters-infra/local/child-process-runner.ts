import { type ChildProcess, spawn } from "node:child_process";
import { chown, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import type { Readable } from "node:stream";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type { ProcessOutcome, ProcessSpec } from "../../ports/agent-adapter.ts";
import type { ProcessCustody, ProcessIdentity, ProcessRunner } from "../../ports/process-runner.ts";
import { endTree, isAlive } from "./end-process.ts";
import { hostIdentity, type ProcessTable, processTable, runIdVariable } from "./process-table.ts";
import { type RunGroups, runGroups } from "./run-groups.ts";

/** Options of the runner that starts programs on this machine. */
export interface ChildProcessRunnerOptions {
  /** Programs run under this uid (SERVICE_AGENT_UID). The service must be root. */
  readonly agentUid?: number;
  /** Default: the number of `agentUid`. */
  readonly agentGid?: number;
  /** Working directories below this one are the service's own and are handed to `agentUid` before the start. */
  readonly workspacesDir?: string;
  readonly table?: ProcessTable;
  /** Default: what this machine allows. */
  readonly groups?: RunGroups | null;
}

/** Characters of one line of output given to `onStdoutLine`. The rest of a longer line is dropped, there only. */
export const maxLineLength = 4 * 1024 * 1024;

/** How long a program that has said its result may take to leave. */
export const leaveAfterResultMs = 5_000;

/** How long the output may be silent after the last process has gone before it counts as read to its end. */
const drainMs = 500;

/** How long the exit status of a dead program may take to be told to us. */
const exitStatusMs = 2_000;

const stderrTailBytes = 4 * 1024;

export const childProcessRunner = (options: ChildProcessRunnerOptions = {}): ProcessRunner => {
  const table = options.table ?? processTable();
  const groups = options.groups === undefined ? runGroups() : options.groups;
  return {
    containment: groups === null ? "process_table" : "cgroup",
    here: {
      host: hostIdentity(),
      service: identityOf(table.identify(process.pid) ?? { pid: process.pid, startedAt: "unknown" }),
    },
    run: (spec, custody) => run({ table, groups, options }, spec, custody),
    endLeftovers: (runId, identity, graceSec) =>
      Effect.asVoid(endTree(table, { runId, root: identity, attended: false, groups }, graceSec)),
    isAlive: (identity) => Effect.sync(() => isAlive(table, identity)),
    runIdsAlive: () =>
      Effect.map(
        Effect.promise(() => table.list()),
        (processes) =>
          new Set([
            ...processes.flatMap(({ runId }) => (runId === null ? [] : [runId])),
            ...(groups?.inhabited() ?? []),
          ]),
      ),
  };
};

const identityOf = ({ pid, startedAt }: ProcessIdentity): ProcessIdentity => ({ pid, startedAt });

/** Why we stopped attending to the program. */
type Ending = "exited" | "timed out" | "fell silent" | "stopped" | "lingered after its result";

interface Tools {
  readonly table: ProcessTable;
  readonly groups: RunGroups | null;
  readonly options: ChildProcessRunnerOptions;
}

const run = (
  { table, groups, options }: Tools,
  spec: ProcessSpec,
  custody: ProcessCustody,
): Effect.Effect<ProcessOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      if (custody.stop.aborted) return { ...nothingHappened, stopped: true };
      const cwd = resolve(custody.cwd, spec.cwd ?? ".");
      const refusal = yield* Effect.promise(() => prepare(spec, cwd, options));
      if (refusal !== null) return { ...nothingHappened, startError: refusal };

      const started = start(table, spec, custody, cwd, options);
      if ("startError" in started) {
        const startError = yield* Effect.promise(() => started.startError);
        return { ...nothingHappened, startError };
      }
      const { child, identity, exited } = started;
      groups?.join(custody.runId, identity.pid);

      const output = watchOutput(spec);
      const attending = Effect.gen(function* () {
        yield* custody.onStarted(identity);
        if (child.stdin) feed(child.stdin, spec.stdin ?? "");
        yield* Effect.all(
          [pump(child.stdout, "stdout", custody, output), pump(child.stderr, "stderr", custody, output)],
          { concurrency: "unbounded", discard: true },
        );
      });
      const pumps = yield* Effect.forkChild(attending, { startImmediately: true, uninterruptible: false });

      const ending = yield* Effect.exit(
        restore(
          firstOf([
            Effect.as(
              Effect.promise(() => exited),
              "exited" as Ending,
            ),
            Effect.as(aborted(custody.stop), "stopped" as Ending),
            Effect.flatMap(Effect.sleep(Math.min(spec.timeoutSec * 1000, maxTimerMs)), () =>
              output.hasResult() ? Effect.never : Effect.succeed("timed out" as Ending),
            ),
            Effect.as(silence(spec, output), "fell silent" as Ending),
            Effect.as(
              Effect.andThen(Deferred.await(output.result), Effect.sleep(leaveAfterResultMs)),
              "lingered after its result" as Ending,
            ),
            // Only its defects matter here: output can be over long before the program is.
            Effect.andThen(Fiber.join(pumps), Effect.never),
          ]),
        ),
      );

      yield* endTree(table, { runId: custody.runId, root: identity, attended: true, groups }, spec.graceSec);
      const { code, signal } = yield* firstOf([
        Effect.promise(() => exited),
        // Only a program that we may not signal (set-uid) lives on.
        Effect.as(Effect.sleep(exitStatusMs), { code: null, signal: null }),
      ]);
      const drained = yield* Effect.exit(
        ending._tag === "Success" ? restore(drain(pumps, output)) : Effect.void,
      );
      yield* Fiber.interrupt(pumps);
      child.stdout?.destroy();
      child.stderr?.destroy();
      // A log that could not be written, or an interruption: said now that nothing of the program is left.
      const why = yield* ending;
      yield* drained;

      return {
        exitCode: code,
        signal,
        timedOut: why === "timed out",
        stopped: why === "stopped",
        endedAfterResult: why === "lingered after its result",
        ...(why === "fell silent" ? { silent: true as const } : {}),
        stderrTail: output.stderrTail(),
      };
    }),
  );

/** The losers can be told to stop even where the caller itself cannot. */
const firstOf = <A>(effects: readonly Effect.Effect<A>[]): Effect.Effect<A> =>
  Effect.raceAllFirst(effects.map((effect) => Effect.interruptible(effect)));

const nothingHappened: ProcessOutcome = {
  exitCode: null,
  signal: null,
  timedOut: false,
  stopped: false,
  endedAfterResult: false,
  stderrTail: "",
};

/** setTimeout counts in 32 bits. */
const maxTimerMs = 2 ** 31 - 1;

/** A sentence when the program cannot be started, with what to do. */
const prepare = async (
  spec: ProcessSpec,
  cwd: string,
  options: ChildProcessRunnerOptions,
): Promise<string | null> => {
  for (const name of ["timeoutSec", "graceSec", "silenceSec"] as const) {
    const value = name === "silenceSec" ? (spec.silenceSec ?? 1) : spec[name];
    if (!(value > 0) || !Number.isFinite(value)) return `${name} must be a positive number of seconds.`;
  }
  if (options.agentUid !== undefined && process.getuid?.() !== 0) {
    return "SERVICE_AGENT_UID is set, but the service does not run as root. Start it as root, or unset the variable.";
  }
  const found = await stat(cwd).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    return found.code === "EACCES"
      ? `The working directory ${cwd} may not be entered. Give the service's user access to it.`
      : `The working directory ${cwd} does not exist. Create it, or configure another cwd.`;
  }
  if (!found.isDirectory()) return `The working directory ${cwd} is not a directory. Configure another cwd.`;
  const { agentUid, agentGid = agentUid, workspacesDir } = options;
  if (agentUid === undefined || agentGid === undefined) return null;
  if (workspacesDir !== undefined && found.uid !== agentUid && isBelow(workspacesDir, cwd)) {
    await chown(cwd, agentUid, agentGid);
  }
  // The system itself would not refuse: it enters the directory before it gives up root.
  const closed = await firstClosed(cwd, agentUid, agentGid);
  return closed === null
    ? null
    : `The directory ${closed} may not be entered by uid ${agentUid} (SERVICE_AGENT_UID), so that its programs cannot work in ${cwd}. Give that user access, or configure another cwd.`;
};

/** The first directory on the way to `path` that this user may not enter; null when the way is open. */
const firstClosed = async (path: string, uid: number, gid: number): Promise<string | null> => {
  const above = dirname(path);
  const closed = above === path ? null : await firstClosed(above, uid, gid);
  if (closed !== null) return closed;
  const found = await stat(path);
  const enter = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
  return uid === 0 || (found.mode & enter) !== 0 ? null : path;
};

const isBelow = (parent: string, path: string): boolean => {
  const steps = relative(resolve(parent), path);
  return steps !== "" && !steps.startsWith("..") && !isAbsolute(steps);
};

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

type Start =
  | { readonly child: ChildProcess; readonly identity: ProcessIdentity; readonly exited: Promise<Exit> }
  | { readonly startError: Promise<string> };

const start = (
  table: ProcessTable,
  spec: ProcessSpec,
  custody: ProcessCustody,
  cwd: string,
  options: ChildProcessRunnerOptions,
): Start => {
  const sentence = (error: NodeJS.ErrnoException) => startSentence(error, spec.command, cwd, options);
  let child: ChildProcess;
  try {
    child = spawn(spec.command, spec.args, {
      cwd,
      env: environment(spec, custody),
      // Its own session, so that signals to its group reach neither us nor other runs.
      detached: true,
      shell: false,
      stdio: [spec.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      ...(options.agentUid === undefined
        ? {}
        : { uid: options.agentUid, gid: options.agentGid ?? options.agentUid }),
    });
  } catch (error) {
    return { startError: Promise.resolve(sentence(error as NodeJS.ErrnoException)) };
  }
  const failed = new Promise<string>((resolve) => child.on("error", (error) => resolve(sentence(error))));
  // At exit Node sets streams flowing that nobody listens to, and what is still in them is lost. Somebody listens.
  for (const stream of [child.stdout, child.stderr]) stream?.on("readable", () => {});
  if (child.pid === undefined) return { startError: failed };
  // The kernel keeps the entry until Node has fetched the exit status, which it cannot before this turn is over.
  const identity = table.identify(child.pid) ?? { pid: child.pid, startedAt: "unknown" };
  const exited = new Promise<Exit>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  return { child, identity: identityOf(identity), exited };
};

const startSentence = (
  error: NodeJS.ErrnoException,
  command: string,
  cwd: string,
  options: ChildProcessRunnerOptions,
): string => {
  switch (error.code) {
    case "ENOENT":
      return `The command "${command}" was not found. Install it, put it on PATH, or configure its absolute path.`;
    case "EACCES":
      return options.agentUid === undefined
        ? `The command "${command}" may not be executed. Make it executable (chmod +x) or configure another command.`
        : `The command "${command}" may not be executed, or ${cwd} may not be entered, by uid ${options.agentUid} (SERVICE_AGENT_UID). Give that user access to both.`;
    case "EPERM":
      return `The service may not start programs as uid ${options.agentUid ?? process.getuid?.()}. Check SERVICE_AGENT_UID.`;
    case "E2BIG":
      return `The arguments and environment of "${command}" are larger than the system allows. Shorten the configured args and env.`;
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return `The system has no room for another process now (${error.code}). Raise its limits or lower the number of concurrent runs.`;
    case "ERR_INVALID_ARG_VALUE":
      return `The command "${command.replaceAll("\0", "")}" cannot be started: its arguments or environment hold a NUL character, or the command is empty.`;
    default:
      return `The command "${command}" could not be started (${error.code ?? error.message}).`;
  }
};

/** The run's environment with the adapter's additions. What the service has set there, an adapter cannot change. */
const environment = (spec: ProcessSpec, custody: ProcessCustody): Record<string, string> => {
  const isOurs = (name: string) =>
    name === runIdVariable || ((name.startsWith("SERVICE_") || name === "AGENT_HOME") && name in custody.env);
  const env: Record<string, string> = { ...custody.env };
  for (const name of spec.unsetEnv ?? []) if (!isOurs(name)) delete env[name];
  for (const [name, value] of Object.entries(spec.env ?? {})) if (!isOurs(name)) env[name] = value;
  env[runIdVariable] = custody.runId;
  return env;
};

const feed = (stdin: NonNullable<ChildProcess["stdin"]>, text: string): void => {
  // A program may close its input unread: its right, and no failure of ours.
  stdin.on("error", () => {});
  stdin.end(text);
};

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void);
    if (signal.aborted) return done();
    signal.addEventListener("abort", done, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", done));
  });

/** Waits until nothing has been said for too long. While the log holds the output back, silence is ours. */
const silence = ({ silenceSec }: ProcessSpec, output: OutputWatch): Effect.Effect<void> =>
  silenceSec === undefined
    ? Effect.never
    : Effect.gen(function* () {
        for (;;) {
          const { saidAt, writing } = output.progress;
          const leftMs = saidAt + silenceSec * 1000 - performance.now();
          if (output.hasResult()) return yield* Effect.never;
          if (leftMs <= 0 && writing === 0) return;
          yield* Effect.sleep(Math.min(Math.max(leftMs, drainMs), maxTimerMs));
        }
      });

interface OutputWatch {
  readonly result: Deferred.Deferred<void>;
  hasResult(): boolean;
  stdout(chunk: Uint8Array | null): void;
  stderr(chunk: Uint8Array | null): void;
  stderrTail(): string;
  /** Chunks read so far, and how many of them the log is just taking in. */
  readonly progress: { chunks: number; writing: number; saidAt: number };
}

/** What the runner itself takes from the output: lines for the adapter, the tail of the errors. */
const watchOutput = (spec: ProcessSpec): OutputWatch => {
  const result = Deferred.makeUnsafe<void>();
  const progress = { chunks: 0, writing: 0, saidAt: performance.now() };
  let tail: Uint8Array = new Uint8Array(0);
  const lines = lineSplitter((line) => {
    if (spec.onStdoutLine?.(line) === true) Deferred.doneUnsafe(result, Effect.void);
  });
  return {
    result,
    progress,
    hasResult: () => Deferred.isDoneUnsafe(result),
    stdout: (chunk) => {
      progress.chunks += 1;
      if (spec.onStdoutLine === undefined) return;
      if (chunk === null) lines.end();
      else lines.write(chunk);
    },
    stderr: (chunk) => {
      progress.chunks += 1;
      if (chunk === null) return;
      const joined = Buffer.concat([tail, chunk.subarray(Math.max(0, chunk.length - stderrTailBytes))]);
      tail = joined.subarray(Math.max(0, joined.length - stderrTailBytes));
    },
    stderrTail: () => {
      // A cut in the middle of a character leaves continuation bytes in front.
      let from = 0;
      while (from < 4 && from < tail.length && ((tail[from] ?? 0) & 0xc0) === 0x80) from += 1;
      return new TextDecoder().decode(tail.subarray(from)).trimEnd();
    },
  };
};

/**
 * Cuts a stream of bytes into lines. Characters split over chunks are put together, bytes that are no UTF-8 become
 * U+FFFD, a line beyond `maxLineLength` loses its rest, and a last line needs no newline.
 */
export const lineSplitter = (onLine: (line: string) => void) => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let pieces: string[] = [];
  let length = 0;

  const add = (piece: string) => {
    const room = maxLineLength - length;
    if (room <= 0 || piece === "") return;
    pieces.push(piece.length > room ? piece.slice(0, room) : piece);
    length += Math.min(piece.length, room);
  };
  const finish = () => {
    const line = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    pieces = [];
    length = 0;
    onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  const take = (text: string) => {
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      add(text.slice(from, at));
      finish();
      from = at + 1;
    }
    add(text.slice(from));
  };
  return {
    write: (chunk: Uint8Array) => take(decoder.decode(chunk, { stream: true })),
    end: () => {
      take(decoder.decode());
      if (length > 0) finish();
    },
  };
};

/** Reads one stream to its end, no faster than the log takes it: the pipe fills, and the program waits. */
const pump = (
  readable: Readable | null,
  stream: "stdout" | "stderr",
  custody: ProcessCustody,
  output: OutputWatch,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (readable === null) return;
    for (;;) {
      const chunk = yield* nextChunk(readable);
      output[stream](chunk);
      if (chunk === null) return;
      output.progress.writing += 1;
      yield* custody.onOutput(stream, chunk);
      output.progress.writing -= 1;
      output.progress.saidAt = performance.now();
    }
  });

/** null at the end. */
const nextChunk = (readable: Readable): Effect.Effect<Uint8Array | null> =>
  Effect.callback((resume) => {
    const events = ["readable", "end", "close", "error"] as const;
    const leave = () => {
      for (const event of events) readable.off(event, look);
    };
    const look = () => {
      const chunk: Buffer | null = readable.read();
      if (chunk === null && !readable.readableEnded && !readable.destroyed) return;
      leave();
      resume(Effect.succeed(chunk));
    };
    for (const event of events) readable.on(event, look);
    look();
    return Effect.sync(leave);
  });

/**
 * Reads what is left in the pipes. Whoever escaped and still holds one is not waited for: silence ends it. A log that
 * is slow is waited for.
 */
const drain = (pumps: Fiber.Fiber<void>, output: OutputWatch): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (;;) {
      const before = output.progress.chunks;
      const finished = yield* firstOf([
        Effect.as(Fiber.join(pumps), true),
        Effect.as(Effect.sleep(drainMs), false),
      ]);
      if (finished || (output.progress.chunks === before && output.progress.writing === 0)) return;
    }
  });
