import type { UseCaseContext } from "../../../access/unit-of-work.ts";
import type { WatchIssue } from "./watch-issue.ts";

/** Stops watching. Does nothing where the person does not watch. */
export const unwatchIssue =
  (context: UseCaseContext) =>
  ({ issueId, userId }: Pick<WatchIssue, "issueId" | "userId">) =>
    context.transactor.transact(({ watchers }) => watchers.remove(issueId, userId));
