import { refusal } from "../shared/failure.ts";
import type { TokenId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A human operator. */
export interface BoardUser {
  readonly id: UserId;
  readonly name: string;
  readonly admin: boolean;
  readonly createdAt: Instant;
  readonly disabledAt: Instant | null;
}

/** The name of sessions by the token they were exchanged for: revoking the token revokes them. */
export const sessionNameOf = (tokenId: TokenId): string => `web session of ${tokenId}`;

export class UserNotFound extends refusal("user_not_found", "not_found", "Board user not found.") {}

export class TokenNotFound extends refusal("token_not_found", "not_found", "Token not found.") {}

export class MemberNotFound extends refusal(
  "member_not_found",
  "not_found",
  "This user isn't a member of the company.",
) {}

export class LastAdmin extends refusal(
  "last_admin",
  "conflict",
  "You can't disable or demote the last instance admin. Make another user an admin first.",
) {}
