import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import type { LocalProcess, ProcessSupervision, ProgramSpec } from "../../ports/process-runner.ts";
import type { Detach, ProgramView, Sandbox } from "../../ports/sandbox.ts";
import { findCommand, isExecutable } from "./find-command.ts";
import { hiddenCommand } from "./hidden-names.ts";
import type { ProcessTable } from "./process-table.ts";
import { outputOf, type ProgramOutput } from "./program-output.ts";
import { type ProgramStreams, programEnd, programStreams, type StreamPaths } from "./program-streams.ts";
import type { ProgramSupervisor } from "./program-supervisor.ts";
import type { RunGroups } from "./run-groups.ts";
import { type Spawner, SpawnerLost, type SpawnOrder } from "./spawner.ts";
import type { SupervisedProgram } from "./supervisor-connection.ts";

/** Returns a sentence with a remedy when the program cannot be started. */
export const prepare = async (
  spec: ProgramSpec,
  cwd: string,
  user: AgentUser | null,
  /** The program gets its own view of the file system, in which parent folders are accessible. */
  enclosed = false,
): Promise<string | null> => {
  const unusable = unusableSpec(spec);
  if (unusable !== null) return unusable;
  const found = await stat(cwd).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    return found.code === "EACCES"
      ? `The working directory ${cwd} may not be entered. Give the service's user access to it.`
      : `The working directory ${cwd} does not exist. Create it, or configure another cwd.`;
  }
  if (!found.isDirectory()) return `The working directory ${cwd} is not a directory. Configure another cwd.`;
  if (user === null) return null;
  // The system itself would not refuse: it enters the directory before it drops root.
  const closed = enclosed ? ((await isClosed(cwd, user)) ? cwd : null) : await firstClosed(cwd, user);
  return closed === null
    ? null
    : `The directory ${closed} may not be entered by uid ${user.uid} (SERVICE_AGENT_UID), so that its programs cannot work in ${cwd}. Give that user access, or configure another cwd.`;
};

/** Returns a sentence about a time limit that is no positive number, or two inputs; null if it is usable. */
export const unusableSpec = (spec: ProgramSpec): string | null => {
  for (const name of ["timeoutSec", "graceSec", "silenceSec"] as const) {
    const value = name === "silenceSec" ? (spec.silenceSec ?? 1) : spec[name];
    if (!(value > 0) || !Number.isFinite(value)) return `${name} must be a positive number of seconds.`;
  }
  if (spec.stdin !== undefined && spec.onInput !== undefined)
    return "A program has either stdin, a whole text, or onInput, an open input. Leave one of them out.";
  return null;
};

/** Finds the first directory on `path` that this user may not enter; null if all are open. `from` and those above count as open. */
export const firstClosed = async (
  path: string,
  { uid, gid }: AgentUser,
  from = "",
): Promise<string | null> => {
  if (path === from) return null;
  const above = dirname(path);
  const closed = above === path ? null : await firstClosed(above, { uid, gid }, from);
  if (closed !== null) return closed;
  return (await isClosed(path, { uid, gid })) ? path : null;
};

const isClosed = async (path: string, { uid, gid }: AgentUser): Promise<boolean> => {
  const found = await stat(path);
  const enter = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
  return uid !== 0 && (found.mode & enter) === 0;
};

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A program that has been started. */
export interface Started {
  readonly program: LocalProcess;
  readonly bornAt: number | null;
  readonly stdin: Writable | null;
  readonly stdout: ProgramOutput | null;
  readonly stderr: ProgramOutput | null;
  /** null: how it ended cannot be known any more. */
  readonly exited: Promise<Exit | null>;
  /** A child of this process, which alone has the pipe of `onPipe`. */
  readonly child: ChildProcess | null;
  /** Of a program whose supervisor outlives this process. */
  readonly supervised?: Pick<SupervisedProgram, "ranMs" | "exit" | "ended" | "feed">;
}

export interface Starter {
  readonly table: ProcessTable;
  readonly groups: RunGroups | null;
  readonly sandbox: Sandbox | null;
  /** For programs without a sandbox; null: they inherit what the service has. */
  readonly detach: Detach | null;
  readonly spawner: Spawner | null;
  /** null: programs end with their service. */
  readonly supervisor: ProgramSupervisor | null;
}

/** Where a program starts, and what it sees. */
export interface ProcessContext {
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** null: all that its user may. */
  readonly view: ProgramView | null;
}

