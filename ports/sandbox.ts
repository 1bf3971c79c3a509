import type { AgentUser } from "./agent-adapter.ts";
import type { Workspace } from "./workspaces.ts";

/** A program of a run, with what it names of the machine. */
export interface ViewedProgram {
  readonly workspace: Workspace;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** As configured: a path, or a name that is searched on PATH. */
  readonly command: string;
  /** Paths that its adapter asks to read. */
  readonly reads: readonly string[];
}

/** A file or folder of the machine that a run sees, links resolved. */
export interface SeenRoot {
  readonly path: string;
  readonly access: "read" | "write";
  /** Device and inode, where others could put something else at the path: compared once more when it is mounted. */
  readonly identity: string | null;
}

/** The part of the machine that a run sees in addition to the system. */
export interface ProgramView {
  readonly roots: readonly SeenRoot[];
  /** Paths that lead to something shown. */
  readonly links: readonly { readonly path: string; readonly to: string }[];
  /** Returns where a path leads without ever leaving what the run sees; null where it is hidden. */
  locate(path: string): string | null;
  /** Whether the run may write at a path that it sees, links resolved. */
  isWritable(path: string): boolean;
  /**
   * Returns why the run does not see an absolute path, with what to do; null where it sees it. The answer is the same
   * whether or not anything is there, and what is hidden is not looked at.
   */
  whyHidden(path: string): string | null;
}

/** A sentence for people: the run needs a path that it may not see. */
export class ViewRefused {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Decides what runs see of the machine. */
export interface ProgramViews {
  viewOf(program: ViewedProgram): ProgramView | ViewRefused;
}

/** A program to start, and the resources of the machine that it needs. */
export interface EnclosedProgram {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute, in its view. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** null: the service's own user. */
  readonly user: AgentUser | null;
  readonly view: ProgramView;
  /** Of a program of the service itself: it has no network, and ends with the service. */
  readonly network?: "none" | "machine";
  /** Of each of its processes; omitted: without limit. */
  readonly addressSpaceBytes?: number;
}

/** The command line to spawn instead of the program. */
export interface EnclosedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the command line to spawn instead of a program without a sandbox, or of one of the service's processes that start
 * programs, so that it inherits no keyring and no rights of the service.
 */
export type Detach = (program: EnclosedStart) => EnclosedStart;

/** Isolates a program on this machine: its own mounts and processes, and limits. */
export interface Sandbox {
  /** The executable that wraps an isolated program and exits after it. */
  readonly wrapper: string;
  enclose(program: EnclosedProgram): EnclosedStart;
}

/** The degree of isolation of agents, for health, doctor and the start. */
export interface Separation {
  readonly level: "separated" | "partly" | "not";
  /** Sentences: what is not isolated, with a remedy. Empty where agents are isolated. */
  readonly gaps: readonly string[];
}

/** Limits of one run, each as the kernel counts it. */
export interface RunLimits {
  /** Processes of the run's user at the same time; null where the run's control group limits them. */
  readonly processes: number | null;
  readonly openFiles: number;
  /** Size of the largest file that a program may write. */
  readonly fileBytes: number;
  /** Size of a private temporary folder, which is in memory; null: the system's, half of the memory. */
  readonly tmpBytes: number | null;
}

/** The users of SERVICE_AGENT_UID, `last` included. The service must be root. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
  /** The group of all these users. */
  readonly gid: number;
}
