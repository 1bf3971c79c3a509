import * as Effect from "effect/Effect";
import type { HttpRequest } from "./listener.ts";

/**
 * Begins the work after connections that wait are accepted: they may ask for health, or must be refused at once. For a
 * caller who has left meanwhile, nothing begins.
 */
export const afterConnections = <A, E, R>(
  request: HttpRequest,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const accepted = request.connectionsAccepted();
    if (accepted === null) return work;
    return Effect.flatMap(
      Effect.promise(() => accepted),
      () => (request.departure.isDeparted ? Effect.interrupt : work),
    );
  });
