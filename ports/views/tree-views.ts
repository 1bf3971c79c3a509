import type * as Effect from "effect/Effect";
import type { ActionOf } from "../../core/model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";
import type { CallerMay } from "../../core/model/access/caller-may.ts";
import type { CompanyId, IssueId, ProjectId, RepositoryId, TreeId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { KeptBecause, WorkspaceNotFound } from "../../core/model/workspaces/removal.ts";
import type { LeftOut } from "../../core/model/workspaces/run-work.ts";
import type { Tree } from "../../core/model/workspaces/tree.ts";
import type { WorkspaceCommand } from "../../core/model/workspaces/workspace-command.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** The workspace of an issue. */
export interface TreeView extends Pick<Tree, "id" | "companyId" | "issueId" | "agentId" | "problem"> {
  readonly issueIdentifier: string;
  readonly issueTitle: string;
  /** The run that has it, or had it last. */
  readonly runId: string;
  readonly status: "in_use" | "unkept" | "kept" | "removing" | "removed";
  /** The machine with its disk; null: not known any more. */
  readonly host: string | null;
  /** The first of its ports; null: it has none. */
  readonly firstPort: number | null;
  /** Of its folder, after its last run; null: not known. */
  readonly bytes: number | null;
  readonly usedAt: Instant;
  readonly createdAt: Instant;
  /** Why it is not removed on request; null: it may be. */
  readonly stays: KeptBecause | null;
  readonly callerMay: CallerMay<ActionOf<"workspace">>;
  readonly repositories: readonly TreeRepositoryView[];
}

/** The work of the workspace in a repository. */
export interface TreeRepositoryView {
  readonly repositoryId: RepositoryId;
  readonly url: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly head: string | null;
  readonly publishedAt: Instant | null;
  readonly mergedAt: Instant | null;
  readonly givenUpAt: Instant | null;
  /** Of the run that had it last, at its end; null: nothing is kept of it. */
  readonly kept: {
    readonly head: string;
    /** All files were in that commit. */
    readonly isClean: boolean;
    readonly branch: string | null;
    readonly state: string | null;
    readonly leftOut: readonly LeftOut[];
    readonly keptAt: Instant;
  } | null;
}

export interface TreeFilter {
  readonly issueId?: IssueId | undefined;
  readonly projectId?: ProjectId | undefined;
}

export interface TreeViews {
  /** Newest first. */
  list(
    companyId: CompanyId,
    filter: TreeFilter,
    page: PageRequest,
    caller: BoardCaller | AgentCaller,
  ): Effect.Effect<Page<TreeView>, CursorInvalid>;
  get(id: TreeId, caller: BoardCaller | AgentCaller): Effect.Effect<TreeView, WorkspaceNotFound>;
  /** The last commands of repositories in the workspace, newest first. */
  commands(
    id: TreeId,
    page: PageRequest,
  ): Effect.Effect<Page<Omit<WorkspaceCommand, "companyId">>, CursorInvalid>;
}
