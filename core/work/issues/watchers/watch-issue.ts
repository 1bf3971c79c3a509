import { useCase } from "../../../access/unit-of-work.ts";
import type { CompanyId, IssueId, UserId } from "../../../model/shared/ids.ts";
import type { Instant } from "../../../model/shared/instant.ts";

export interface WatchIssue {
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly userId: UserId;
  /** Events until then are not news to the person; default: now. */
  readonly seenUntil?: Instant | undefined;
}

/** Makes a person a watcher; for one who already watches, everything so far counts as seen. */
export const watchIssue = useCase("issues.watch", function* (unit, command: WatchIssue) {
  const { companyId, issueId, userId, seenUntil } = command;
  const { at } = unit;
  const seenAt = seenUntil === undefined || seenUntil > at ? at : seenUntil;
  yield* unit.watchers.see({ companyId, issueId, userId, at, seenAt });
});
