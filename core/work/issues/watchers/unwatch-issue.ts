import type { Transactor } from "../../../../ports/transactor.ts";
import type { WatchIssue } from "./watch-issue.ts";

/** Stops watching. Does nothing where the person does not watch. */
export const unwatchIssue =
  (transactor: Transactor) =>
  ({ issueId, userId }: Pick<WatchIssue, "issueId" | "userId">) =>
    transactor.transact(({ watchers }) => watchers.remove(issueId, userId));
