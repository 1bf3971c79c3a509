import type { Moves } from "../shared/moves.ts";

export const issueStatuses = [
  "backlog",
  "todo",
  "in_progress",
  "in_review",
  "done",
  "blocked",
  "cancelled",
] as const;
export type IssueStatus = (typeof issueStatuses)[number];

export const issueMoves = {
  backlog: { todo: "status", in_progress: "checkout", blocked: "status", cancelled: "status" },
  todo: {
    backlog: "status",
    in_progress: "checkout",
    blocked: "status",
    done: "status",
    cancelled: "status",
  },
  in_progress: {
    todo: "release",
    in_review: "status",
    blocked: "status",
    done: "status",
    cancelled: "status",
  },
  in_review: {
    in_progress: "checkout",
    todo: "status",
    blocked: "status",
    done: "status",
    cancelled: "status",
  },
  blocked: { todo: "status", backlog: "status", in_progress: "checkout", cancelled: "status" },
  done: { todo: "reopen (board only)" },
  cancelled: { todo: "reopen (board only)" },
} satisfies Moves<IssueStatus>;

/** Closed issues hold nobody and wake nobody but those who are mentioned. */
export const isClosed = (status: IssueStatus): boolean => status === "done" || status === "cancelled";

export const priorities = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof priorities)[number];
