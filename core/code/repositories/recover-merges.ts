import * as Effect from "effect/Effect";
import { transactAsSystem } from "../../access/unit-of-work.ts";
import type { Merge } from "../../model/repositories/merge.ts";
import type { GateCheckPorts } from "../gates/runs-at-commit.ts";
import { hostOf } from "./credential-of.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { finishMerge } from "./finish-merge.ts";
import { pushMerge } from "./push-merge.ts";
import { rawLfsFilesOf } from "./raw-lfs-files-of.ts";

/**
 * Ends merges whose service was killed. A commit that was recorded passed everything, and is pushed again: the same one, so
 * that a host which takes the first push late has it once. Where the host does not answer, the merge waits for the next time.
 */
export const recoverMerges = (parts: Omit<GateCheckPorts, "runAtCommit">) => {
  const { transactor, codeStores, endAtCommit } = parts;
  const fetch = fetchRepository(parts);
  const rawLfsFiles = rawLfsFilesOf(parts);

  const recover = Effect.fnUntraced(function* (merge: Merge) {
    const { id, commit, ontoCommit, repositoryId } = merge;
    const fail = transactor.transact(({ merges }) => merges.fail(id));
    // The command of a gate may run still.
    if (commit === null) return yield* Effect.andThen(endAtCommit(id), fail);
    const repository = yield* fetch({ repositoryId, maxAgeSec: 0 });
    const { defaultBranch } = repository;
    const recorded = { ...merge, commit };
    const finish = Effect.flatMap(rawLfsFiles(recorded), (rawFiles) =>
      transactAsSystem(parts, "repositories.recoverMerges", function* (unit) {
        yield* finishMerge(unit, recorded, defaultBranch, rawFiles);
      }),
    );
    const isIn = (later: string) =>
      codeStores.isAncestor(merge, commit, later).pipe(Effect.orElseSucceed(() => null));
    const head = yield* codeStores.head(merge, defaultBranch);
    const isThere = head === null ? false : yield* isIn(head);
    if (isThere === true) return yield* finish;
    // The host refuses the first push now, however late it comes; or another service's store has the commit.
    if (head !== ontoCommit || isThere === null) return yield* fail;
    const host = yield* hostOf(parts, repository);
    const pushed = yield* pushMerge(codeStores, host, {
      branch: defaultBranch,
      commit,
      expected: ontoCommit,
    });
    if (pushed === "pushed") return yield* finish;
    // A stale one may be its own, which the next look finds.
    if (pushed !== "stale") yield* fail;
  });

  return () =>
    Effect.gen(function* () {
      for (const merge of yield* transactor.transact(({ merges }) => merges.abandoned()))
        yield* recover(merge).pipe(Effect.ignore);
    });
};
