import type { Transactor } from "../../ports/transactor.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import type { CompanyId } from "../model/shared/ids.ts";

export interface RestoreEntry {
  readonly caller: BoardCaller;
  readonly companyId: CompanyId;
  readonly entryId: string;
}

/** Restores a dismissed entry. Does nothing where it is not dismissed. */
export const restoreEntry =
  (transactor: Transactor) =>
  ({ caller, companyId, entryId }: RestoreEntry) =>
    transactor.transact(({ inbox }) => inbox.restore({ userId: caller.userId, companyId, entryId }));
