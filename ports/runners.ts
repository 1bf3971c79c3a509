import type * as Effect from "effect/Effect";
import type { VolumeId } from "../core/model/shared/ids.ts";
import type { EnvironmentCheck } from "./agent-adapter.ts";
import type { HostPaths } from "./host-paths.ts";
import type { IssueWorkspaces } from "./issue-workspaces.ts";
import type { ProcessRunner } from "./process-runner.ts";
import type { Workspaces } from "./workspaces.ts";

/** Runs agents' programs on one machine or engine, with their workspaces there. */
export interface Runner {
  /** `local`, or the name of the operator's template. */
  readonly name: string;
  readonly kind: RunnerKind;
  readonly processes: ProcessRunner;
  readonly workspaces: Workspaces;
  /** Whether its disk has too little room for another run; absent where an engine looks after that. */
  readonly isDiskFull?: () => boolean;
  /** Workspaces of issues; absent where it has none. */
  readonly issueWorkspaces?: IssueWorkspaces;
  /** The maximum time until a run of a dead service has ended there, while another service runs and the runner answers. */
  readonly recoveryBoundSec: number;
  /** The rules for paths of the service's machine; absent where its programs run elsewhere. */
  readonly paths?: HostPaths;
  /** Identifies what keeps workspaces, and with them sessions, between runs; null: nothing does. */
  readonly volume: VolumeId | null;
  /**
   * Says whether programs can run there and reach the service, on the own machine how far they are isolated. Leaves
   * nothing behind.
   */
  check(): Effect.Effect<readonly EnvironmentCheck[]>;
}

export const runnerKinds = ["local", "kubernetes", "docker"] as const;
export type RunnerKind = (typeof runnerKinds)[number];

/** A runner that this service knows, usable or not. */
export interface KnownRunner {
  readonly name: string;
  /** null where its template says none that is known. */
  readonly kind: RunnerKind | null;
  /** null where it cannot be used. */
  readonly reach: string | null;
  readonly recoveryBoundSec: number | null;
  /** A sentence: why it cannot be used. */
  readonly problem: string | null;
}

/** The runners of this service: its own machine, and the operator's templates. */
export interface Runners {
  /** The name of the runner of agents that, with their company, name none. */
  readonly default: string;
  /** Those that can be used, `local` first. */
  readonly all: readonly Runner[];
  readonly known: readonly KnownRunner[];
  /** null where it is unknown or cannot be used. */
  get(name: string): Runner | null;
}
