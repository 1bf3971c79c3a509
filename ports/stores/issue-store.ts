import type * as Effect from "effect/Effect";
import type { Issue, IssueNotFound } from "../../core/model/issues/issue.ts";
import type {
  AgentId,
  CompanyId,
  GoalId,
  IssueId,
  ProjectId,
  RunId,
  UserId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { WorkOnHold } from "./wake-store.ts";

/** References of a new or changed issue; each must be in the company. */
export interface IssueReferences {
  readonly parentId?: IssueId | null | undefined;
  readonly projectId?: ProjectId | null | undefined;
  readonly goalId?: GoalId | null | undefined;
}

/** An issue that its assignee could continue. */
export interface Actionable {
  readonly id: IssueId;
  readonly assigneeAgentId: AgentId;
}

export interface IssueStore {
  /** Waits for a concurrent lock and takes it. One that the transaction has is not asked for again. */
  lock(id: IssueId): Effect.Effect<Issue, IssueNotFound>;
  /** Locks the open issues of a person in all companies. */
  lockOpenOf(userId: UserId): Effect.Effect<readonly Issue[]>;
  find(id: IssueId): Effect.Effect<Issue, IssueNotFound>;
  insert(issue: Issue): Effect.Effect<void>;
  save(issue: Issue): Effect.Effect<void>;
  /** Returns names of references that are missing or of another company. */
  missingReferences(companyId: CompanyId, references: IssueReferences): Effect.Effect<readonly string[]>;
  /** Parent of the issue, its parent, and so on. */
  parentChain(id: IssueId): Effect.Effect<ReadonlyMap<IssueId, readonly IssueId[]>>;
  /** Its blockers that are not closed. */
  openBlockers(id: IssueId): Effect.Effect<readonly IssueId[]>;
  /** Returns the issues of the company among the ids. */
  existing(
    ids: readonly IssueId[],
    companyId: CompanyId,
  ): Effect.Effect<readonly Pick<Issue, "id" | "status">[]>;
  /**
   * Locks the parents and blockers of the company's issues until the end of the transaction; no closing issue frees
   * others meanwhile.
   */
  holdLinks(companyId: CompanyId): Effect.Effect<void>;
  /**
   * Returns the transitive blockers of the issue and of its new blockers. Locks the links of the company like
   * `holdLinks`.
   */
  lockBlockerLinks(
    companyId: CompanyId,
    id: IssueId,
    blockedBy: readonly IssueId[],
  ): Effect.Effect<ReadonlyMap<IssueId, readonly IssueId[]>>;
  replaceBlockers(companyId: CompanyId, id: IssueId, blockedBy: readonly IssueId[]): Effect.Effect<void>;
  /** Open, assigned issues that this one blocks and, once it is closed, no other does. */
  freedBy(id: IssueId): Effect.Effect<readonly Pick<Issue, "id" | "assigneeAgentId">[]>;
  /** The parent, if it is open and assigned and, once this child is closed, all its children are. */
  parentCompletedBy(id: IssueId): Effect.Effect<Pick<Issue, "id" | "assigneeAgentId"> | null>;
  /**
   * Issues of that work that can continue: assigned, in todo or in_progress, without open blockers, in no project whose
   * budget is used up; most urgent first. Of a project without those whose assignee another budget stops.
   */
  actionable(of: WorkOnHold, at: Instant): Effect.Effect<readonly Actionable[]>;
  /** The issue that the run has checked out last; null: none. */
  checkedOutBy(runId: RunId): Effect.Effect<IssueId | null>;
  /** Those of the issues that are in progress under that agent, and that no run holds. */
  leftInProgress(
    agentId: AgentId,
    ids: readonly IssueId[],
  ): Effect.Effect<readonly Pick<Issue, "id" | "identifier">[]>;
  /** Releases all issues that an ended run held. Assignees and statuses stay. */
  unlockAll(
    runIds: readonly RunId[],
    at: Instant,
  ): Effect.Effect<readonly Pick<Issue, "id" | "identifier">[]>;
}
