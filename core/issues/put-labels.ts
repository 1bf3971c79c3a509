import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { LabelId } from "../shared/ids.ts";
import type { Issue } from "./issue.ts";

/** Puts these labels on the issue and no others; leaves them alone where none are named. */
export const putLabels = Effect.fnUntraced(function* (
  stores: Stores,
  { id, companyId }: Pick<Issue, "id" | "companyId">,
  labelIds: readonly LabelId[] | undefined,
) {
  if (labelIds === undefined) return;
  const wanted = [...new Set(labelIds)];
  const existing = yield* stores.labels.existing(wanted, companyId);
  if (existing.length < wanted.length) yield* Effect.fail(ReferenceNotFound.at("labelIds"));
  yield* stores.labels.replaceOn(id, companyId, wanted);
});
