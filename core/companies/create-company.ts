import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { usualAgentCausedRunLimit } from "../runs/loop-breaker.ts";
import type { CompanyId } from "../shared/ids.ts";
import { issuePrefixOf, nextIssuePrefix } from "./company.ts";

export interface CreateCompany {
  readonly id: CompanyId;
  readonly by: Actor;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly budgetMonthlyCents?: number | undefined;
}

/** Creates a company. A board user who creates one owns it. */
export const createCompany = (transactor: Transactor, clock: Clock) => (command: CreateCompany) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const at = clock.now();
      const base = issuePrefixOf(command.name);
      const company = yield* stores.companies.insert(
        {
          id: command.id,
          name: command.name,
          description: command.description ?? null,
          status: "active",
          issuePrefix: base,
          budgetMonthlyCents: command.budgetMonthlyCents ?? 0,
          heldByBudgetAt: null,
          runner: null,
          agentCausedRunLimit: usualAgentCausedRunLimit,
          createdAt: at,
          updatedAt: at,
        },
        (n) => nextIssuePrefix(base, n),
      );
      if (command.by.kind === "board")
        yield* stores.access.setRole(company.id, command.by.userId, "owner", at);
      yield* stores.activity.append({
        companyId: company.id,
        by: command.by,
        at,
        action: "company.created",
        entityId: company.id,
        details: { name: company.name },
      });
      return company;
    }),
  );
