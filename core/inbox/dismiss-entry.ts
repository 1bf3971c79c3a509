import * as Effect from "effect/Effect";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import {
  InboxEntryChanged,
  InboxEntryNotDismissible,
  InboxEntryNotFound,
  inboxScope,
} from "../model/inbox/inbox-entry.ts";
import { inboxKinds } from "../model/inbox/inbox-kind.ts";
import type { CompanyId } from "../model/shared/ids.ts";

export interface DismissEntry {
  readonly caller: BoardCaller;
  readonly companyId: CompanyId;
  readonly entryId: string;
  /** The version that the caller saw. */
  readonly version: string;
}

/** Dismisses an entry for the caller until it changes. Other callers still see it. */
export const dismissEntry = (context: UseCaseContext, views: InboxViews) =>
  Effect.fnUntraced(function* ({ caller, companyId, entryId, version }: DismissEntry) {
    const fact = yield* views.find(inboxScope(caller, companyId, context.clock.now()), entryId);
    if (fact === null) return yield* Effect.fail(new InboxEntryNotFound());
    if (!inboxKinds[fact.kind].dismissible) return yield* Effect.fail(new InboxEntryNotDismissible());
    if (fact.version !== version)
      return yield* Effect.fail(new InboxEntryChanged({ currentVersion: fact.version }));
    yield* context.transactor.transact(({ inbox }) =>
      inbox.dismiss({ userId: caller.userId, companyId, entryId, version, at: context.clock.now() }),
    );
  });
