import type * as Effect from "effect/Effect";
import type { UsageWindow } from "../core/model/runs/usage-window.ts";
import type {
  ExecuteContext,
  ExecuteResult,
  InvocationMeta,
  LogStream,
  PermissionAnswer,
  PermissionRequest,
  UsageReport,
  Word,
} from "./agent-adapter.ts";
import type { ProcessIdentity, ProcessRunner, RunPlacement } from "./process-runner.ts";
import type { Workspace } from "./workspaces.ts";

/** The data of a run for its adapter; the runner adds the functions of the context. */
export type Assignment = Omit<
  ExecuteContext,
  | "signal"
  | "onLog"
  | "onMeta"
  | "onSession"
  | "onUsage"
  | "onLimits"
  | "askPermission"
  | "nextWord"
  | "onTaken"
  | "mayOutlive"
  | "runProcess"
  | "readText"
>;

/** The service's functions for a run while its adapter works. */
export interface RunSupervision {
  /** Fires when the run must stop. */
  readonly stop: AbortSignal;
  readonly onOutput: (stream: LogStream, chunk: Uint8Array | string) => Effect.Effect<void>;
  readonly onMeta: (meta: InvocationMeta) => Effect.Effect<void>;
  readonly onSession: (
    params: Readonly<Record<string, unknown>>,
    displayId: string | null,
  ) => Effect.Effect<void>;
  readonly onUsage: (report: UsageReport) => Effect.Effect<void>;
  readonly onLimits: (windows: readonly UsageWindow[]) => Effect.Effect<void>;
  /** Asks people, and waits for the answer; `over` fires when nobody waits for it any more. */
  readonly onPermission: (request: PermissionRequest, over: AbortSignal) => Effect.Effect<PermissionAnswer>;
  /** The next word of a person to the run; null once none comes, because `over` or `stop` has fired. */
  readonly onWord: (takes: { readonly interrupt: boolean }, over: AbortSignal) => Effect.Effect<Word | null>;
  readonly onTaken: (id: string, how: "queued" | "taken") => Effect.Effect<void>;
  readonly onStarted: (identity: ProcessIdentity) => Effect.Effect<void>;
  readonly onPlacement: (placement: RunPlacement) => Effect.Effect<void>;
  /** As `ProcessSupervision.handoverState`, for an adapter whose work another service can repeat. */
  readonly handoverState?: () => string;
}

/** Where the programs of a run work. */
export interface RunnerContext {
  readonly processes: ProcessRunner;
  readonly workspace: Workspace;
}

/** Runs an adapter under supervision: gives it processes and a log, and reports its start. */
export interface AgentRunner {
  /** An adapter that throws fails with `adapter_failed`; one that is not loaded fails with `adapter_unavailable`. */
  execute(
    adapterType: string,
    assignment: Assignment,
    at: RunnerContext,
    supervision: RunSupervision,
  ): Effect.Effect<ExecuteResult>;
}
