import { refusal } from "../shared/failure.ts";
import type { CompanyId, LabelId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A name by which issues of a company can be found. */
export interface Label {
  readonly id: LabelId;
  readonly companyId: CompanyId;
  readonly name: string;
  /** `#rrggbb`. */
  readonly color: string | null;
  readonly createdAt: Instant;
}

export class LabelNotFound extends refusal("label_not_found", "not_found", "Label not found.") {}

export class LabelNameTaken extends refusal(
  "label_name_taken",
  "conflict",
  "The company already has a label with this name.",
) {}
