import type * as Effect from "effect/Effect";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type { Goal, GoalNotFound } from "../../core/model/goals/goal.ts";
import type { Project, ProjectNotFound } from "../../core/model/projects/project.ts";
import type { PullRequest } from "../../core/model/repositories/pull-request.ts";
import type { Repository, RepositoryNotFound } from "../../core/model/repositories/repository.ts";
import type { CompanyId, GoalId, IssueId, ProjectId, RepositoryId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** A project where it is shown with another record. */
export type ProjectFacts = Omit<Project, "budgetMonthlyCents" | "heldByBudgetAt">;

/** A project as it is stored; `showProject` makes what its readers see. */
export interface ProjectRecord extends Project {
  readonly companyStatus: CompanyStatus;
  /** Spend of the current UTC month. */
  readonly spentMonthlyCents: number;
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
    at: Instant,
  ): Effect.Effect<Page<ProjectRecord>, CursorInvalid>;
  project(id: ProjectId, at: Instant): Effect.Effect<ProjectRecord, ProjectNotFound>;
  /** Those of the project that are not removed, oldest first. */
  repositories(projectId: ProjectId): Effect.Effect<readonly RepositoryView[]>;
  repository(id: RepositoryId): Effect.Effect<RepositoryView, RepositoryNotFound>;
  /** Of an issue, newest first. */
  pullRequests(issueId: IssueId): Effect.Effect<readonly PullRequestView[]>;
  /** Newest first; archived ones on request only. */
  goals(companyId: CompanyId, archived: boolean, page: PageRequest): Effect.Effect<Page<Goal>, CursorInvalid>;
  goal(id: GoalId): Effect.Effect<Goal, GoalNotFound>;
}
