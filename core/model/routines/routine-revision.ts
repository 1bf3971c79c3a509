import { type Actor, actingRun, authorOf } from "../access/caller.ts";
import type { AgentId, CompanyId, RevisionId, RoutineId, RunId, TriggerId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { fieldsOf, type Routine, type RoutineFields } from "./routine.ts";
import type { SigningMode, Trigger, TriggerKind } from "./trigger.ts";

/** The stored state of a trigger, without secrets. */
export interface TriggerSnapshot {
  readonly id: TriggerId;
  readonly kind: TriggerKind;
  readonly label: string | null;
  readonly enabled: boolean;
  readonly cronExpression: string | null;
  readonly timezone: string | null;
  readonly publicId: string | null;
  readonly signingMode: SigningMode | null;
  readonly replayWindowSec: number | null;
}

export interface RoutineSnapshot {
  readonly version: 1;
  readonly routine: RoutineFields;
  readonly triggers: readonly TriggerSnapshot[];
}

/** An immutable snapshot of a routine after a change. */
export interface RoutineRevision {
  readonly id: RevisionId;
  readonly companyId: CompanyId;
  readonly routineId: RoutineId;
  readonly revisionNumber: number;
  readonly changeSummary: string;
  readonly snapshot: RoutineSnapshot;
  readonly restoredFromRevisionId: RevisionId | null;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdByRunId: RunId | null;
  readonly createdAt: Instant;
}

const snapshotTrigger = (trigger: Trigger): TriggerSnapshot => ({
  id: trigger.id,
  kind: trigger.kind,
  label: trigger.label,
  enabled: trigger.enabled,
  cronExpression: trigger.cronExpression,
  timezone: trigger.timezone,
  publicId: trigger.publicId,
  signingMode: trigger.signingMode,
  replayWindowSec: trigger.replayWindowSec,
});

const snapshotOf = (routine: RoutineFields, triggers: readonly Trigger[]): RoutineSnapshot => ({
  version: 1,
  routine: fieldsOf(routine),
  triggers: triggers.map(snapshotTrigger),
});

export interface Revising {
  readonly id: RevisionId;
  readonly summary: string;
  readonly restoredFrom?: RevisionId;
  readonly by: Actor;
  readonly at: Instant;
}

/** Returns the routine with a new latest revision of itself and its triggers, and that revision. */
export const revise = (
  routine: Routine,
  triggers: readonly Trigger[],
  { id, summary, restoredFrom, by, at }: Revising,
): { readonly routine: Routine; readonly revision: RoutineRevision } => {
  const revisionNumber = routine.latestRevisionNumber + 1;
  return {
    routine: { ...routine, latestRevisionId: id, latestRevisionNumber: revisionNumber, updatedAt: at },
    revision: {
      id,
      companyId: routine.companyId,
      routineId: routine.id,
      revisionNumber,
      changeSummary: summary,
      snapshot: snapshotOf(routine, triggers),
      restoredFromRevisionId: restoredFrom ?? null,
      ...authorOf(by),
      createdByRunId: actingRun(by),
      createdAt: at,
    },
  };
};
