import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { RunId } from "../../shared/ids.ts";
import type { Issue } from "../issue.ts";
import { judgeGates } from "./judge-gates.ts";

/** The gates of an issue, judged: its own, or those of its project. */
export const readGates = Effect.fnUntraced(function* (
  { gates }: Stores,
  issue: Pick<Issue, "id" | "projectId">,
  ownRun: RunId | null,
) {
  const named = yield* gates.ofIssue(issue);
  if (named.length === 0) return [];
  const facts = yield* gates.factsOf(issue);
  return judgeGates({ ...facts, gates: named }, ownRun);
});
