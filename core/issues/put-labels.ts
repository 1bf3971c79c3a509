import * as Effect from "effect/Effect";
import type { LabelWord } from "../../ports/stores/label-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { LabelId } from "../shared/ids.ts";
import type { Issue } from "./issue.ts";

export interface LabelChange {
  readonly added: readonly LabelWord[];
  readonly removed: readonly LabelWord[];
}

/** Replaces the issue's labels; leaves them unchanged where none are named. Returns null where nothing changed. */
export const putLabels = Effect.fnUntraced(function* (
  stores: Stores,
  { id, companyId }: Pick<Issue, "id" | "companyId">,
  labelIds: readonly LabelId[] | undefined,
) {
  if (labelIds === undefined) return null;
  const wanted = new Set(labelIds);
  const [existing, before] = yield* Effect.all(
    [stores.labels.existing([...wanted], companyId), stores.labels.on(id)],
    { concurrency: "unbounded" },
  );
  if (existing.length < wanted.size) yield* Effect.fail(ReferenceNotFound.at("labelIds"));
  const borne = new Set(before.map((label) => label.id));
  const change: LabelChange = {
    added: existing.filter((label) => !borne.has(label.id)),
    removed: before.filter((label) => !wanted.has(label.id)),
  };
  if (change.added.length === 0 && change.removed.length === 0) return null;
  yield* stores.labels.replaceOn(id, companyId, [...wanted]);
  return change;
});
