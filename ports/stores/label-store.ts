import type * as Effect from "effect/Effect";
import type { Label, LabelNameTaken, LabelNotFound } from "../../core/model/labels/label.ts";
import type { CompanyId, IssueId, LabelId } from "../../core/model/shared/ids.ts";

/** A label in the activity log. */
export type LabelName = Pick<Label, "id" | "name">;

export interface LabelStore {
  insert(label: Label): Effect.Effect<void, LabelNameTaken>;
  /** Locks it; waits for its deletion or use on an issue. */
  lock(id: LabelId): Effect.Effect<Label, LabelNotFound>;
  /** Also removes it from its issues. */
  delete(id: LabelId): Effect.Effect<void>;
  /** Returns the labels of the company among the ids; prevents their deletion until the transaction ends. */
  existing(ids: readonly LabelId[], companyId: CompanyId): Effect.Effect<readonly LabelName[]>;
  /** Returns the issue's labels by name. */
  on(issueId: IssueId): Effect.Effect<readonly LabelName[]>;
  /** Replaces the labels of the issue. */
  replaceOn(issueId: IssueId, companyId: CompanyId, ids: readonly LabelId[]): Effect.Effect<void>;
}
