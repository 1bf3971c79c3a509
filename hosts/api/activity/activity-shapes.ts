import { z } from "zod";
import { entityTypes } from "../../../core/model/activity/activity-entry.ts";
import { free, id, Timestamp } from "../endpoint/values.ts";

export const ActivityShape = z.object({
  id,
  companyId: id,
  actorType: z.enum(["board", "agent", "system"]),
  actorId: id.nullable(),
  actorName: z.string().nullable(),
  assistant: z
    .string()
    .nullable()
    .describe("The assistant that acted for the person, as it names itself; null: they acted themselves."),
  runId: id.nullable(),
  action: z.string(),
  entityType: z.enum(entityTypes).describe("Later versions may have more."),
  entityId: id,
  details: free,
  createdAt: Timestamp,
});
