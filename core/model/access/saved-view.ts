import { refusal } from "../shared/failure.ts";
import type { CompanyId, SavedViewId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A list of a company's issues to which a person has given a name. Only that person sees it. */
export interface SavedView {
  readonly id: SavedViewId;
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly name: string;
  /** The query of the list's address on the board page: filters, order, grouping. */
  readonly query: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Of one person in one company. */
export const mostSavedViews = 50;

export class SavedViewNotFound extends refusal(
  "saved_view_not_found",
  "not_found",
  "Saved view not found.",
) {}

export class SavedViewNameTaken extends refusal(
  "saved_view_name_taken",
  "conflict",
  "You already have a saved view with that name.",
) {}

export class TooManySavedViews extends refusal(
  "too_many_saved_views",
  "conflict",
  `You can save up to ${mostSavedViews} views per company. Delete one first.`,
) {}
