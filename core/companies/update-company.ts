import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { settleCompanyBudget } from "../costs/settle-budget.ts";
import type { CompanyId } from "../shared/ids.ts";
import { monthOf } from "../shared/instant.ts";
import type { Company } from "./company.ts";

export interface UpdateCompany {
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly budgetMonthlyCents?: number | undefined;
}

export const updateCompany = (transactor: Transactor, clock: Clock, ids: Ids) => (command: UpdateCompany) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const before = yield* stores.companies.lock(command.companyId);
      const at = clock.now();
      const after: Company = {
        ...before,
        name: command.name ?? before.name,
        description: command.description === undefined ? before.description : command.description,
        budgetMonthlyCents: command.budgetMonthlyCents ?? before.budgetMonthlyCents,
        updatedAt: at,
      };
      const changed = (["name", "description", "budgetMonthlyCents"] as const).filter(
        (field) => before[field] !== after[field],
      );
      if (changed.length === 0) return before;
      yield* stores.companies.save(after);
      yield* stores.activity.append({
        companyId: after.id,
        by: command.by,
        at,
        action: "company.updated",
        entityId: after.id,
        details: { changed },
      });
      if (!changed.includes("budgetMonthlyCents")) return after;
      const spend = yield* stores.costs.spent(after.id, monthOf(at));
      return yield* settleCompanyBudget(stores, ids, after, spend, at);
    }),
  );
