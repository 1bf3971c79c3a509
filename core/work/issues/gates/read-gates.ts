import * as Effect from "effect/Effect";
import type { Stores } from "../../../../ports/transactor.ts";
import { type GateFacts, judgeGates } from "../../../model/issues/gates/judge-gates.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import type { RunId } from "../../../model/shared/ids.ts";

/** The gates of an issue, judged: its own, or those of its project. */
export const readGates = Effect.fnUntraced(function* (
  stores: Stores,
  issue: Pick<Issue, "id" | "projectId">,
  ownRun: RunId | null,
) {
  const facts = yield* readGateFacts(stores, issue);
  return facts === null ? [] : judgeGates(facts, ownRun);
});

/** The facts by which the gates of an issue are judged; null: it has none. */
export const readGateFacts = Effect.fnUntraced(function* (
  { gates }: Stores,
  issue: Pick<Issue, "id" | "projectId">,
) {
  const named = yield* gates.ofIssue(issue);
  if (named.length === 0) return null;
  const facts: GateFacts = { ...(yield* gates.factsOf(issue)), gates: named };
  return facts;
});
