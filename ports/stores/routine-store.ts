import type * as Effect from "effect/Effect";
import type { Company } from "../../core/companies/company.ts";
import type { Routine, RoutineNotFound } from "../../core/routines/routine.ts";
import type { RoutineRevision } from "../../core/routines/routine-revision.ts";
import type {
  FiredStatus,
  OpenIssue,
  RoutineRun,
  RoutineRunSource,
} from "../../core/routines/routine-run.ts";
import type { Trigger, TriggerNotFound } from "../../core/routines/trigger.ts";
import type { CompanyId, RevisionId, RoutineId, TriggerId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** A trigger of which a tick is due, with what decides about it. */
export interface DueTrigger {
  readonly trigger: Trigger & { readonly nextFireAt: Instant };
  readonly routine: Routine;
  readonly company: Pick<Company, "status" | "heldByBudgetAt">;
}

/** A schedule that fires by itself, and what is shown of it. */
export interface NextSchedule {
  readonly routineId: RoutineId;
  readonly routineTitle: string;
  readonly triggerId: TriggerId;
  readonly triggerLabel: string | null;
  readonly cronExpression: string;
  readonly timezone: string;
  readonly nextFireAt: Instant;
}

/** A secret as it is kept: ciphertext, and which of the trigger's secrets it is. */
export interface SealedSecret {
  readonly sealed: Uint8Array;
  readonly version: number;
}

/** What makes two firings by request the same one. */
export interface RunKey {
  readonly routineId: RoutineId;
  readonly source: RoutineRunSource;
  readonly triggerId: TriggerId | null;
  readonly idempotencyKey: string;
}

/** Routines with their triggers, revisions and runs. The lock of a routine covers its triggers, and is taken before that of the company. */
export interface RoutineStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: RoutineId): Effect.Effect<Routine, RoutineNotFound>;
  insert(routine: Routine): Effect.Effect<void>;
  save(routine: Routine): Effect.Effect<void>;

  insertRevision(revision: RoutineRevision): Effect.Effect<void>;
  findRevision(id: RevisionId, routineId: RoutineId): Effect.Effect<RoutineRevision | null>;

  /** Those that are not deleted, oldest first. */
  triggers(routineId: RoutineId): Effect.Effect<readonly Trigger[]>;
  /** Unless it is deleted. */
  findTrigger(id: TriggerId): Effect.Effect<Trigger, TriggerNotFound>;
  findTriggerByPublicId(publicId: string): Effect.Effect<Trigger, TriggerNotFound>;
  insertTrigger(trigger: Trigger): Effect.Effect<void>;
  /** Brings a deleted one back. Its secret stays as it is. */
  saveTrigger(trigger: Trigger): Effect.Effect<void>;
  /** Its runs stay; its secret does not. */
  deleteTrigger(id: TriggerId, at: Instant): Effect.Effect<void>;
  setNextFire(id: TriggerId, nextFireAt: Instant | null): Effect.Effect<void>;
  noteFired(id: TriggerId, at: Instant): Effect.Effect<void>;
  findSecret(id: TriggerId): Effect.Effect<SealedSecret | null>;
  /** In place of the one before. */
  keepSecret(id: TriggerId, secret: SealedSecret, at: Instant): Effect.Effect<void>;

  /**
   * The trigger where a tick of it is due, held together with its routine; null where none is any more, or another
   * transaction holds them.
   */
  lockDue(id: TriggerId, at: Instant): Effect.Effect<DueTrigger | null>;
  /** The schedules of a company that fire by themselves, the next first. */
  nextSchedules(companyId: CompanyId, limit: number): Effect.Effect<readonly NextSchedule[]>;
  /** Those of the ticks that the trigger has fired. */
  firedAmong(id: TriggerId, ticks: readonly Instant[]): Effect.Effect<readonly Instant[]>;
  /** The routine's open issues with what goes on about them, newest first, at most 100. */
  openIssues(id: RoutineId): Effect.Effect<readonly OpenIssue[]>;
  /** What its newest firings came to that were not joined with another, newest first. */
  latestFirings(id: RoutineId, limit: number): Effect.Effect<readonly FiredStatus[]>;
  /** When a webhook fired it for the nth time back from now; null where it has fired less often. */
  firedBefore(id: RoutineId, triggerId: TriggerId, nth: number): Effect.Effect<Instant | null>;
  insertRun(run: RoutineRun, replayKey: Uint8Array | null): Effect.Effect<void>;
  findRunByKey(key: RunKey): Effect.Effect<RoutineRun | null>;
  isReplay(id: TriggerId, replayKey: Uint8Array): Effect.Effect<boolean>;
}
