import type * as Effect from "effect/Effect";
import type { Label, LabelNameTaken, LabelNotFound } from "../../core/labels/label.ts";
import type { CompanyId, IssueId, LabelId } from "../../core/shared/ids.ts";

/** A label as it is remembered. */
export type LabelWord = Pick<Label, "id" | "name">;

export interface LabelStore {
  insert(label: Label): Effect.Effect<void, LabelNameTaken>;
  /** Locks it, after waiting for its deletion or use on an issue. */
  lock(id: LabelId): Effect.Effect<Label, LabelNotFound>;
  /** And takes it off its issues. */
  delete(id: LabelId): Effect.Effect<void>;
  /** Those of the ids that are labels of the company. None of them is deleted before this transaction ends. */
  existing(ids: readonly LabelId[], companyId: CompanyId): Effect.Effect<readonly LabelWord[]>;
  /** What the issue bears, by name. */
  on(issueId: IssueId): Effect.Effect<readonly LabelWord[]>;
  /** Puts these on the issue, and no others. */
  replaceOn(issueId: IssueId, companyId: CompanyId, ids: readonly LabelId[]): Effect.Effect<void>;
}
