import { z } from "zod";
import { permissions } from "../../../core/approvals/grant.ts";
import { id, Timestamp, when } from "../endpoint/values.ts";

export const Permission = z.enum(permissions);

export const GrantShape = z.object({
  id,
  companyId: id,
  agentId: id,
  permission: Permission,
  classes: z.array(z.string()).readonly().describe("Classes of decision, as payloads declare them."),
  grantedByUserId: id,
  createdAt: Timestamp,
  revokedByUserId: id.nullable(),
  revokedAt: when,
});
