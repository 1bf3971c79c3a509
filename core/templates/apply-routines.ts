import * as Effect from "effect/Effect";
import type { RoutineId } from "../model/shared/ids.ts";
import type { DeclaredRoutine, TemplateRoutine } from "../model/templates/company-template.ts";
import { joinTriggers } from "../model/templates/template-changes.ts";
import { addTrigger } from "../routines/add-trigger.ts";
import { createRoutine } from "../routines/create-routine.ts";
import { deleteTrigger } from "../routines/delete-trigger.ts";
import { updateRoutine } from "../routines/update-routine.ts";
import { updateTrigger } from "../routines/update-trigger.ts";
import { type Applying, idOf } from "./applying.ts";

export const applyRoutine = Effect.fnUntraced(function* (
  applying: Applying,
  routine: DeclaredRoutine,
  before: TemplateRoutine | null,
) {
  const { context, companyId, by, ids } = applying;
  const fields = {
    title: routine.title,
    description: routine.description,
    assigneeAgentId: ids.agents.get(routine.assignee)!,
    projectId: ids.projects.get(routine.project)!,
    goalId: idOf(ids.goals, routine.goal),
    priority: routine.priority,
    status: routine.status,
    concurrencyPolicy: routine.concurrencyPolicy,
    catchUpPolicy: routine.catchUpPolicy,
    by,
  };
  const id = before === null ? context.ids.newId<"routine">() : ids.routines.get(routine.key)!;
  if (before === null) {
    yield* createRoutine(context)({ ...fields, id, companyId });
    ids.routines.set(routine.key, id);
  } else yield* updateRoutine(context.calendar)(context)({ ...fields, routineId: id });
  yield* applyTriggers(applying, id, routine, before);
});

const applyTriggers = Effect.fnUntraced(function* (
  { context, by, ids, prune }: Applying,
  routineId: RoutineId,
  routine: DeclaredRoutine,
  before: TemplateRoutine | null,
) {
  const { calendar, cipher, signing } = context;
  const stored = ids.triggers.get(routine.key) ?? [];
  for (const { stored: at, merged } of joinTriggers(
    before?.triggers ?? [],
    routine.triggers ?? [],
    prune && routine.triggers !== undefined,
  ))
    if (merged === null) yield* deleteTrigger(context)({ triggerId: stored[at!]!, by });
    else if (at === null)
      yield* addTrigger(calendar, cipher, signing)(context)({
        ...merged,
        id: context.ids.newId<"routine_trigger">(),
        routineId,
        by,
      });
    else {
      const { kind: _, ...fields } = merged;
      yield* updateTrigger(calendar)(context)({ ...fields, triggerId: stored[at]!, by });
    }
});

export const removeRoutine = ({ context, by, ids }: Applying, key: string) =>
  updateRoutine(context.calendar)(context)({ routineId: ids.routines.get(key)!, status: "archived", by });
