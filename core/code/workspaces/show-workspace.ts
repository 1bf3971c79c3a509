import * as Effect from "effect/Effect";
import type {
  IssueWorkspaceViews,
  WorkspaceBranch,
  WorkspaceFilter,
  WorkspaceRecord,
} from "../../../ports/views/issue-workspace-views.ts";
import { type PageRequest, shownAs } from "../../../ports/views/page.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import type { CompanyId, WorkspaceId } from "../../model/shared/ids.ts";
import { whyItStays } from "../../model/workspaces/removal.ts";
import { type WorkspaceFacts, workspaceActions } from "../../model/workspaces/workspace-actions.ts";

type Status = "in_use" | "unkept" | "kept" | "removing" | "removed";

const statusOf = (
  workspace: Pick<WorkspaceRecord, "isInUse" | "madeAt" | "removalId" | "uncapturedRunId">,
): Status => {
  if (workspace.isInUse) return "in_use";
  if (workspace.uncapturedRunId !== null) return "unkept";
  if (workspace.madeAt !== null) return "kept";
  return workspace.removalId === null ? "removed" : "removing";
};

/** The interface says `givenUpAt` of an abandoned branch. */
const repositoryOf = ({ capturedRunId: _, abandonedAt: givenUpAt, kept, ...branch }: WorkspaceBranch) => {
  if (kept === null) return { ...branch, givenUpAt, kept };
  const { files, ...work } = kept;
  return {
    ...branch,
    givenUpAt,
    kept: { ...work, /** All files were in the commit. */ isClean: files === work.head },
  };
};

const shownTo =
  (caller: BoardCaller | AgentCaller) =>
  ({ branches, ...record }: WorkspaceRecord) => {
    const { isInUse, madeAt, removalId, uncapturedRunId, companyStatus, ...workspace } = record;
    const facts: WorkspaceFacts = {
      workspace: record,
      branches,
      works: branches.flatMap(({ kept }) => kept ?? []),
    };
    return {
      ...workspace,
      status: statusOf({ isInUse, madeAt, removalId, uncapturedRunId }),
      /** Why it is not removed on request; null: it may be. */
      stays: whyItStays(facts, "request"),
      callerMay: workspaceActions(facts, { caller, companyId: workspace.companyId, companyStatus }),
      repositories: branches.map(repositoryOf),
    };
  };

/** The workspaces of issues as a reader sees them. */
export const showWorkspace = (views: IssueWorkspaceViews) => ({
  /** Newest first. */
  list: (
    companyId: CompanyId,
    filter: WorkspaceFilter,
    page: PageRequest,
    caller: BoardCaller | AgentCaller,
  ) => Effect.map(views.list(companyId, filter, page), shownAs(shownTo(caller))),
  show: (id: WorkspaceId, caller: BoardCaller | AgentCaller) => Effect.map(views.get(id), shownTo(caller)),
});
