import type * as Effect from "effect/Effect";
import type { RunProcess } from "../core/model/runs/run.ts";
import type { LogStream, ProcessOutcome, ProcessSpec } from "./agent-adapter.ts";
import type { Workspace } from "./workspaces.ts";

export type ProcessIdentity = RunProcess;

/** A process of the service's machine, by pid and start time in the kernel's own format. */
export interface LocalProcess {
  readonly pid: number;
  readonly startedAt: string;
}

/** A program and the reader of its lines, which may be in another process. */
export interface ProgramSpec extends ProcessSpec {
  /** Resolves when a slow reader has caught up; output waits for it. */
  keepPace?(): Promise<void> | undefined;
  /**
   * For a program that exchanges messages with the service: descriptor 3 is the pipe, passed on once the program is
   * stored; descriptor 4 ends when the service has died.
   */
  onPipe?(pipe: ProgramPipe): void;
}

/** The service's end of a pipe to a program. It never fails: drops what it cannot send, and reports the end. */
export interface ProgramPipe {
  /** Sets the only listener of each kind. */
  listen(onChunk: (chunk: Uint8Array) => void, onEnd: () => void): void;
  send(text: string): void;
  /** Bytes that the program has not read yet. */
  backlog(): number;
  /** Resolves when the program has read everything, or the pipe has ended. */
  drained(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Whether the program has ended; its outcome comes when its descendants have, too. */
  hasEnded(): boolean;
  /** Kills the program at once when it breaks the protocol; its descendants end as usual. */
  kill(): void;
  /** Returns the memory of the program and its descendants; 0 where the system does not tell. */
  residentBytes(): number;
  /** Makes the kernel end the program first when memory runs out. */
  preferAsOomVictim(): void;
}

/** The environment that all programs of one run share. */
export interface ProcessSupervision {
  readonly runId: string;
  readonly workspace: Workspace;
  /** The whole environment; SERVICE_RUN_ID in it identifies descendants. */
  readonly env: Readonly<Record<string, string>>;
  /** Fires when the run must stop: the tree receives SIGTERM, then SIGKILL. */
  readonly stop: AbortSignal;
  /** The waits of the run for people; absent: it has none. */
  readonly waits?: PersonWaits;
  /** Called before the program gets its input; stores its identity. */
  readonly onStarted: (identity: ProcessIdentity) => Effect.Effect<void>;
  /** Called by a runner whose engine places programs; stores it. */
  readonly onPlacement?: (placement: RunPlacement) => Effect.Effect<void>;
  /** Waits for a slow log, which slows the program's output. The bytes are valid until it has ended. */
  readonly onOutput: (stream: LogStream, chunk: Uint8Array) => Effect.Effect<void>;
  /**
   * For a program that another service of the host may continue to supervise when this one is gone: returns what that one
   * needs, as JSON. Absent: the program ends with its service.
   */
  readonly handoverState?: () => string;
}

/** The time in which a run waits for people: limits of time and of silence stand still. Milliseconds of `performance.now`. */
export interface PersonWaits {
  isOpen(): boolean;
  /** How long it has waited so far. */
  totalMs(): number;
  /** When the last wait ended; now while one is open; 0 before the first. */
  lastAt(): number;
  /** Calls at each begin and end of a time of waiting, until the returned function is called. */
  watch(onChange: () => void): () => void;
}

/** Where the engine has put the program of a run. */
export interface RunPlacement {
  /** The machine; null before the engine has chosen one. */
  readonly node: string | null;
  /** A sentence: why the program does not run yet; null once it does. */
  readonly waitsFor: string | null;
}

/** The outcome of a program that never ran. */
export const nothingHappened: ProcessOutcome = {
  exitCode: null,
  signal: null,
  timedOut: false,
  stopped: false,
  endedAfterResult: false,
  stderrTail: "",
};

/** The mechanism that keeps the memory and the processes of a run within their limits. */
export interface LimitKeeper {
  /** The kernel, in a control group of the run, or limits of each process and samples. */
  readonly by: "cgroup" | "rlimits";
  /** A sentence with a remedy: why it is not the kernel; null where it is. */
  readonly gap: string | null;
}

/** Sentences with a remedy: the names of a program that a sandbox hides. */
export interface HiddenNames {
  /** null: the command can be started. */
  readonly command: string | null;
  readonly args: readonly string[];
}

/** Runs programs and reliably ends them. */
export interface ProcessRunner {
  /**
   * Where its programs run: `host/<id>`, `k8s/<cluster>/<namespace>`, `docker/<engine>`. Every service with this scope
   * can find and end them.
   */
  readonly scope: string;
  /** Whether programs with `handoverState` outlive this service. */
  readonly mayOutlive: boolean;
  /**
   * Runs a program to its end. Resolves only when no process of its tree is left, including children that fork, call
   * setsid or ignore SIGTERM. While other programs of the run are live, its tree is its descendants; the tree of the
   * last one is all that remains of the run. Interruption also ends the tree. Dies where `onStarted` or `onOutput`
   * does, after it has ended the tree. Only processes that may not be signalled (set-uid programs) survive.
   */
  run(spec: ProgramSpec, supervision: ProcessSupervision): Effect.Effect<ProcessOutcome>;
  /**
   * Says what the runner's sandbox hides of the command and the arguments of a program; absent where a runner hides
   * nothing.
   */
  whatIsHidden?(
    program: Pick<ProgramSpec, "command" | "args" | "cwd">,
    supervision: Pick<ProcessSupervision, "workspace" | "env">,
  ): HiddenNames;
  /** Ends all remaining processes of a run: by identity where known, and by the run id in the environment. */
  endOrphans(runId: string, identity: ProcessIdentity | null, graceSec: number): Effect.Effect<void>;
  /** Returns the run ids in live processes of its scope. */
  runIdsAlive(): Effect.Effect<ReadonlySet<string>>;
}

/** A run whose programs have lost their service, and the process that supervises them or the file that tells of them. */
export interface OrphanedRun {
  readonly runId: string;
  readonly address: string;
}

/** The things that a run was started with (`ProcessSupervision.handoverState`), and how many programs it has started. */
export interface Adopted {
  readonly handoverState: string;
  readonly programs: number;
}

/**
 * Programs that outlive their service for a time, and the runs that others have left so. Taking a run over and running
 * its programs again attends to those that live, in their order, with all that they have said from the first byte on.
 */
export interface Handover {
  /** How long programs live without a service. */
  readonly sec: number;
  /** The folders in which services of this host find the programs of this one. */
  folders(): readonly string[];
  /** The runs that have lost their service; none where nothing is held in that folder any more. */
  orphansIn(folder: string): Effect.Effect<readonly OrphanedRun[]>;
  /** null: it cannot be taken over any more. */
  takeOver(run: OrphanedRun): Effect.Effect<Adopted | null>;
  /** Ends what is left of a run that has ended. */
  endOrphanSteps(run: OrphanedRun): void;
  /** Whether all programs of the run outlive this service. */
  supervises(runId: string): boolean;
  /** Keeps no more of the run: it has ended, and its programs have. */
  release(runId: string): void;
  /** Leaves the programs of all runs that it supervises; nothing more is heard of them here. */
  leave(): void;
  /** Whether it has left any. */
  hasDetached(): boolean;
}

/** The runner on the service's own machine, and the liveness of the services there. */
export interface LocalProcessRunner extends ProcessRunner {
  /** This machine: another boot or another container is another host. */
  readonly host: string;
  /** The service's own process. */
  readonly service: LocalProcess;
  /** How descendants of a run are found: by a control group as well, or by the process table alone. */
  readonly containment: "cgroup" | "process_table";
  readonly limits: LimitKeeper;
  /** Of programs on this machine; null: they end with their service. */
  readonly handover: Handover | null;
  /** Whether exactly that process of this machine lives. A zombie does not. */
  isAlive(process: LocalProcess): Effect.Effect<boolean>;
}
