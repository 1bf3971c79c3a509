import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transactAs } from "../access/transact-as.ts";
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

export const createRoutine = (transactor: Transactor, clock: Clock, ids: Ids) => (command: CreateRoutine) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by, companyId } = command;
    const no = notYours(command, by);
    if (no !== null) yield* Effect.fail(no);
    const at = clock.now();
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
      ...authorOf(by),
      createdAt: at,
      updatedAt: at,
    };
    yield* checkReferences(stores, companyId, fresh);
    const { routine, revision } = revise(fresh, [], {
      id: ids.next<"revision">(),
      summary: "Created",
      by,
      at,
    });
    yield* stores.routines.insert(routine);
    yield* stores.routines.insertRevision(revision);
    yield* logAction(stores, routine, by, at, "routine.created", { title: routine.title });
    return routine;
  });
