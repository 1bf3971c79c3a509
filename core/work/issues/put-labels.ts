import * as Effect from "effect/Effect";
import type { LabelName } from "../../../ports/stores/label-store.ts";
import type { Stores } from "../../../ports/transactor.ts";
import type { Issue } from "../../model/issues/issue.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { LabelId } from "../../model/shared/ids.ts";

export interface LabelChange {
  readonly added: readonly LabelName[];
  readonly removed: readonly LabelName[];
}

/** All labels of an issue, or those to add and remove; undefined: unchanged. */
export interface LabelsWanted {
  readonly labelIds?: readonly LabelId[] | undefined;
  readonly addLabelIds?: readonly LabelId[] | undefined;
  readonly removeLabelIds?: readonly LabelId[] | undefined;
}

const fields = ["labelIds", "addLabelIds", "removeLabelIds"] as const;

/** Sets the labels of the issue. Returns null if nothing changed. */
export const putLabels = Effect.fnUntraced(function* (
  stores: Stores,
  { id, companyId }: Pick<Issue, "id" | "companyId">,
  wanted: LabelsWanted,
) {
  const named = new Set(fields.flatMap((field) => wanted[field] ?? []));
  if (fields.every((field) => wanted[field] === undefined)) return null;
  const [existing, before] = yield* Effect.all(
    [stores.labels.existing([...named], companyId), stores.labels.on(id)],
    { concurrency: "unbounded" },
  );
  const known = new Set(existing.map((label) => label.id));
  const unknown = fields.find((field) => wanted[field]?.some((labelId) => !known.has(labelId)));
  if (unknown !== undefined) yield* Effect.fail(ReferenceNotFound.at(unknown));
  const borne = new Set(before.map((label) => label.id));
  const { labelIds = [...borne], addLabelIds = [], removeLabelIds = [] } = wanted;
  const removed = new Set(removeLabelIds);
  const after = new Set([...labelIds, ...addLabelIds].filter((labelId) => !removed.has(labelId)));
  const change: LabelChange = {
    added: existing.filter((label) => after.has(label.id) && !borne.has(label.id)),
    removed: before.filter((label) => !after.has(label.id)),
  };
  if (change.added.length === 0 && change.removed.length === 0) return null;
  yield* stores.labels.replaceOn(id, companyId, [...after]);
  return change;
});
