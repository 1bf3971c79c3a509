import * as Effect from "effect/Effect";
import { requireRoom } from "../access/require-room.ts";
import { useCase } from "../access/unit-of-work.ts";
import { type Actor, authorOf } from "../model/access/caller.ts";
import { notYours, type Routine, type RoutineFields } from "../model/routines/routine.ts";
import { revise } from "../model/routines/routine-revision.ts";
import type { AgentId, CompanyId, ProjectId, RevisionId, RoutineId } from "../model/shared/ids.ts";
import { checkReferences } from "./routine-references.ts";

export type RoutineChanges = { readonly [Field in keyof RoutineFields]?: RoutineFields[Field] | undefined };

export interface CreateRoutine extends RoutineChanges {
  readonly id: RoutineId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly title: string;
  readonly assigneeAgentId: AgentId;
  readonly projectId: ProjectId;
}

export const createRoutine = useCase("routines.create", function* (unit, command: CreateRoutine) {
  const { companyId } = command;
  const refusal = notYours(command, unit.by);
  if (refusal !== null) yield* Effect.fail(refusal);
  if (unit.by.kind === "agent") yield* requireRoom(unit, "routinesOfAgent", companyId, unit.by.agentId);
  const fresh: Routine = {
    id: command.id,
    companyId,
    title: command.title,
    description: command.description ?? null,
    assigneeAgentId: command.assigneeAgentId,
    projectId: command.projectId,
    goalId: command.goalId ?? null,
    parentIssueId: command.parentIssueId ?? null,
    priority: command.priority ?? "medium",
    status: command.status ?? "active",
    concurrencyPolicy: command.concurrencyPolicy ?? "coalesce_if_active",
    catchUpPolicy: command.catchUpPolicy ?? "skip_missed",
    latestRevisionId: "" as RevisionId,
    latestRevisionNumber: 0,
    ...authorOf(unit.by),
    createdAt: unit.at,
    updatedAt: unit.at,
  };
  yield* checkReferences(unit, companyId, fresh);
  const { routine, revision } = revise(fresh, [], {
    id: unit.newId<"revision">(),
    summary: "Created",
    by: unit.by,
    at: unit.at,
  });
  yield* unit.routines.insert(routine);
  yield* unit.routines.insertRevision(revision);
  yield* unit.log("routine.created", routine, { title: routine.title });
  return routine;
});
