import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { type Actor, bySystem } from "../../model/access/caller.ts";
import { type Issue, moveIssue } from "../../model/issues/issue.ts";
import type { Instant } from "../../model/shared/instant.ts";

/** Opens an issue again whose work turned out not to be done; another one stays as it is. */
export const reopenDone = Effect.fnUntraced(function* (stores: Stores, issue: Issue, by: Actor, at: Instant) {
  if (issue.status !== "done") return issue;
  const open = yield* Effect.orDie(Effect.fromResult(moveIssue(issue, "todo", bySystem, at)));
  yield* stores.issues.save(open);
  yield* logAction(stores, issue, by, at, "issue.status_changed", {
    identifier: issue.identifier,
    from: issue.status,
    to: open.status,
  });
  return open;
});
