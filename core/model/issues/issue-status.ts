import { type Moves, mayMove } from "../shared/moves.ts";

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
  backlog: {
    todo: "status",
    in_progress: "checkout",
    in_review: "correction (board only)",
    blocked: "status",
    done: "correction (board only)",
    cancelled: "status",
  },
  todo: {
    backlog: "status",
    in_progress: "checkout",
    in_review: "correction (board only)",
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
  done: { todo: "reopen (board only)", cancelled: "correction (board only)" },
  cancelled: { todo: "reopen (board only)", done: "correction (board only)" },
} satisfies Moves<IssueStatus>;

/** Whether people may ask for a move. The one to in_progress is a checkout, which needs an assignee. */
export const mayPeopleMove = (
  { status, isAssigned }: { readonly status: IssueStatus; readonly isAssigned: boolean },
  to: IssueStatus,
): boolean => mayMove(issueMoves, status, to) && (to !== "in_progress" || isAssigned);

/** The moves that agents may make: all except those of the board. */
export const movesOfAgents: Moves<IssueStatus> = Object.fromEntries(
  Object.entries(issueMoves).map(([from, moves]) => [
    from,
    Object.fromEntries(Object.entries(moves).filter(([, how]) => !how.endsWith("(board only)"))),
  ]),
) as Moves<IssueStatus>;

/** Closed issues lock nothing and wake only agents that are mentioned; all others are open. */
export const closedStatuses = ["done", "cancelled"] as const satisfies readonly IssueStatus[];

export const isClosed = (status: IssueStatus): boolean =>
  (closedStatuses as readonly IssueStatus[]).includes(status);

export const openStatuses: readonly IssueStatus[] = issueStatuses.filter((status) => !isClosed(status));

/** Neither closed nor in the backlog: somebody should attend to them. */
export const startedStatuses: readonly IssueStatus[] = openStatuses.filter((status) => status !== "backlog");

/** The statuses in which an assignee can continue an issue. */
export const readyStatuses = ["todo", "in_progress"] as const satisfies readonly IssueStatus[];

export const isReadyStatus = (status: IssueStatus): boolean =>
  (readyStatuses as readonly IssueStatus[]).includes(status);

/** The statuses that are news for those who watch an issue. */
export const newsStatuses = ["in_review", "blocked", "done"] as const satisfies readonly IssueStatus[];

export const priorities = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof priorities)[number];
