import type * as Effect from "effect/Effect";
import type { AgentUser, LogStream, ProcessOutcome, ProcessSpec } from "./agent-adapter.ts";

/** What identifies a process for good: a pid alone is given to another process sooner or later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When the kernel says it began, in the kernel's own words; compared for equality only. */
  readonly startedAt: string;
}

/** A program and who looks at its lines: elsewhere maybe, so that the word on them comes later. */
export interface ProgramSpec extends Omit<ProcessSpec, "onStdoutLine"> {
  /** As of ProcessSpec, or a promise of it. */
  onStdoutLine?(line: string): boolean | undefined | Promise<boolean | undefined>;
  /** Waited for before more output is read, where the reader of the lines is behind. */
  keepPace?(): Promise<void> | undefined;
  /**
   * For a program that the service speaks with: descriptor 3 is the pipe, told as soon as the program is stored;
   * descriptor 4 ends when the service is gone.
   */
  onPipe?(pipe: ProgramPipe): void;
}

/** The service's end of a pipe to a program. It never fails: what cannot be sent is dropped, and the end is told. */
export interface ProgramPipe {
  /** One listener for each. */
  listen(onChunk: (chunk: Uint8Array) => void, onEnd: () => void): void;
  send(text: string): void;
  /** Bytes that the program has not taken in yet. */
  backlog(): number;
  /** Resolves when the program has taken everything in, or the pipe has ended. */
  drained(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Ends the program itself at once, where it breaks the rules; what it has started is ended as always. */
  kill(): void;
  /** Memory that the program and what it started hold; 0 where the system does not tell. */
  residentBytes(): number;
  /** Where the machine runs out of memory, the program goes first. */
  giveUpFirst(): void;
}

/** The surroundings of one run that every program started for it shares. */
export interface ProcessSupervision {
  readonly runId: string;
  readonly cwd: string;
  /** Whom its programs run as; null: the service's own user. */
  readonly user: AgentUser | null;
  /** The whole environment; holds SERVICE_RUN_ID, by which descendants are found. */
  readonly env: Readonly<Record<string, string>>;
  /** Fires when the run must stop: the tree is asked to end, then made to. */
  readonly stop: AbortSignal;
  /** Stored before the program gets its input. */
  readonly onStarted: (identity: ProcessIdentity) => Effect.Effect<void>;
  /** Waits when the log cannot keep up, which holds the program's output back. */
  readonly onOutput: (stream: LogStream, chunk: Uint8Array) => Effect.Effect<void>;
}

/** Runs programs and ends them for certain. */
export interface ProcessRunner {
  /**
   * This process, and where it is: services with the same `host` see each other's processes. Another boot or another
   * container is another host.
   */
  readonly here: { readonly host: string; readonly service: ProcessIdentity };
  /** By what descendants of a run are known: a control group of the kernel's as well, or the process table alone. */
  readonly containment: "cgroup" | "process_table";
  /**
   * Runs a program to its end. Resolves only when no process of its tree is left: children that fork, call setsid or
   * ignore SIGTERM included. While other programs of the run go on, its tree is what descends from it; the last one's is
   * all that is left of the run. Interruption ends the tree too. Dies where `onStarted` or `onOutput` does, with the tree
   * ended. Only what may not be signalled (set-uid programs) is left behind.
   */
  run(spec: ProgramSpec, supervision: ProcessSupervision): Effect.Effect<ProcessOutcome>;
  /** Ends whatever still lives of a run: by identity where known, and by the run id in the environment. */
  endLeftovers(runId: string, identity: ProcessIdentity | null, graceSec: number): Effect.Effect<void>;
  /** Whether that very process lives. A zombie does not. */
  isAlive(identity: ProcessIdentity): Effect.Effect<boolean>;
  /** Run ids carried by living processes of this machine. */
  runIdsAlive(): Effect.Effect<ReadonlySet<string>>;
}
