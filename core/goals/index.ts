import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { closesCircle } from "../shared/circle.ts";
import { ReferenceNotFound, WouldFormACycle } from "../shared/failure.ts";
import type { AgentId, CompanyId, GoalId } from "../shared/ids.ts";
import { patched } from "../shared/patch.ts";
import type { Goal, GoalLevel, GoalStatus } from "./goal.ts";

export interface GoalFields {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  readonly level?: GoalLevel | undefined;
  readonly status?: GoalStatus | undefined;
  readonly parentId?: GoalId | null | undefined;
  readonly ownerAgentId?: AgentId | null | undefined;
}

export interface CreateGoal extends GoalFields {
  readonly id: GoalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly title: string;
}

export interface UpdateGoal extends GoalFields {
  readonly goalId: GoalId;
  readonly by: Actor;
}

const checkReferences = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  goalId: GoalId,
  { parentId, ownerAgentId }: GoalFields,
) {
  if (ownerAgentId && (yield* stores.agents.findInCompany(ownerAgentId, companyId)) === null)
    yield* Effect.fail(ReferenceNotFound.at("ownerAgentId"));
  if (!parentId) return;
  const parents = yield* stores.goals.lockParents(companyId);
  if (!parents.has(parentId)) yield* Effect.fail(ReferenceNotFound.at("parentId"));
  if (closesCircle(goalId, parentId, parents))
    yield* Effect.fail(new WouldFormACycle({ path: ["parentId"] }));
});

const createGoal = (transactor: Transactor, clock: Clock) => (command: CreateGoal) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const at = clock.now();
      yield* checkReferences(stores, command.companyId, command.id, command);
      const goal: Goal = {
        id: command.id,
        companyId: command.companyId,
        title: command.title,
        description: command.description ?? null,
        level: command.level ?? "task",
        status: command.status ?? "planned",
        parentId: command.parentId ?? null,
        ownerAgentId: command.ownerAgentId ?? null,
        archivedAt: null,
        createdAt: at,
        updatedAt: at,
      };
      yield* stores.goals.insert(goal);
      yield* stores.activity.append({
        companyId: goal.companyId,
        by: command.by,
        at,
        action: "goal.created",
        entityId: goal.id,
        details: { title: goal.title },
      });
      return goal;
    }),
  );

const updateGoal = (transactor: Transactor, clock: Clock) => (command: UpdateGoal) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const before = yield* stores.goals.lock(command.goalId);
      yield* checkReferences(stores, before.companyId, before.id, command);
      const at = clock.now();
      const { after, changed } = patched(
        before,
        command,
        ["title", "description", "level", "status", "parentId", "ownerAgentId"],
        at,
      );
      if (changed.length === 0) return before;
      yield* stores.goals.save(after);
      yield* stores.activity.append({
        companyId: after.companyId,
        by: command.by,
        at,
        action: "goal.updated",
        entityId: after.id,
        details: { changed },
      });
      return after;
    }),
  );

const archiveGoal =
  (transactor: Transactor, clock: Clock) => (command: { readonly goalId: GoalId; readonly by: Actor }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const before = yield* stores.goals.lock(command.goalId);
        if (before.archivedAt !== null) return before;
        const at = clock.now();
        const after: Goal = { ...before, archivedAt: at, updatedAt: at };
        yield* stores.goals.save(after);
        yield* stores.activity.append({
          companyId: after.companyId,
          by: command.by,
          at,
          action: "goal.archived",
          entityId: after.id,
          details: {},
        });
        return after;
      }),
    );

/** Everything that can be done to a goal. */
export const goals = (transactor: Transactor, clock: Clock) => ({
  create: createGoal(transactor, clock),
  update: updateGoal(transactor, clock),
  archive: archiveGoal(transactor, clock),
});

export type Goals = ReturnType<typeof goals>;
