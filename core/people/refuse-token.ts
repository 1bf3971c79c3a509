import { type BoardTokenPolicy, refusalOfBoardToken } from "../model/access/board-token-policy.ts";

/** Returns why a board token of that person is refused, or null. */
export const refuseToken = (policy: BoardTokenPolicy) => (person: { readonly admin: boolean }) =>
  refusalOfBoardToken(policy, person);