/** Rejects with SpawnerLost. */
export const start = async (
  { table, groups, sandbox, detach, spawner, supervisor }: Starter,
  spec: ProgramSpec,
  supervision: ProcessSupervision,
  around: ProcessContext,
): Promise<Started | { readonly startError: string }> => {
  const refused = (error: StartFailure) => ({
    startError: startSentence(error, spec.command, around.cwd, supervision.workspace.user),
  });
  const hasPipe = spec.onPipe !== undefined;
  const isLimited = groups?.areLimited === true;
  const program = launchOf({ sandbox, detach }, spec, supervision.workspace.user, around);
  if (!("command" in program)) return refused(program);
  let launch: Launch = program;
  if (isLimited) {
    try {
      launch = entering(program, await groups.prepare(supervision.runId), hasPipe ? 5 : 3);
    } catch (error) {
      return { startError: `The control group of the run cannot be made (${(error as Error).message}).` };
    }
  }
  let streams: ProgramStreams | null;
  try {
    streams = await programStreams(supervision.workspace.user, hasInput(spec));
  } catch (error) {
    return refused(error as NodeJS.ErrnoException);
  }
  try {
    if (supervisor !== null && supervision.handoverState !== undefined) {
      const supervised = await startSupervised(supervisor, spec, supervision, {
        launch,
        streams,
        wrapper: sandbox?.wrapper ?? null,
      });
      if (supervised !== null)
        return "failed" in supervised
          ? refused({ code: supervised.failed })
          : supervisedStart(table, supervised);
    }
    const spawned =
      hasPipe || streams === null
        ? null
        : await (spawner?.start({ ...launch, streams: streams.paths }) ?? null);
    if (spawned === null || streams === null) {
      const started = await startChild(table, spec, launch, streams);
      return "program" in started ? started : refused(started);
    }
    if ("failed" in spawned) return refused({ code: spawned.failed });
    const { startedAt = "unknown", bornAt = null } = table.parse(spawned.stat) ?? {};
    const { pid, exited } = spawned;
    return { program: { pid, startedAt }, bornAt, ...streams.connect(), exited, child: null };
  } finally {
    streams?.release();
  }
};

interface HoldStart {
  readonly launch: Launch;
  readonly streams: ProgramStreams | null;
  readonly wrapper: string | null;
}

/** null: nobody can hold it, because it talks with the service, or there is no supervisor. Rejects with SpawnerLost. */
const startSupervised = async (
  supervisor: ProgramSupervisor,
  spec: ProgramSpec,
  { runId, handoverState }: ProcessSupervision,
  { launch, streams, wrapper }: HoldStart,
) => {
  const { stdin = "", command: named, timeoutSec, graceSec, silenceSec = null } = spec;
  if (
    streams === null ||
    handoverState === undefined ||
    spec.onInput !== undefined ||
    spec.onPipe !== undefined
  ) {
    supervisor.markUnrecoverable(runId);
    return null;
  }
  const started = supervisor.start({
    runId,
    handoverState: handoverState(),
    wrapper,
    order: { ...launch, streams: streams.paths },
    stdin,
    named,
    limits: { timeoutSec, graceSec, silenceSec },
  });
  if (started === null) return null;
  const supervised = await started;
  if (supervised === null) throw new SpawnerLost();
  return supervised;
};

/** A program of a supervisor, started now or taken over. */
export const supervisedStart = (table: ProcessTable, supervised: SupervisedProgram): Started => {
  const { startedAt = "unknown", bornAt = null } = table.parse(supervised.stat) ?? {};
  const { pid, exited } = supervised;
  const [stdout, stderr] = [outputOf(supervised.stdout), outputOf(supervised.stderr)];
  return {
    program: { pid, startedAt },
    bornAt,
    stdin: null,
    stdout,
    stderr,
    exited,
    child: null,
    supervised,
  };
};

