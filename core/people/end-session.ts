import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { SessionNotFound } from "../model/access/web-session.ts";
import type { SessionId } from "../model/shared/ids.ts";

export interface EndSession {
  readonly sessionId: SessionId;
  readonly caller: BoardCaller;
}

/** Ends a web session of the caller. */
export const endSession = useCase("access.endSession", function* (unit, { sessionId, caller }: EndSession) {
  const ended = yield* unit.access.endSessions(caller.userId, { only: sessionId }, unit.at);
  if (ended === 0) yield* Effect.fail(new SessionNotFound());
  return { ok: true as const };
});
