import { z } from "zod";
import { grantablePermissions, permissions } from "../../../core/model/approvals/grant.ts";
import { id, Name, Timestamp, when } from "../endpoint/values.ts";

export const Permission = z.enum(permissions);

/** The decisions that an agent is to take in people's place. */
export const grantFields = {
  permission: z
    .enum(grantablePermissions)
    .describe("To decide approvals of the classes, or to merge into repositories."),
  classes: z
    .array(Name)
    .min(1)
    .max(100)
    .describe(
      "Classes of decision, as ownership_decision payloads declare them in `class`; of code:merge ids of repositories, or `all`.",
    ),
};

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
