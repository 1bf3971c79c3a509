import type { AgentUser } from "./agent-adapter.ts";

/** A program about to be started, and what of the machine it needs. */
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

/** What to spawn instead of the program. */
export interface EnclosedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Keeps a program apart on this machine: its own mounts and processes, and limits. */
export interface Sandbox {
  /** The executable that stays beside an enclosed program until it has ended, and ends with it. */
  readonly wrapper: string;
  enclose(program: EnclosedProgram): EnclosedStart;
}

/** How far agents are kept apart, for health, doctor and the start. */
export interface Separation {
  readonly level: "separated" | "partly" | "not";
  /** Sentences: what is not kept apart, and what would make it so. Empty where agents are separated. */
  readonly gaps: readonly string[];
}

/** What one run may use at most, each as the kernel counts it. */
export interface RunLimits {
  /** Of the run's user at a time. */
  readonly processes: number;
  readonly openFiles: number;
  /** Of the largest file that a program may write. */
  readonly fileBytes: number;
}

/** The users of SERVICE_AGENT_UID, `last` included. The service must be root. */
export interface UserRange {
  readonly first: number;
  readonly last: number;
  /** Of all of them. */
  readonly gid: number;
}
