import type { Views } from "../../../../ports/views.ts";
import type { UseCaseContext } from "../../../access/unit-of-work.ts";
import { deleteDocument } from "./delete-document.ts";
import { diffDocument } from "./diff-document.ts";
import { putDocument } from "./put-document.ts";
import { restoreDocument } from "./restore-document.ts";

/** The use cases of documents. */
export const documents = (context: UseCaseContext, views: Views) => ({
  put: putDocument(context),
  restore: restoreDocument(context),
  diff: diffDocument(views),
  delete: deleteDocument(context),
});
