import { z } from "zod";
import { goalLevels, goalStatuses } from "../../../core/model/goals/goal.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

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
