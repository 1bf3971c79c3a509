import type { IssueWorkspaces, WorkspaceDisks } from "../../../ports/issue-workspaces.ts";
import type { Runners } from "../../../ports/runners.ts";

/** The disk and the engines of this service's runners, each once: templates may share an engine. */
export const workspaceDisks = (runners: () => Pick<Runners, "all">): WorkspaceDisks => {
  const disks = (): ReadonlyMap<string, IssueWorkspaces> =>
    new Map(
      runners()
        .all.toReversed()
        .flatMap(({ issueWorkspaces }) =>
          issueWorkspaces === undefined ? [] : [[issueWorkspaces.volume, issueWorkspaces] as const],
        ),
    );
  return {
    of: (volume) => disks().get(volume) ?? null,
    all: () => [...disks().values()],
  };
};
