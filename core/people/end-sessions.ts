import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";

export interface EndSessions {
  readonly caller: BoardCaller;
}

/** Ends the web sessions of the caller except the one that calls, and revokes links that are not used yet. */
export const endSessions = useCase("access.endSessions", function* (unit, { caller }: EndSessions) {
  const { userId, tokenId } = caller;
  for (const purpose of ["start", "open", "invitation"] as const)
    yield* unit.access.revokeCodes(userId, purpose, unit.at);
  return { ended: yield* unit.access.endSessions(userId, { except: tokenId }, unit.at) };
});
