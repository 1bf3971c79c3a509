import * as Effect from "effect/Effect";
import type { WorkspaceDisks } from "../../../ports/issue-workspaces.ts";
import type { UncheckedPack } from "../../../ports/stores/workspace-store.ts";
import { type CapturePorts, storePack } from "./capture-workspace.ts";

/** How many packs of a disk one round reads. */
const perRound = 20;

/**
 * Looks at packs of runs that earlier versions stored, each once: some ended after their first line. Such a one is written
 * anew from the kept store, which is on the disk of the run's workspace; where that has the work no more, the service's
 * health names it.
 */
export const repairPacks = (
  parts: Pick<CapturePorts, "transactor" | "clock" | "codeStores" | "blobs"> & {
    readonly disks: WorkspaceDisks;
  },
) => {
  const { transactor, clock, codeStores, blobs, disks } = parts;

  const repair = Effect.fnUntraced(function* ({ runId, repositoryId, companyId, blobKey }: UncheckedPack) {
    const recordPack = (found: { readonly packBytes?: number; readonly problem: string | null }) =>
      transactor.transact(({ issueWorkspaces }) =>
        issueWorkspaces.recordPack({ runId, repositoryId, ...found, at: clock.now() }),
      );
    const stored = yield* blobs.getStream(blobKey);
    if (stored !== null && (yield* codeStores.isWholePack(stored)))
      return yield* recordPack({ problem: null });
    const again = yield* Effect.result(storePack(parts, { companyId, repositoryId }, runId));
    if (again._tag === "Failure")
      return yield* recordPack({
        problem: `Its pack in the blob store ${stored === null ? "is missing" : "is truncated"}, and the repository store doesn't have the work: ${again.failure.message}`,
      });
    // A blob store that is away gets it in the next round.
    if (again.success.packBytes !== null)
      yield* recordPack({ packBytes: again.success.packBytes, problem: null });
  });

  return () =>
    Effect.gen(function* () {
      if (codeStores.unavailableReason !== null) return;
      for (const { volume } of disks.all()) {
        const found = yield* transactor.transact(({ issueWorkspaces }) =>
          issueWorkspaces.uncheckedPacks(volume, perRound),
        );
        for (const pack of found) yield* Effect.ignore(repair(pack));
      }
    });
};
