import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import { nextIssuePrefix } from "../model/companies/company.ts";
import { newCompany } from "../model/companies/new-company.ts";
import type { CompanyId } from "../model/shared/ids.ts";

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
