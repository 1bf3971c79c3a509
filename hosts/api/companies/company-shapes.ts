import { z } from "zod";
import { companyStatuses } from "../../../core/companies/company.ts";
import { id, Timestamp } from "../endpoint/values.ts";

export const CompanyShape = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(companyStatuses).describe("paused also while its budget is used up."),
  pauseReason: z.enum(["manual", "budget"]).nullable(),
  issuePrefix: z.string(),
  budgetMonthlyCents: z.number().describe("0: no limit."),
  spentMonthlyCents: z.number().describe("Spend of the current month (UTC)."),
  runner: z
    .string()
    .nullable()
    .describe("The runner of its agents that name none; null: the service's default."),
  logoAssetId: id.nullable(),
  logoUrl: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
