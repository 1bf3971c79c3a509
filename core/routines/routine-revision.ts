import type { AgentId, CompanyId, RevisionId, RoutineId, RunId, TriggerId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { fieldsOf, type RoutineFields } from "./routine.ts";
import type { SigningMode, Trigger, TriggerKind } from "./trigger.ts";

/** What is kept of a trigger: nothing that opens anything. */
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

/** A routine as a change left it. Never changed, never removed. */
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

export const snapshotTrigger = (trigger: Trigger): TriggerSnapshot => ({
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

export const snapshotOf = (routine: RoutineFields, triggers: readonly Trigger[]): RoutineSnapshot => ({
  version: 1,
  routine: fieldsOf(routine),
  triggers: triggers.map(snapshotTrigger),
});
