import type * as Effect from "effect/Effect";
import type { Company } from "../../core/model/companies/company.ts";
import type { Routine, RoutineNotFound } from "../../core/model/routines/routine.ts";
import type { RoutineRevision } from "../../core/model/routines/routine-revision.ts";
import type {
  FiredStatus,
  OpenIssue,
  RoutineRun,
  RoutineRunSource,
} from "../../core/model/routines/routine-run.ts";
import type { Trigger, TriggerNotFound } from "../../core/model/routines/trigger.ts";
import type { CompanyId, RevisionId, RoutineId, TriggerId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A trigger with a due tick, and the facts that decide about it. */
export interface DueTrigger {
  readonly trigger: Trigger & { readonly nextFireAt: Instant };
  readonly routine: Routine;
  readonly company: Pick<Company, "status" | "heldByBudgetAt">;
}

/** A schedule that fires by itself, with the fields to show. */
export interface NextSchedule {
  readonly routineId: RoutineId;
  readonly routineTitle: string;
  readonly triggerId: TriggerId;
  readonly triggerLabel: string | null;
  readonly cronExpression: string;
  readonly timezone: string;
  readonly nextFireAt: Instant;
}

/** A stored secret: ciphertext, and its number among the trigger's secrets. */
export interface SealedSecret {
  readonly sealed: Uint8Array;
  readonly version: number;
}

/** The key that makes two requested firings the same one. */
export interface RunKey {
  readonly routineId: RoutineId;
  readonly source: RoutineRunSource;
  readonly triggerId: TriggerId | null;
  readonly idempotencyKey: string;
}

/**
 * Routines with their triggers, revisions and runs. The lock of a routine covers its triggers and precedes the
 * company's.
 */
export interface RoutineStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: RoutineId): Effect.Effect<Routine, RoutineNotFound>;
  insert(routine: Routine): Effect.Effect<void>;
  save(routine: Routine): Effect.Effect<void>;

  insertRevision(revision: RoutineRevision): Effect.Effect<void>;
  findRevision(id: RevisionId, routineId: RoutineId): Effect.Effect<RoutineRevision | null>;

  /** Triggers that are not deleted, oldest first. */
  triggers(routineId: RoutineId): Effect.Effect<readonly Trigger[]>;
  /** Fails for a deleted trigger. */
  findTrigger(id: TriggerId): Effect.Effect<Trigger, TriggerNotFound>;
  findTriggerByPublicId(publicId: string): Effect.Effect<Trigger, TriggerNotFound>;
  insertTrigger(trigger: Trigger): Effect.Effect<void>;
  /** Restores a deleted one. Does not change its secret. */
  saveTrigger(trigger: Trigger): Effect.Effect<void>;
  /** Keeps its runs and deletes its secret. */
  deleteTrigger(id: TriggerId, at: Instant): Effect.Effect<void>;
  /** Also records when it was calculated. */
  setNextFire(id: TriggerId, nextFireAt: Instant | null, at: Instant): Effect.Effect<void>;
  recordFired(id: TriggerId, at: Instant): Effect.Effect<void>;
  findSecret(id: TriggerId): Effect.Effect<SealedSecret | null>;
  /** Replaces the earlier one. */
  keepSecret(id: TriggerId, secret: SealedSecret, at: Instant): Effect.Effect<void>;

  /**
   * Locks the trigger and its routine where a tick is due; null where none is, or another transaction has the locks.
   */
  lockDue(id: TriggerId, at: Instant): Effect.Effect<DueTrigger | null>;
  /** Returns the company's schedules that fire by themselves, the next first. */
  nextSchedules(companyId: CompanyId, limit: number): Effect.Effect<readonly NextSchedule[]>;
  /** Returns the ticks that the trigger has fired. */
  firedAmong(id: TriggerId, ticks: readonly Instant[]): Effect.Effect<readonly Instant[]>;
  /** The routine's open issues and their live runs, newest first, at most 100. */
  openIssues(id: RoutineId): Effect.Effect<readonly OpenIssue[]>;
  /** Outcomes of its newest firings that were not coalesced, newest first. */
  latestFirings(id: RoutineId, limit: number): Effect.Effect<readonly FiredStatus[]>;
  /** Returns the time of a webhook's nth latest firing; null where it has fired less often. */
  firedBefore(id: RoutineId, triggerId: TriggerId, nth: number): Effect.Effect<Instant | null>;
  insertRun(run: RoutineRun, replayKey: Uint8Array | null): Effect.Effect<void>;
  findRunByKey(key: RunKey): Effect.Effect<RoutineRun | null>;
  isReplay(id: TriggerId, replayKey: Uint8Array): Effect.Effect<boolean>;
}
