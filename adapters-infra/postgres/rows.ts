import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Actor } from "../../core/model/access/caller.ts";
import type { RunId } from "../../core/model/shared/ids.ts";

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

/** The columns of an actor. */
export const actorRow = (
  by: Actor,
): { readonly byKind: Actor["kind"]; readonly byId: string | null; readonly byRunId: RunId | null } => ({
  byKind: by.kind,
  byId: by.kind === "board" ? by.userId : by.kind === "agent" ? by.agentId : null,
  byRunId: by.kind === "agent" ? by.runId : null,
});

/** The actor of these columns. */
export const actorOfRow = (kind: Actor["kind"], id: string | null, runId: string | null): Actor =>
  ({ kind, ...(kind === "agent" ? { agentId: id, runId } : { userId: id }) }) as Actor;
