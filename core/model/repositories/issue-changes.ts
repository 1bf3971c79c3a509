import { refusal } from "../shared/failure.ts";

/** The sentence says why. */
export class ChangesUnavailable extends refusal(
  "changes_unavailable",
  "conflict",
  "The changes can't be shown.",
) {}

export class DiffTooLarge extends refusal(
  "diff_too_large",
  "unprocessable",
  "The diff is larger than 2 MiB. Request a single path or fetch the branch.",
) {}

/** The most that is shown of a change. */
export const changesLimits = { files: 5_000, patchBytes: 2 * 2 ** 20 } as const;
