import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { LineComments } from "../../work/issues/comments/line-comments.ts";
import { findLocation } from "./find-location.ts";
import { listLineComments } from "./list-line-comments.ts";

/** Comments on lines of an issue's changes. */
export const lineComments = (
  context: UseCaseContext,
  views: Views,
  codeStores: CodeStores,
): LineComments => ({
  find: findLocation(context, codeStores),
  list: listLineComments(context, codeStores, views),
});
