import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import type { CompanyId } from "../model/shared/ids.ts";

export interface RestoreEntry {
  readonly caller: BoardCaller;
  readonly companyId: CompanyId;
  readonly entryId: string;
}

/** Restores a dismissed entry. Does nothing where it is not dismissed. */
export const restoreEntry =
  (context: UseCaseContext) =>
  ({ caller, companyId, entryId }: RestoreEntry) =>
    context.transactor.transact(({ inbox }) => inbox.restore({ userId: caller.userId, companyId, entryId }));
