import type * as Effect from "effect/Effect";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type {
  CompanyId,
  IssueId,
  ProjectId,
  RepositoryId,
  RunId,
  WorkspaceId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { IssueWorkspace } from "../../core/model/workspaces/issue-workspace.ts";
import type { WorkspaceNotFound } from "../../core/model/workspaces/removal.ts";
import type { LeftOut } from "../../core/model/workspaces/run-work.ts";
import type { WorkspaceFacts } from "../../core/model/workspaces/workspace-actions.ts";
import type { WorkspaceCommand } from "../../core/model/workspaces/workspace-command.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** The workspace of an issue as it is stored; `showWorkspaces` makes what its readers see. */
export interface WorkspaceRecord
  extends Pick<IssueWorkspace, "id" | "companyId" | "issueId" | "agentId" | "problem">,
    Pick<WorkspaceFacts["workspace"], "isInUse" | "madeAt" | "removalId" | "uncapturedRunId"> {
  readonly companyStatus: CompanyStatus;
  readonly issueIdentifier: string;
  readonly issueTitle: string;
  /** The run that has it, or had it last. */
  readonly runId: string;
  /** The machine with its disk; null: not known any more. */
  readonly host: string | null;
  /** The first of its ports; null: it has none. */
  readonly firstPort: number | null;
  /** Of its folder, after its last run; null: not known. */
  readonly bytes: number | null;
  readonly usedAt: Instant;
  readonly createdAt: Instant;
  readonly branches: readonly WorkspaceBranch[];
}

/** The work of the workspace in a repository. */
export interface WorkspaceBranch {
  readonly repositoryId: RepositoryId;
  readonly url: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly head: string | null;
  readonly publishedAt: Instant | null;
  readonly mergedAt: Instant | null;
  readonly abandonedAt: Instant | null;
  /** The run whose work the issue continues. */
  readonly capturedRunId: RunId | null;
  /** Of the run that had it last, at its end; null: nothing is kept of it. */
  readonly kept: {
    readonly head: string;
    /** The commit with all files. */
    readonly files: string;
    readonly branch: string | null;
    readonly state: string | null;
    readonly leftOut: readonly LeftOut[];
    readonly keptAt: Instant;
  } | null;
}

/** A command of a repository in a workspace, which the interface calls `treeId`. */
export type WorkspaceCommandRecord = Omit<WorkspaceCommand, "companyId" | "workspaceId"> & {
  readonly treeId: WorkspaceId;
};

export interface WorkspaceFilter {
  readonly issueId?: IssueId | undefined;
  readonly projectId?: ProjectId | undefined;
}

export interface IssueWorkspaceViews {
  /** Newest first. */
  list(
    companyId: CompanyId,
    filter: WorkspaceFilter,
    page: PageRequest,
  ): Effect.Effect<Page<WorkspaceRecord>, CursorInvalid>;
  get(id: WorkspaceId): Effect.Effect<WorkspaceRecord, WorkspaceNotFound>;
  /** The last commands of repositories in the workspace, newest first. */
  commands(id: WorkspaceId, page: PageRequest): Effect.Effect<Page<WorkspaceCommandRecord>, CursorInvalid>;
}