/** Starts it as a child of this process. */
const startChild = async (
  table: ProcessTable,
  spec: ProgramSpec,
  launch: Launch,
  streams: ProgramStreams | null,
): Promise<Started | StartFailure> => {
  let child: ChildProcess;
  const opened: number[] = [];
  const owned = (descriptor: number) => {
    opened.push(descriptor);
    return descriptor;
  };
  const { command, args, cwd, env, user } = closedToOthers(launch);
  try {
    child = spawn(command, args, {
      cwd,
      env,
      // A session of its own, so that signals to its group reach neither the service nor other runs.
      detached: true,
      shell: false,
      stdio: [
        ...(streams === null
          ? ([hasInput(spec) ? "pipe" : "ignore", "pipe", "pipe"] as const)
          : endsOf(streams.paths, (path, flags) => owned(programEnd(path, flags)))),
        ...(spec.onPipe === undefined ? [] : (["pipe", "pipe"] as const)),
        ...(launch.entrance === null ? [] : [owned(openSync(launch.entrance, "r+"))]),
      ],
      ...user,
    });
  } catch (error) {
    return error as NodeJS.ErrnoException;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
  const failed = new Promise<StartFailure>((resolve) => child.on("error", resolve));
  // At exit Node resumes streams without a listener and drops what they still hold. This adds a listener.
  for (const stream of [child.stdout, child.stderr]) stream?.on("readable", () => {});
  // The exit status tells how a program ended, not its pipes.
  for (const pipe of child.stdio.slice(3)) pipe?.on("error", () => {});
  if (child.pid === undefined) return failed;
  // The kernel keeps the entry until Node has read the exit status, which happens after this turn at the earliest.
  const { startedAt = "unknown", bornAt = null } = table.identify(child.pid) ?? {};
  const exited = new Promise<Exit>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  const { stdin, stdout, stderr } = streams?.connect() ?? {
    stdin: child.stdin,
    stdout: child.stdout && outputOf(child.stdout),
    stderr: child.stderr && outputOf(child.stderr),
  };
  return { program: { pid: child.pid, startedAt }, bornAt, stdin, stdout, stderr, exited, child };
};

const hasInput = ({ stdin, onInput }: ProgramSpec): boolean => stdin !== undefined || onInput !== undefined;

const endsOf = (
  { stdin, stdout, stderr }: StreamPaths,
  open: (path: string, flags: number) => number,
): readonly (number | "ignore")[] => [
  stdin === null ? "ignore" : open(stdin, constants.O_RDONLY),
  open(stdout, constants.O_WRONLY),
  open(stderr, constants.O_WRONLY),
];

const shell = "/bin/sh";

/**
 * Puts a shell before the program, because Node starts it with the service's mask: what programs make is for their user
 * alone. The shell's own variable goes. An image without a shell has one user.
 */
const closedToOthers = (launch: Launch): Launch =>
  !existsSync(shell)
    ? launch
    : {
        ...launch,
        command: shell,
        args: [
          "-c",
          `umask 077; ${"PWD" in launch.env ? "" : "unset PWD; "}exec "$@"`,
          "sh",
          launch.command,
          ...launch.args,
        ],
      };

type Launch = Omit<SpawnOrder, "streams">;

/**
 * Puts a shell before the program that enters the group and then becomes the program, so that nothing of it runs
 * outside. The service opened the file, so that a program of another user may enter, too.
 */
const entering = (launch: Launch, entrance: string, descriptor: number): Launch => ({
  ...launch,
  command: "/bin/sh",
  args: [
    "-c",
    `echo 0 >&${descriptor} || { echo "The program cannot enter the control group of its run." >&2; exit 125; }
exec ${descriptor}>&-
exec "$@"`,
    "sh",
    launch.command,
    ...launch.args,
  ],
  entrance,
});

/** An error of the system, reported or foreseen. */
interface StartFailure {
  readonly code?: string | undefined;
  readonly message?: string;
  /** A whole sentence: what the sandbox hides of the command. */
  readonly hidden?: string;
}

/** Builds the command line. A wrapper or a shell would report a missing command only by its exit code. */
const launchOf = (
  { sandbox, detach }: Pick<Starter, "sandbox" | "detach">,
  { command: named, args }: ProgramSpec,
  user: AgentUser | null,
  { cwd, env, view }: ProcessContext,
): Launch | StartFailure => {
  const command = findCommand(named, env.PATH, cwd, view?.locate);
  const hidden =
    sandbox === null || view === null ? null : hiddenCommand(view, { command: named, path: env.PATH, cwd });
  if (hidden !== null) return { hidden };
  if (command === null) return { code: "ENOENT" };
  if (!isExecutable(view?.locate(command) ?? command)) return { code: "EACCES" };
  if (sandbox === null || view === null) {
    const program = { command, args, env };
    return { ...(detach?.(program) ?? program), cwd, user: user ?? {}, entrance: null };
  }
  const enclosed = sandbox.enclose({ command, args, cwd, env, user, view });
  // The wrapper itself drops root.
  return { ...enclosed, cwd: "/", user: {}, entrance: null };
};

const startSentence = (error: StartFailure, command: string, cwd: string, user: AgentUser | null): string => {
  if (error.hidden !== undefined) return error.hidden;
  switch (error.code) {
    case "ENOENT":
      return `The command "${command}" was not found. Install it, put it on PATH, or configure its absolute path.`;
    case "EACCES":
      return user === null
        ? `The command "${command}" may not be executed. Make it executable (chmod +x) or configure another command.`
        : `The command "${command}" may not be executed, or ${cwd} may not be entered, by uid ${user.uid} (SERVICE_AGENT_UID). Give that user access to both.`;
    case "EPERM":
      return `The service may not start programs as uid ${user?.uid ?? process.getuid?.()}. Check SERVICE_AGENT_UID.`;
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
