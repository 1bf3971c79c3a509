/**
 * The orders of a list of issues. priority: most urgent first, then last active; activity: last active first; newest and
 * created: newest or oldest first, each issue exactly once while a caller pages.
 */
export const issueOrders = ["priority", "activity", "newest", "created"] as const;
export type IssueOrder = (typeof issueOrders)[number];
