import { z } from "zod";
import { companyStatuses } from "../../core/companies/company.ts";
import { goalLevels, goalStatuses } from "../../core/goals/goal.ts";
import { projectStatuses } from "../../core/projects/project.ts";
import { free, id, Timestamp, when } from "./values.ts";

export const CompanyShape = z.object({
  id,
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(companyStatuses).describe("paused also while its budget is used up."),
  pauseReason: z.enum(["manual", "budget"]).nullable(),
  issuePrefix: z.string(),
  budgetMonthlyCents: z.number().describe("0: no limit."),
  spentMonthlyCents: z.number().describe("Of the current UTC month."),
  logoAssetId: id.nullable(),
  logoUrl: z.string().nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const ProjectShape = z.object({
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

export const GoalShape = z.object({
  id,
  companyId: id,
  title: z.string(),
  description: z.string().nullable(),
  level: z.enum(goalLevels),
  status: z.enum(goalStatuses),
  parentId: id.nullable(),
  ownerAgentId: id.nullable(),
  archivedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const ActivityShape = z.object({
  id,
  companyId: id,
  actorType: z.enum(["board", "agent", "system"]),
  actorId: id.nullable(),
  runId: id.nullable(),
  action: z.string(),
  entityType: z.string(),
  entityId: id,
  details: free,
  createdAt: Timestamp,
});
