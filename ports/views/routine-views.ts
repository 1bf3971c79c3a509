import type * as Effect from "effect/Effect";
import type { LifecycleState } from "../../core/model/agents/agent-status.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { IssueStatus } from "../../core/model/issues/issue-status.ts";
import type { Routine, RoutineNotFound } from "../../core/model/routines/routine.ts";
import type { RoutineFacts } from "../../core/model/routines/routine-actions.ts";
import type { RoutineRevision } from "../../core/model/routines/routine-revision.ts";
import type {
  FiredStatus,
  OpenIssue,
  RoutineRun,
  RoutineRunNotFound,
} from "../../core/model/routines/routine-run.ts";
import type { Trigger, TriggerKind, TriggerNotFound } from "../../core/model/routines/trigger.ts";
import type { CompanyId, IssueId, RoutineId, RoutineRunId, TriggerId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export type TriggerView = Omit<Trigger, "secretVersion">;

/** An issue that a routine created, as its runs show it. */
export type RoutineIssue = Pick<Issue, "id" | "identifier" | "title" | "status" | "priority" | "updatedAt">;

/** A routine as it is stored; `showRoutine` makes what its readers see. */
export interface RoutineRecord extends Routine {
  /** Oldest first. */
  readonly triggers: readonly TriggerView[];
  /** Its last firing, and the status of the issue that it made. */
  readonly lastRun:
    | (Pick<RoutineRun, "triggeredAt" | "failureReason" | "linkedIssueId"> & {
        readonly runId: RoutineRunId;
        readonly status: FiredStatus;
        readonly issueStatus: IssueStatus | null;
      })
    | null;
  /** Failures up to the last firing, counted up to the limit that pauses it. */
  readonly failuresInARow: number;
}

/** With the facts around it on which the actions on it depend. */
export interface ActedOnRoutine extends RoutineRecord {
  readonly company: RoutineFacts["company"];
  readonly isProjectArchived: boolean;
  readonly assigneeState: LifecycleState;
}

/** A firing as it is stored; `showRoutine` makes what its readers see. */
export interface RoutineRunRecord extends RoutineRun {
  readonly issueClosedAt: Instant | null;
  readonly linkedIssue: RoutineIssue | null;
  readonly trigger: {
    readonly id: TriggerId;
    readonly kind: TriggerKind;
    readonly label: string | null;
  } | null;
}

export interface RoutineViews {
  /** Last changed first; includes archived ones. */
  list(companyId: CompanyId): Effect.Effect<readonly RoutineRecord[]>;
  listActedOn(companyId: CompanyId): Effect.Effect<readonly ActedOnRoutine[]>;
  get(id: RoutineId): Effect.Effect<ActedOnRoutine, RoutineNotFound>;
  /** Its open issues, newest first. */
  openIssues(id: RoutineId): Effect.Effect<readonly OpenIssue[]>;
  issue(id: IssueId): Effect.Effect<RoutineIssue | null>;
  trigger(id: TriggerId): Effect.Effect<TriggerView, TriggerNotFound>;
  /** Newest first. */
  revisions(id: RoutineId, page: PageRequest): Effect.Effect<Page<RoutineRevision>, CursorInvalid>;
  /** Newest first. */
  runs(id: RoutineId, page: PageRequest): Effect.Effect<Page<RoutineRunRecord>, CursorInvalid>;
  run(id: RoutineRunId): Effect.Effect<RoutineRunRecord, RoutineRunNotFound>;
  /** Triggers with a due tick, the longest due first, and then those whose tick was calculated later than `at`. */
  due(at: Instant, limit: number): Effect.Effect<readonly TriggerId[]>;
  /** The earliest next tick; null if none exists. */
  nextFireAt(): Effect.Effect<Instant | null>;
}
