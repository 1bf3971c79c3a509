import type { Issue } from "./issue.ts";

/** How an issue was completed. verified: with all its gates met; reported: somebody said so. */
export const doneKinds = ["verified", "reported"] as const;
export type DoneAs = (typeof doneKinds)[number];

/** null: it is not done, or it has no gates. */
export const doneAs = (
  { status, verifiedAt }: Pick<Issue, "status" | "verifiedAt">,
  hasGates: boolean,
): DoneAs | null => {
  if (status !== "done") return null;
  if (verifiedAt !== null) return "verified";
  return hasGates ? "reported" : null;
};
