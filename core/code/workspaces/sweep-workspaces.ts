import * as Effect from "effect/Effect";
import { bySystem } from "../../model/access/caller.ts";
import { addMillis } from "../../model/shared/instant.ts";
import { type RemovePorts, removeWorkspace } from "./remove-workspace.ts";

/** How long a workspace stays after its issue was closed and its last run has ended. */
const retentionMs = 14 * 24 * 3_600_000;
/** One that has to stay is tried again after that. */
const againMs = 24 * 3_600_000;
const atOnce = 100;

/** Removes the workspaces of issues that were closed long ago, where all is kept, and deletes what is in the trash. */
export const sweepWorkspaces = (ports: RemovePorts) => {
  const remove = removeWorkspace(ports);
  return () =>
    Effect.gen(function* () {
      const { transactor, clock, disks } = ports;
      for (const disk of disks.all()) {
        const { volume } = disk;
        const at = clock.now();
        const times = { at, usedBefore: addMillis(at, -retentionMs), triedBefore: addMillis(at, -againMs) };
        const idle = yield* transactor.transact((stores) =>
          stores.issueWorkspaces.takeIdle(volume, times, atOnce),
        );
        // One that stays says why where it is listed.
        for (const workspaceId of idle)
          yield* Effect.ignore(remove({ workspaceId, isRetention: true, by: bySystem }));
        yield* Effect.ignore(disk.emptyTrash());
      }
    });
};
