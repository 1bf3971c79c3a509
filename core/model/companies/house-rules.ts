import { refusal } from "../shared/failure.ts";
import type { CompanyId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** A revision of the rules that all agents of a company read in every run. The latest one counts; an empty text is no rules. */
export interface HouseRules {
  readonly companyId: CompanyId;
  /** 1, 2, 3, … */
  readonly revisionNumber: number;
  /** Markdown. */
  readonly body: string;
  readonly createdByUserId: UserId | null;
  readonly createdAt: Instant;
}

/** Agents' programs read no more than this of such a file. */
export const mostHouseRules = 32_000;

export class HouseRulesStale extends refusal(
  "house_rules_stale",
  "conflict",
  "The house rules were changed in the meantime. Review the current revision and try again.",
) {}

/** Refuses a change of another than the current revision; 0: none exists yet. */
export const refuseStaleRules = (current: HouseRules | null, base: number): HouseRulesStale | null => {
  const currentRevisionNumber = current?.revisionNumber ?? 0;
  return currentRevisionNumber === base ? null : new HouseRulesStale({ currentRevisionNumber });
};
