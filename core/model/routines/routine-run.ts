import { type Holds, holdsOnWork } from "../agents/holds.ts";
import type { CompanyStatus } from "../companies/company.ts";
import type { IssueStatus } from "../issues/issue-status.ts";
import { isClosed } from "../issues/issue-status.ts";
import { refusal } from "../shared/failure.ts";
import type { CompanyId, IssueId, RevisionId, RoutineId, RoutineRunId, TriggerId } from "../shared/ids.ts";
import { addMillis, type Instant } from "../shared/instant.ts";
import type { Moves } from "../shared/moves.ts";
import type { ConcurrencyPolicy } from "./routine.ts";

export const routineRunSources = ["schedule", "manual", "api", "webhook"] as const;
export type RoutineRunSource = (typeof routineRunSources)[number];

export const routineRunStatuses = [
  "received",
  "issue_created",
  "completed",
  "failed",
  "coalesced",
  "skipped",
] as const;
export type RoutineRunStatus = (typeof routineRunStatuses)[number];

/** `received` exists only inside the transaction of the firing and is never read. */
export const routineRunMoves = {
  received: {
    issue_created: "its issue and the assignee's wake are made",
    coalesced: "an earlier run is active",
    skipped: "an earlier run is active",
    failed: "no issue can be made",
  },
  issue_created: { completed: "its issue is done", failed: "its issue is blocked or cancelled" },
  completed: { issue_created: "its issue is reopened", failed: "its issue is cancelled after all" },
  failed: { issue_created: "its issue is taken up again", completed: "its issue is done after all" },
  coalesced: {},
  skipped: {},
} satisfies Moves<RoutineRunStatus>;

/** The stored result of a firing; the later state of its issue is derived, never stored. */
export type FiredStatus = "issue_created" | "failed" | "coalesced" | "skipped";

/** The results of firings that attempted an issue. */
export const attemptedStatuses = ["issue_created", "failed"] as const satisfies readonly FiredStatus[];

/** This many failed firings in a row pause a routine. */
export const failuresBeforePause = 3;

export interface RoutineRun {
  readonly id: RoutineRunId;
  readonly companyId: CompanyId;
  readonly routineId: RoutineId;
  readonly triggerId: TriggerId | null;
  readonly source: RoutineRunSource;
  readonly status: FiredStatus;
  /** The tick of a scheduled run. */
  readonly scheduledFor: Instant | null;
  readonly triggeredAt: Instant;
  readonly idempotencyKey: string | null;
  readonly triggerPayload: Readonly<Record<string, unknown>> | null;
  readonly routineRevisionId: RevisionId;
  readonly linkedIssueId: IssueId | null;
  readonly coalescedIntoRunId: RoutineRunId | null;
  readonly failureReason: string | null;
  readonly createdAt: Instant;
}

export class RoutineRunNotFound extends refusal(
  "routine_run_not_found",
  "not_found",
  "Routine run not found.",
) {}

/** Returns the shown status, derived from the issue. */
export const shownStatus = (fired: FiredStatus, issue: IssueStatus | null): RoutineRunStatus => {
  if (fired !== "issue_created" || issue === null) return fired;
  if (issue === "done") return "completed";
  return issue === "blocked" || issue === "cancelled" ? "failed" : "issue_created";
};

/** An issue of a routine's run, its activity, and the holds on its assignee's work. */
export interface OpenIssue extends Holds {
  readonly companyStatus: CompanyStatus;
  readonly projectHeldByBudgetAt: Instant | null;
  readonly runId: RoutineRunId;
  readonly issueId: IssueId;
  readonly status: IssueStatus;
  readonly since: Instant;
  readonly hasLiveRun: boolean;
  readonly hasPendingInteraction: boolean;
  readonly lastRunEndedAt: Instant | null;
}

/** How long an issue occupies the slot after its last run. */
const slotHeldAfterRunMs = 15 * 60_000;

/**
 * Whether the issue prevents further firings from creating another: it has a live run or a pending question, or
 * continues once the hold on its assignee is lifted. An abandoned issue prevents nothing.
 */
export const holdsSlot = (issue: Omit<OpenIssue, "runId" | "issueId" | "since">, at: Instant): boolean =>
  !isClosed(issue.status) &&
  (issue.hasLiveRun ||
    holdsOnWork(issue, issue.companyStatus, issue.projectHeldByBudgetAt, at).length > 0 ||
    issue.hasPendingInteraction ||
    issue.status === "in_review" ||
    issue.status === "blocked" ||
    (issue.lastRunEndedAt !== null && addMillis(issue.lastRunEndedAt, slotHeldAfterRunMs) > at));

export type FiringVerdict =
  | { readonly status: "issue_created" }
  | { readonly status: "coalesced" | "skipped"; readonly into: OpenIssue };

/** Decides the result of a firing; `open` are the routine's open issues, newest first. */
export const decideFiring = (
  policy: ConcurrencyPolicy,
  open: readonly OpenIssue[],
  at: Instant,
): FiringVerdict => {
  if (policy === "always_enqueue") return { status: "issue_created" };
  const active = open.find((issue) => holdsSlot(issue, at));
  if (active === undefined) return { status: "issue_created" };
  return { status: policy === "coalesce_if_active" ? "coalesced" : "skipped", into: active };
};
