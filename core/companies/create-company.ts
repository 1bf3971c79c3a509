import { useCase } from "../access/unit-of-work.ts";
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
export const createCompany = useCase("companies.create", function* (unit, command: CreateCompany) {
  const { id, name, description = null, budgetMonthlyCents = 0 } = command;
  const made = newCompany({ id, name, description, budgetMonthlyCents, at: unit.at });
  const company = yield* unit.companies.insert(made, (n) => nextIssuePrefix(made.issuePrefix, n));
  if (unit.by.kind === "board") yield* unit.access.setRole(company.id, unit.by.userId, "owner", unit.at);
  yield* unit.log("company.created", { companyId: company.id, id: company.id }, { name: company.name });
  return company;
});
