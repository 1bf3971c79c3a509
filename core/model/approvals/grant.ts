import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, GrantId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** The permissions that deciding each type of approval requires, and that of merging, whose classes are repositories. */
export const permissions = ["agents:hire", "strategy:decide", "ownership:decide", "code:merge"] as const;
export type Permission = (typeof permissions)[number];

/** The permissions that agents still get: to decide approvals of the classes, and to merge into repositories. */
export const grantablePermissions = [
  "ownership:decide",
  "code:merge",
] as const satisfies readonly Permission[];

/**
 * A board owner's permission for an agent to decide approvals of the permission's type that declare one of the classes.
 */
export interface Grant {
  readonly id: GrantId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly permission: Permission;
  readonly classes: readonly string[];
  readonly grantedByUserId: UserId;
  readonly createdAt: Instant;
  readonly revokedByUserId: UserId | null;
  readonly revokedAt: Instant | null;
}

export class GrantNotFound extends refusal("grant_not_found", "not_found", "Grant not found.") {}
