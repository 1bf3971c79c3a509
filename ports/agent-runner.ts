import type * as Effect from "effect/Effect";
import type {
  ExecuteContext,
  ExecuteResult,
  InvocationMeta,
  LogStream,
  UsageReport,
} from "./agent-adapter.ts";
import type { ProcessIdentity } from "./process-runner.ts";

/** What an adapter is told of a run; the rest of its context are the hands the runner gives it. */
export type Assignment = Omit<
  ExecuteContext,
  "signal" | "onLog" | "onMeta" | "onSession" | "onUsage" | "runProcess"
>;

/** What the service does for a run while its adapter works. */
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
  readonly onStarted: (identity: ProcessIdentity) => Effect.Effect<void>;
}

/** Lets an adapter carry out a run, with the service's hands: processes in supervision, a log, news of its start. */
export interface AgentRunner {
  /** An adapter that throws has failed with `adapter_failed`; one that is not loaded with `adapter_unavailable`. */
  execute(
    adapterType: string,
    assignment: Assignment,
    supervision: RunSupervision,
  ): Effect.Effect<ExecuteResult>;
}
