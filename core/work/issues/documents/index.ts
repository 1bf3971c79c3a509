import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import type { Views } from "../../../../ports/views.ts";
import { deleteDocument } from "./delete-document.ts";
import { diffDocument } from "./diff-document.ts";
import { putDocument } from "./put-document.ts";
import { restoreDocument } from "./restore-document.ts";

/** The use cases of documents. */
export const documents = (transactor: Transactor, clock: Clock, ids: Ids, views: Views) => ({
  put: putDocument(transactor, clock, ids),
  restore: restoreDocument(transactor, clock, ids),
  diff: diffDocument(views),
  delete: deleteDocument(transactor, clock, ids),
});
