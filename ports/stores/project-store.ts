import type * as Effect from "effect/Effect";
import type { Project, ProjectNotFound } from "../../core/model/projects/project.ts";
import type { CompanyId, IssueId, ProjectId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

export interface ProjectStore {
  /** Waits for a concurrent lock and takes it. */
  lock(id: ProjectId): Effect.Effect<Project, ProjectNotFound>;
  /**
   * Locks the project that the adapter's cost of a run counts for: that of the cost recorded before, otherwise that of
   * the run's issue. The run's agent is locked.
   */
  lockOfRun(id: RunId): Effect.Effect<Project | null>;
  /**
   * Keeps the holds of the issue's project and of another one of its company until the end of the transaction, and
   * returns them.
   */
  lockShared(
    of: IssueId,
    and: ProjectId | null,
  ): Effect.Effect<readonly Pick<Project, "id" | "heldByBudgetAt">[]>;
  /** Since when its budget is used up; null where the company has no such project. */
  heldByBudgetAt(id: ProjectId, companyId: CompanyId): Effect.Effect<Instant | null>;
  /** Returns false where there is no such project. */
  isArchived(id: ProjectId): Effect.Effect<boolean>;
  insert(project: Project): Effect.Effect<void>;
  save(project: Project): Effect.Effect<void>;
  /** Sets or lifts the hold of its budget. */
  setBudgetHold(id: ProjectId, heldAt: Instant | null): Effect.Effect<void>;
  /** Locks at most `limit` projects held since before `at`; skips those locked by another transaction. */
  lockHeldBefore(at: Instant, limit: number): Effect.Effect<readonly Project[]>;
}
