import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transact } from "../access/transact-as.ts";
import { logAction } from "../activity/log-action.ts";
import type { CompanyId } from "../shared/ids.ts";
import { nextIssuePrefix } from "./company.ts";
import { newCompany } from "./new-company.ts";

export interface CreateCompany {
  readonly id: CompanyId;
  readonly by: Actor;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly budgetMonthlyCents?: number | undefined;
}

/** Creates a company. A board user who creates one owns it. */
export const createCompany = (transactor: Transactor, clock: Clock) => (command: CreateCompany) =>
  transact(transactor, function* (stores) {
    const at = clock.now();
    const { id, name, description = null, budgetMonthlyCents = 0 } = command;
    const made = newCompany({ id, name, description, budgetMonthlyCents, at });
    const company = yield* stores.companies.insert(made, (n) => nextIssuePrefix(made.issuePrefix, n));
    if (command.by.kind === "board") yield* stores.access.setRole(company.id, command.by.userId, "owner", at);
    yield* logAction(stores, { companyId: company.id, id: company.id }, command.by, at, "company.created", {
      name: company.name,
    });
    return company;
  });
