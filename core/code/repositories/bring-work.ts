import * as Effect from "effect/Effect";
import type { BlobStore } from "../../../ports/blob-store.ts";
import { StoreFailed, type StoreOf } from "../../../ports/code-stores.ts";
import { RepositoryNotFound, RepositoryUnusable } from "../../model/repositories/repository.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { RunWork } from "../../model/workspaces/run-work.ts";
import { type FetchPorts, fetchRepository } from "./fetch-repository.ts";

export interface BringPorts extends FetchPorts {
  readonly blobs: BlobStore;
}

interface HeadOfIssue extends StoreOf {
  readonly issueId: IssueId;
  readonly head: string;
}

/**
 * Brings the head of an issue's branch into the stores of this service where they lack it: the run that left it was kept on
 * another service's disk, or the stores were lost. It comes from the run's pack in the blob store.
 */
export const bringWork = (parts: BringPorts) => {
  const { transactor, codeStores } = parts;
  const fetch = fetchRepository(parts);
  return Effect.fnUntraced(
    function* ({ issueId, companyId, repositoryId, head }: HeadOfIssue) {
      const of = { companyId, repositoryId };
      const isThere = yield* codeStores.isAncestor(of, head, head).pipe(Effect.orElseSucceed(() => false));
      if (isThere) return;
      // The pack builds on branches of the host.
      yield* fetch({ repositoryId });
      const work = yield* transactor.transact(({ issueWorkspaces }) =>
        issueWorkspaces.workAt(issueId, repositoryId, head),
      );
      yield* unpackWork(parts, of, work, `The commit ${head}`);
    },
    Effect.mapError((failure) =>
      failure instanceof RepositoryUnusable || failure instanceof RepositoryNotFound
        ? failure
        : new RepositoryUnusable({ reason: "store" }, failure.message),
    ),
  );
};

/** Stores the pack of a run in the kept store. `what`: the subject of the sentence where the blob store has none. */
export const unpackWork = Effect.fnUntraced(function* (
  { codeStores, blobs }: Pick<BringPorts, "codeStores" | "blobs">,
  of: StoreOf,
  work: RunWork | null,
  what: string,
) {
  const pack = work?.blobKey == null ? null : yield* blobs.getStream(work.blobKey);
  if (work === null || pack === null)
    return yield* Effect.fail(new StoreFailed(`${what} is neither in the service's store nor in its files.`));
  return yield* codeStores.unpack(of, work.runId, pack);
});
