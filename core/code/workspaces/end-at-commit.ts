import * as Effect from "effect/Effect";
import type { WorkspaceDisks } from "../../../ports/issue-workspaces.ts";
import { markOf } from "../../model/workspaces/issue-workspace.ts";

/** Ends what a killed service has left of a command at a commit that will not run again, on the disks of this one. */
export const endAtCommit = ({ disks }: { readonly disks: WorkspaceDisks }) =>
  Effect.fnUntraced(function* (id: string) {
    // An engine that is away holds nothing back: its programs keep their limits themselves.
    for (const disk of disks.all()) yield* Effect.ignoreCause(disk.endOrphanSteps(markOf(id)));
  });
