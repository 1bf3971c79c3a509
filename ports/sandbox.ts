import type { AgentUser } from "./agent-adapter.ts";

/** A program to start, and the resources of the machine that it needs. */
export interface EnclosedProgram {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute; shown to the program read-write. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** null: the service's own user. */
  readonly user: AgentUser | null;
  /** Further files and folders, shown read-only where they exist. */
  readonly reads: readonly string[];
}

/** The command line to spawn instead of the program. */
export interface EnclosedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

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
