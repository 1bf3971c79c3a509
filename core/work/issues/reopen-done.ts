import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { bySystem } from "../../model/access/caller.ts";
import { type Issue, moveIssue } from "../../model/issues/issue.ts";

/** Reopens a completed issue whose work turned out to be incomplete; any other issue stays as it is. */
export const reopenDone = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue) {
  if (issue.status !== "done") return issue;
  const open = yield* Effect.orDie(Effect.fromResult(moveIssue(issue, "todo", bySystem, unit.at)));
  yield* unit.issues.save(open);
  yield* unit.log("issue.status_changed", issue, {
    identifier: issue.identifier,
    from: issue.status,
    to: open.status,
  });
  return open;
});
