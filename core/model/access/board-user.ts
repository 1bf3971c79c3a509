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

export class UserNotFound extends refusal("user_not_found", "not_found", "There is no such board user.") {}

export class TokenNotFound extends refusal("token_not_found", "not_found", "There is no such token.") {}

export class MemberNotFound extends refusal(
  "member_not_found",
  "not_found",
  "That user is no member of the company.",
) {}

export class LastAdmin extends refusal(
  "last_admin",
  "conflict",
  "The last instance admin cannot be disabled or demoted. Make another user an admin first.",
) {}
