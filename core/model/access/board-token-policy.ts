import { refusal } from "../shared/failure.ts";

/** The people who may have board tokens: all, or instance admins alone, for programs. */
export const boardTokenPolicies = ["all", "admins"] as const;
export type BoardTokenPolicy = (typeof boardTokenPolicies)[number];

export class BoardTokensNotAllowed extends refusal(
  "board_tokens_not_allowed",
  "forbidden",
  "Board tokens aren't for people here. Sign in on the board page.",
) {}

/** Why a person may have and use no board token; null: they may. */
export const refusalOfBoardToken = (
  policy: BoardTokenPolicy,
  person: { readonly admin: boolean },
): BoardTokensNotAllowed | null => (policy === "all" || person.admin ? null : new BoardTokensNotAllowed());
