import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { endAtCommit } from "./end-at-commit.ts";
import { finishRemovals } from "./finish-removal.ts";
import { keepLeft } from "./keep-left.ts";
import { keepTree } from "./keep-tree.ts";
import { mendPacks } from "./mend-packs.ts";
import { type PreparePorts, prepareTree } from "./prepare-tree.ts";
import { type RemovePorts, removeTree } from "./remove-tree.ts";
import { restoreTree } from "./restore-tree.ts";
import { type AtCommitPorts, runAtCommit } from "./run-at-commit.ts";
import { showTree } from "./show-tree.ts";
import { sweepTrees } from "./sweep-trees.ts";

/** The use cases of issues' workspaces. */
export const trees = (
  context: UseCaseContext,
  others: Omit<PreparePorts & RemovePorts & AtCommitPorts, keyof UseCaseContext | "keep">,
  views: Views,
) => {
  const keep = keepTree({ ...context, ...others });
  const ports = { ...context, ...others, keep };
  return {
    ...showTree(views.trees),
    prepare: prepareTree(ports),
    keep,
    keepLeft: keepLeft(ports),
    mendPacks: mendPacks(ports),
    remove: removeTree(ports),
    finishRemovals: finishRemovals(ports),
    restore: restoreTree(context),
    runAtCommit: runAtCommit(ports),
    endAtCommit: endAtCommit(ports),
    sweep: sweepTrees(ports),
  };
};

export type Trees = ReturnType<typeof trees>;
