import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { RunId } from "../../shared/ids.ts";
import type { Issue } from "../issue.ts";
import { judgeGates } from "./judge-gates.ts";

/** The gates of an issue's project, judged; none where it has no project. */
export const readGates = Effect.fnUntraced(function* (
  { gates }: Stores,
  { id, projectId }: Pick<Issue, "id" | "projectId">,
  ownRun: RunId | null,
) {
  if (projectId === null) return [];
  const named = yield* gates.ofProject(projectId);
  if (named.length === 0) return [];
  const facts = yield* gates.factsOf(id);
  return judgeGates({ ...facts, gates: named }, ownRun);
});
