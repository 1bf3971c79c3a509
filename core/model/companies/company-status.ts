import { holdsOnCompany } from "../agents/holds.ts";
import type { Instant } from "../shared/instant.ts";
import type { Company, CompanyStatus } from "./company.ts";

/** The status shown to people: a company that has used up its budget is paused, whatever its stored status. */
export const companyStatus = (
  company: Pick<Company, "status" | "heldByBudgetAt">,
  at: Instant,
): { readonly status: CompanyStatus; readonly pauseReason: "manual" | "budget" | null } => {
  const [hold] = holdsOnCompany(company, at);
  if (hold === undefined || company.status === "archived")
    return { status: company.status, pauseReason: null };
  return { status: "paused", pauseReason: hold === "company" ? "manual" : "budget" };
};
