import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import type { CompanyId, IssueId, UserId } from "../../../model/shared/ids.ts";
import type { Instant } from "../../../model/shared/instant.ts";

export interface WatchIssue {
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly userId: UserId;
  /** Events until then are not news to the person; default: now. */
  readonly seenUntil?: Instant | undefined;
}

/** Makes a person a watcher; one who watches already has then seen what happened. */
export const watchIssue = (transactor: Transactor, clock: Clock) => (command: WatchIssue) =>
  transactor.transact(({ watchers }) =>
    Effect.suspend(() => {
      const { companyId, issueId, userId, seenUntil } = command;
      const at = clock.now();
      const seenAt = seenUntil === undefined || seenUntil > at ? at : seenUntil;
      return watchers.see({ companyId, issueId, userId, at, seenAt });
    }),
  );
