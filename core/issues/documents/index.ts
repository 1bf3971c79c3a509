import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { deleteDocument } from "./delete-document.ts";
import { putDocument } from "./put-document.ts";
import { restoreDocument } from "./restore-document.ts";

/** Everything that can be done to a document. */
export const documents = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  put: putDocument(transactor, clock, ids),
  restore: restoreDocument(transactor, clock, ids),
  delete: deleteDocument(transactor, clock),
});
