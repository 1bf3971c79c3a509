import * as Result from "effect/Result";
import type { Actor } from "../access/caller.ts";
import type { Priority } from "../issues/issue-status.ts";
import { NotAllowed, refusal } from "../shared/failure.ts";
import type {
  AgentId,
  CompanyId,
  GoalId,
  IssueId,
  ProjectId,
  RevisionId,
  RoutineId,
  UserId,
} from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type Moves, mayMove } from "../shared/moves.ts";

export const routineStatuses = ["active", "paused", "archived"] as const;
export type RoutineStatus = (typeof routineStatuses)[number];

export const routineMoves = {
  active: { paused: "status", archived: "status" },
  paused: { active: "status", archived: "status" },
  archived: {},
} satisfies Moves<RoutineStatus>;

export const concurrencyPolicies = ["coalesce_if_active", "skip_if_active", "always_enqueue"] as const;
/** The treatment of a firing while an earlier one is still active. */
export type ConcurrencyPolicy = (typeof concurrencyPolicies)[number];

export const catchUpPolicies = ["skip_missed", "enqueue_missed_with_cap"] as const;
/** The treatment of ticks that passed while no service was running. */
export type CatchUpPolicy = (typeof catchUpPolicies)[number];

/** The fields that people set. */
export interface RoutineFields {
  readonly title: string;
  readonly description: string | null;
  /** The assignee of the issues. */
  readonly assigneeAgentId: AgentId;
  readonly projectId: ProjectId;
  readonly goalId: GoalId | null;
  /** The parent of the issues. */
  readonly parentIssueId: IssueId | null;
  readonly priority: Priority;
  readonly status: RoutineStatus;
  readonly concurrencyPolicy: ConcurrencyPolicy;
  readonly catchUpPolicy: CatchUpPolicy;
}

/** A recurring task: each firing creates an issue for its assignee. */
export interface Routine extends RoutineFields {
  readonly id: RoutineId;
  readonly companyId: CompanyId;
  readonly latestRevisionId: RevisionId;
  /** Starts at 1. */
  readonly latestRevisionNumber: number;
  readonly createdByAgentId: AgentId | null;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export class RoutineNotFound extends refusal("routine_not_found", "not_found", "Routine not found.") {}

export class RoutineArchived extends refusal(
  "routine_archived",
  "conflict",
  "This routine is archived. This can't be undone.",
) {}

export class RoutineNotActive extends refusal(
  "routine_not_active",
  "conflict",
  "This routine isn't active. Activate it first.",
) {}

export class StaleRevision extends refusal(
  "stale_revision",
  "conflict",
  "The routine was changed in the meantime. Review the current revision and try again.",
) {}

export class RevisionIsLatest extends refusal(
  "revision_is_latest",
  "conflict",
  "This is already the latest revision.",
) {}

/** Agents may change the routines assigned to them; the board may change all. */
export const notYours = (routine: Pick<RoutineFields, "assigneeAgentId">, by: Actor): NotAllowed | null =>
  by.kind === "agent" && by.agentId !== routine.assigneeAgentId
    ? new NotAllowed(undefined, "Agents can do this only with routines assigned to them.")
    : null;

/** Returns why the routine is not changed by this actor, or null. */
export const refusalOfChange = (
  routine: Pick<RoutineFields, "assigneeAgentId" | "status">,
  by: Actor,
): NotAllowed | RoutineArchived | null =>
  notYours(routine, by) ?? (routine.status === "archived" ? new RoutineArchived() : null);

/** Checks whether the routine may be changed, and by this actor. */
export const mayChange = (
  routine: Routine,
  by: Actor,
): Result.Result<Routine, NotAllowed | RoutineArchived> => {
  const refused = refusalOfChange(routine, by);
  return refused === null ? Result.succeed(routine) : Result.fail(refused);
};

/** Refuses a change based on an older revision; null accepts the present one. */
export const isBasedOn = (
  routine: Routine,
  baseRevisionId: string | undefined,
): Result.Result<Routine, StaleRevision> =>
  baseRevisionId === undefined || baseRevisionId === routine.latestRevisionId
    ? Result.succeed(routine)
    : Result.fail(new StaleRevision({ currentRevisionId: routine.latestRevisionId }));

const routineFieldNames = [
  "title",
  "description",
  "assigneeAgentId",
  "projectId",
  "goalId",
  "parentIssueId",
  "priority",
  "status",
  "concurrencyPolicy",
  "catchUpPolicy",
] as const satisfies readonly (keyof RoutineFields)[];

export const fieldsOf = (routine: RoutineFields): RoutineFields =>
  Object.fromEntries(routineFieldNames.map((name) => [name, routine[name]])) as unknown as RoutineFields;

export const changedRoutineFields = (
  before: RoutineFields,
  after: RoutineFields,
): readonly (keyof RoutineFields)[] => routineFieldNames.filter((name) => before[name] !== after[name]);

/** Returns the routine with other fields. An agent cannot reassign it. */
export const editRoutine = (
  routine: Routine,
  fields: RoutineFields,
  by: Actor,
  at: Instant,
): Result.Result<Routine, NotAllowed | RoutineArchived> => {
  if (by.kind === "agent" && fields.assigneeAgentId !== by.agentId)
    return Result.fail(
      new NotAllowed({ path: ["assigneeAgentId"] }, "Agents can't assign routines to other agents."),
    );
  if (fields.status !== routine.status && !mayMove(routineMoves, routine.status, fields.status))
    return Result.fail(new RoutineArchived());
  return Result.succeed({ ...routine, ...fieldsOf(fields), updatedAt: at });
};
