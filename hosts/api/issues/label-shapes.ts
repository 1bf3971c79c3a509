import { z } from "zod";
import { id, Timestamp } from "../endpoint/values.ts";

export const LabelShape = z.object({
  id,
  companyId: id,
  name: z.string(),
  color: z.string().nullable().describe("#rrggbb."),
  createdAt: Timestamp,
});
