import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Actor } from "../../core/access/caller.ts";
import type { RunId } from "../../core/shared/ids.ts";

/** Returns the row or fails with the refusal. */
export const orFail =
  <E>(refusal: () => E) =>
  <A>(row: Effect.Effect<A | null>): Effect.Effect<A, E> =>
    Effect.flatMap(
      row,
      (found): Effect.Effect<A, E> => (found === null ? Effect.fail(refusal()) : Effect.succeed(found)),
    );

/** Groups the targets of links by their source. */
export const linksOf = <Id extends string>(
  rows: readonly { readonly id: Id; readonly target: Id | null }[],
): ReadonlyMap<Id, readonly Id[]> => {
  const links = new Map<Id, Id[]>();
  for (const { id, target } of rows) {
    const targets = links.get(id) ?? [];
    if (target !== null) targets.push(target);
    links.set(id, targets);
  }
  return links;
};

/** A value for a jsonb column. */
export const json = (sql: Sql, value: object | null) => sql.json(value as Parameters<Sql["json"]>[0]);

/** Returns the columns of an actor, in addition to its kind. */
export const actorRow = (actor: Actor): { readonly id: string | null; readonly runId: RunId | null } => {
  switch (actor.kind) {
    case "board":
      return { id: actor.userId, runId: null };
    case "agent":
      return { id: actor.agentId, runId: actor.runId };
    case "system":
      return { id: null, runId: null };
  }
};

/** The actor of these columns. */
export const actorOfRow = (kind: Actor["kind"], id: string | null, runId: string | null): Actor =>
  ({ kind, ...(kind === "agent" ? { agentId: id, runId } : { userId: id }) }) as Actor;
