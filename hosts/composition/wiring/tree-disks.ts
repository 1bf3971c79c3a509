import type { IssueTrees, TreeDisks } from "../../../ports/issue-trees.ts";
import type { Runners } from "../../../ports/runners.ts";

/** The disk and the engines of this service's runners, each once: templates may share an engine. */
export const treeDisks = (runners: () => Pick<Runners, "all">): TreeDisks => {
  const disks = (): ReadonlyMap<string, IssueTrees> =>
    new Map(
      runners()
        .all.toReversed()
        .flatMap(({ trees }) => (trees === undefined ? [] : [[trees.volume, trees] as const])),
    );
  return {
    of: (volume) => disks().get(volume) ?? null,
    all: () => [...disks().values()],
  };
};
