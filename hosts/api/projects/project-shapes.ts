import { z } from "zod";
import { projectStatuses } from "../../../core/projects/project.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

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
