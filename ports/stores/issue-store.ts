import type * as Effect from "effect/Effect";
import type { Issue, IssueNotFound } from "../../core/issues/issue.ts";
import type { AgentId, CompanyId, GoalId, IssueId, ProjectId, RunId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** What a new or changed issue refers to; each is checked to be of the company. */
export interface IssueReferences {
  readonly parentId?: IssueId | null | undefined;
  readonly projectId?: ProjectId | null | undefined;
  readonly goalId?: GoalId | null | undefined;
}

/** An issue that its assignee could go on with. */
export interface Actionable {
  readonly id: IssueId;
  readonly assigneeAgentId: AgentId;
}

export interface IssueStore {
  /** Locks it, after waiting for its present lock. */
  lock(id: IssueId): Effect.Effect<Issue, IssueNotFound>;
  find(id: IssueId): Effect.Effect<Issue, IssueNotFound>;
  insert(issue: Issue): Effect.Effect<void>;
  save(issue: Issue): Effect.Effect<void>;
  /** Names of the references that are missing or of another company. */
  missingReferences(companyId: CompanyId, references: IssueReferences): Effect.Effect<readonly string[]>;
  /** Parent of the issue, its parent, and so on. */
  parentChain(id: IssueId): Effect.Effect<ReadonlyMap<IssueId, readonly IssueId[]>>;
  /** Issues it waits for that are not closed. */
  openBlockers(id: IssueId): Effect.Effect<readonly IssueId[]>;
  /** Those of the ids that are issues of the company. */
  existing(
    ids: readonly IssueId[],
    companyId: CompanyId,
  ): Effect.Effect<readonly Pick<Issue, "id" | "status">[]>;
  /** Until the end of the transaction no issue of the company gets another parent or blocker, and none that closes frees others. */
  holdLinks(companyId: CompanyId): Effect.Effect<void>;
  /**
   * What the issue waits for, and what those wait for that it is to wait for, and so on. Holds the links of the company,
   * as above.
   */
  lockBlockerLinks(
    companyId: CompanyId,
    id: IssueId,
    blockedBy: readonly IssueId[],
  ): Effect.Effect<ReadonlyMap<IssueId, readonly IssueId[]>>;
  replaceBlockers(companyId: CompanyId, id: IssueId, blockedBy: readonly IssueId[]): Effect.Effect<void>;
  /** Open, assigned issues that waited for this one and, once it is closed, for no other. */
  freedBy(id: IssueId): Effect.Effect<readonly Pick<Issue, "id" | "assigneeAgentId">[]>;
  /** The parent, where it is open and assigned and, once this child is closed, all its children are. */
  parentCompletedBy(id: IssueId): Effect.Effect<Pick<Issue, "id" | "assigneeAgentId"> | null>;
  /** Issues somebody could go on with: assigned, in todo or in_progress, waiting for nothing open; most urgent first. */
  actionable(of: { agentId: AgentId } | { companyId: CompanyId }): Effect.Effect<readonly Actionable[]>;
  /** A run has ended: whatever it held it holds no more. Assignees and statuses stay. */
  unlockAll(
    runIds: readonly RunId[],
    at: Instant,
  ): Effect.Effect<readonly Pick<Issue, "id" | "identifier">[]>;
}
