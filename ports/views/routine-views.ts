import type * as Effect from "effect/Effect";
import type { ActionOf } from "../../core/model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";
import type { CallerMay } from "../../core/model/access/caller-may.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { Routine, RoutineNotFound } from "../../core/model/routines/routine.ts";
import type { RoutineRevision } from "../../core/model/routines/routine-revision.ts";
import type {
  RoutineRun,
  RoutineRunNotFound,
  RoutineRunStatus,
} from "../../core/model/routines/routine-run.ts";
import type { Trigger, TriggerKind, TriggerNotFound } from "../../core/model/routines/trigger.ts";
import type { CompanyId, IssueId, RoutineId, RoutineRunId, TriggerId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export type TriggerView = Omit<Trigger, "secretVersion">;

/** An issue that a routine created, as its runs show it. */
export type RoutineIssue = Pick<Issue, "id" | "identifier" | "title" | "status" | "priority" | "updatedAt">;

/** The outcome of a routine's last firing, and the state of its issue. */
export interface RoutineResult {
  readonly runId: RoutineRunId;
  readonly status: RoutineRunStatus;
  readonly triggeredAt: Instant;
  readonly failureReason: string | null;
  readonly linkedIssueId: IssueId | null;
}

export interface RoutineView extends Routine {
  /** Oldest first. */
  readonly triggers: readonly TriggerView[];
  readonly lastTriggeredAt: Instant | null;
  readonly lastResult: RoutineResult | null;
  /** Failures up to the last firing, counted up to the limit that pauses it. */
  readonly failuresInARow: number;
  readonly nextFireAt: Instant | null;
}

export interface RoutineDetailView extends RoutineView {
  /** The issue that a firing now would be coalesced into or skipped for, whatever the policy. */
  readonly activeIssue: RoutineIssue | null;
  readonly slotHeldSince: Instant | null;
  /** The actions that the reader may take now. */
  readonly callerMay: CallerMay<ActionOf<"routine">>;
}

export interface RoutineRunView extends Omit<RoutineRun, "status"> {
  readonly status: RoutineRunStatus;
  readonly completedAt: Instant | null;
  readonly linkedIssue: RoutineIssue | null;
  readonly trigger: {
    readonly id: TriggerId;
    readonly kind: TriggerKind;
    readonly label: string | null;
  } | null;
}

export interface RoutineViews {
  /** Last changed first; includes archived ones. */
  list(companyId: CompanyId): Effect.Effect<readonly RoutineView[]>;
  /** The same, with the actions that the reader may take on each. */
  listFor(
    companyId: CompanyId,
    caller: BoardCaller | AgentCaller,
    at: Instant,
  ): Effect.Effect<readonly (RoutineView & Pick<RoutineDetailView, "callerMay">)[]>;
  get(
    id: RoutineId,
    caller: BoardCaller | AgentCaller,
    at: Instant,
  ): Effect.Effect<RoutineDetailView, RoutineNotFound>;
  trigger(id: TriggerId): Effect.Effect<TriggerView, TriggerNotFound>;
  /** Newest first. */
  revisions(id: RoutineId, page: PageRequest): Effect.Effect<Page<RoutineRevision>, CursorInvalid>;
  /** Newest first. */
  runs(id: RoutineId, page: PageRequest): Effect.Effect<Page<RoutineRunView>, CursorInvalid>;
  run(id: RoutineRunId): Effect.Effect<RoutineRunView, RoutineRunNotFound>;
  /** Triggers with a due tick, the longest due first, and then those whose tick was calculated later than `at`. */
  due(at: Instant, limit: number): Effect.Effect<readonly TriggerId[]>;
  /** The earliest next tick; null if none exists. */
  nextFireAt(): Effect.Effect<Instant | null>;
}
