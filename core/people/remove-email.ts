import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";

/** Removes the address of the caller, and links that would set another one. */
export const removeEmail = useCase("access.removeEmail", function* (unit, { userId }: BoardCaller) {
  yield* unit.emails.endConfirmations(userId, unit.at);
  yield* unit.emails.save({ userId, address: null, confirmedAt: null, provider: null });
});
