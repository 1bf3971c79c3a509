import type { Instant } from "../shared/instant.ts";
import { addSeconds } from "../shared/instant.ts";
import { holdUntil } from "./account-hold.ts";

/** rejected: the provider refuses requests until the reset. */
export const usageStatuses = ["allowed", "warning", "rejected"] as const;

/** How much of a provider's window an account has used, as the program of a run reported it. */
export interface UsageWindow {
  /** As the provider names it. */
  readonly name: string;
  /** null: the program does not tell it. */
  readonly status: (typeof usageStatuses)[number] | null;
  readonly usedPercent: number | null;
  readonly windowMinutes: number | null;
  readonly resetsAt: Instant | null;
}

/** After a reset: clocks differ. */
const afterResetSec = 60;

/** Returns until when rejected windows delay new runs of the account, at most for one window; null: they do not. */
export const holdOfWindows = (windows: readonly UsageWindow[], at: Instant): Instant | null => {
  const ends = windows.flatMap(({ status, resetsAt, windowMinutes }) => {
    if (status !== "rejected" || resetsAt === null) return [];
    const latest = windowMinutes === null ? null : addSeconds(at, windowMinutes * 60);
    return [addSeconds(latest !== null && latest < resetsAt ? latest : resetsAt, afterResetSec)];
  });
  return holdUntil(ends.sort().at(-1) ?? null, at);
};
