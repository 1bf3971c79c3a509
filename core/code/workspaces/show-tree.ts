import * as Effect from "effect/Effect";
import { type PageRequest, shownAs } from "../../../ports/views/page.ts";
import type { TreeBranch, TreeFilter, TreeRecord, TreeViews } from "../../../ports/views/tree-views.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import type { CompanyId, TreeId } from "../../model/shared/ids.ts";
import { whyItStays } from "../../model/workspaces/removal.ts";
import { type TreeFacts, treeActions } from "../../model/workspaces/tree-actions.ts";

type Status = "in_use" | "unkept" | "kept" | "removing" | "removed";

const statusOf = (tree: Pick<TreeRecord, "isTaken" | "madeAt" | "removalId" | "unkeptRunId">): Status => {
  if (tree.isTaken) return "in_use";
  if (tree.unkeptRunId !== null) return "unkept";
  if (tree.madeAt !== null) return "kept";
  return tree.removalId === null ? "removed" : "removing";
};

const repositoryOf = ({ keptRunId: _, kept, ...branch }: TreeBranch) => {
  if (kept === null) return { ...branch, kept };
  const { files, ...work } = kept;
  return { ...branch, kept: { ...work, /** All files were in the commit. */ isClean: files === work.head } };
};

const shownTo =
  (caller: BoardCaller | AgentCaller) =>
  ({ branches, ...record }: TreeRecord) => {
    const { isTaken, madeAt, removalId, unkeptRunId, companyStatus, ...tree } = record;
    const facts: TreeFacts = { tree: record, branches, works: branches.flatMap(({ kept }) => kept ?? []) };
    return {
      ...tree,
      status: statusOf({ isTaken, madeAt, removalId, unkeptRunId }),
      /** Why it is not removed on request; null: it may be. */
      stays: whyItStays(facts, "request"),
      callerMay: treeActions(facts, { caller, companyId: tree.companyId, companyStatus }),
      repositories: branches.map(repositoryOf),
    };
  };

/** The workspaces of issues as a reader sees them. */
export const showTree = (views: TreeViews) => ({
  /** Newest first. */
  list: (companyId: CompanyId, filter: TreeFilter, page: PageRequest, caller: BoardCaller | AgentCaller) =>
    Effect.map(views.list(companyId, filter, page), shownAs(shownTo(caller))),
  show: (id: TreeId, caller: BoardCaller | AgentCaller) => Effect.map(views.get(id), shownTo(caller)),
});
