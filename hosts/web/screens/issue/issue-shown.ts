import { createContext, use } from "react";
import type { Issue } from "../../live/records.ts";

/** The issue shown; `IssueScreen` gives it. */
export const IssueShown = createContext<Issue | null>(null);

/** Whether this person may do that with the issue shown, and why not. Only below `IssueScreen`. */
export const useIssueMay = <Action extends keyof Issue["callerMay"]>(
  action: Action,
): Issue["callerMay"][Action] => {
  const issue = use(IssueShown);
  if (issue === null) throw new Error("This part belongs to an issue.");
  return issue.callerMay[action];
};
