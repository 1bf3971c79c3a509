import { z } from "zod";
import { projectStatuses } from "../../../core/model/projects/project.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

/** A project where it is shown with another record. */
export const ProjectFactsShape = z.object({
  id,
  companyId: id,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(projectStatuses),
  leadAgentId: id.nullable(),
  targetDate: z.string().nullable().describe("A day, YYYY-MM-DD."),
  archivedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const ProjectShape = ProjectFactsShape.extend({
  callerMay: CallerMayShape("project"),
  budgetMonthlyCents: z.number().describe("0: no limit."),
  spentMonthlyCents: z.number().describe("Spend of the current month (UTC)."),
  pauseReason: z
    .enum(["budget"])
    .nullable()
    .describe("budget: it is used up, and no run starts on the project's issues."),
});
