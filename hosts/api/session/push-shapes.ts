import { z } from "zod";
import { id, Timestamp } from "../endpoint/values.ts";

export const PushSubscriptionShape = z.object({
  id,
  device: z.string().nullable().describe('Such as "Firefox on Linux"; null: unknown.'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("When its push service last accepted a notice. Null: never."),
  lastError: z.string().nullable().describe("Why the last notice was not accepted. Null: it was."),
  current: z.boolean().describe("The browser of this call."),
});
