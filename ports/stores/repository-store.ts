import type * as Effect from "effect/Effect";
import type { IssueBranch } from "../../core/model/repositories/issue-branch.ts";
import type { Pushed } from "../../core/model/repositories/push-limits.ts";
import type { Repository, RepositoryNotFound } from "../../core/model/repositories/repository.ts";
import type {
  CompanyId,
  IssueId,
  ProjectId,
  RepositoryId,
  RunId,
  SecretId,
} from "../../core/model/shared/ids.ts";
import type { ProjectStores } from "../../core/model/workspaces/project-disk-use.ts";
import type { StoreOf } from "../code-stores.ts";

/** An issue that a run works for, in a repository of the issue's project. */
export interface RunInRepository {
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly identifier: string;
  /** The run's agent has the issue. */
  readonly isAssignee: boolean;
  /** The run that left the newest kept state of the issue; null: none. */
  readonly capturedRunId: RunId | null;
  readonly pushed: Pushed;
  /** A stop of the run has been requested. */
  readonly isStopping: boolean;
}

export interface RepositoryStore {
  /** Waits for a concurrent lock and takes it; a removed one is not found. */
  lock(id: RepositoryId): Effect.Effect<Repository, RepositoryNotFound>;
  find(id: RepositoryId): Effect.Effect<Repository, RepositoryNotFound>;
  /** Those that are not removed, oldest first. */
  ofProject(projectId: ProjectId): Effect.Effect<readonly Repository[]>;
  /** Those that are not removed and authenticate with the secret. */
  usingSecret(secretId: SecretId): Effect.Effect<readonly Pick<Repository, "id" | "url">[]>;
  /** Every one, removed ones too. */
  all(): Effect.Effect<readonly StoreOf[]>;
  /** Notes what the service's stores of it are on disk. */
  recordStoreBytes(id: RepositoryId, bytes: number): Effect.Effect<void>;
  /** The noted ones, of each project; also of repositories that were removed from it. */
  storeSizes(): Effect.Effect<readonly ProjectStores[]>;
  insert(repository: Repository): Effect.Effect<void>;
  save(repository: Repository): Effect.Effect<void>;
  /** Whether work of an issue was kept in it. */
  holdsWork(id: RepositoryId): Effect.Effect<boolean>;
  /** The issue of a live run, if the repository is of its project; null otherwise. */
  runIn(id: RepositoryId, runId: RunId): Effect.Effect<RunInRepository | null>;
  /** Counts a push of a run, in bytes as they were sent. */
  countPush(runId: RunId, bytes: number): Effect.Effect<void>;
  pushed(runId: RunId): Effect.Effect<Pushed>;
  /** The company of a run whose work in a workspace is not kept yet, if the repository is of its project; null otherwise. */
  uncapturedIn(id: RepositoryId, runId: RunId): Effect.Effect<CompanyId | null>;
  /** Locks the work of an issue in its repositories, oldest repository first. */
  lockBranches(issueId: IssueId): Effect.Effect<readonly IssueBranch[]>;
  insertBranch(branch: IssueBranch): Effect.Effect<void>;
  saveBranch(branch: IssueBranch): Effect.Effect<void>;
  /** The branches of an issue in repositories that are not removed, the oldest repository first. */
  branchesOf(issueId: IssueId): Effect.Effect<readonly IssueBranch[]>;
}
