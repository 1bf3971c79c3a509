import type * as Effect from "effect/Effect";
import type { ActionOf } from "../../core/model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";
import type { CallerMay } from "../../core/model/access/caller-may.ts";
import type { Goal, GoalNotFound } from "../../core/model/goals/goal.ts";
import type { Project, ProjectNotFound } from "../../core/model/projects/project.ts";
import type { PullRequest } from "../../core/model/repositories/pull-request.ts";
import type { Repository, RepositoryNotFound } from "../../core/model/repositories/repository.ts";
import type { CompanyId, GoalId, IssueId, ProjectId, RepositoryId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** A project where it is shown with another record. */
export type ProjectFacts = Omit<Project, "budgetMonthlyCents" | "heldByBudgetAt">;

export interface ProjectView extends ProjectFacts {
  readonly budgetMonthlyCents: number;
  /** Spend of the current UTC month. */
  readonly spentMonthlyCents: number;
  /** Why no run starts on its issues. */
  readonly pauseReason: "budget" | null;
  /** The actions that the reader may take now. */
  readonly callerMay: CallerMay<ActionOf<"project">>;
}

/** A repository that is its project's. */
export type RepositoryView = Omit<Repository, "removedAt">;

/** A pull request as it was looked at last. */
export type PullRequestView = Pick<
  PullRequest,
  | "id"
  | "issueId"
  | "repositoryId"
  | "branch"
  | "intoBranch"
  | "title"
  | "state"
  | "number"
  | "url"
  | "head"
  | "checks"
  | "checksCommit"
  | "failedChecks"
  | "handedOverAt"
  | "problem"
  | "polledAt"
  | "createdAt"
>;

export interface PlanningViews {
  /** Newest first; archived ones on request only. */
  projects(
    companyId: CompanyId,
    archived: boolean,
    page: PageRequest,
    caller: BoardCaller | AgentCaller,
  ): Effect.Effect<Page<ProjectView>, CursorInvalid>;
  project(id: ProjectId, caller: BoardCaller | AgentCaller): Effect.Effect<ProjectView, ProjectNotFound>;
  /** Those of the project that are not removed, oldest first. */
  repositories(projectId: ProjectId): Effect.Effect<readonly RepositoryView[]>;
  repository(id: RepositoryId): Effect.Effect<RepositoryView, RepositoryNotFound>;
  /** Of an issue, newest first. */
  pullRequests(issueId: IssueId): Effect.Effect<readonly PullRequestView[]>;
  /** Newest first; archived ones on request only. */
  goals(companyId: CompanyId, archived: boolean, page: PageRequest): Effect.Effect<Page<Goal>, CursorInvalid>;
  goal(id: GoalId): Effect.Effect<Goal, GoalNotFound>;
}
