import * as Effect from "effect/Effect";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { AnswerGit } from "./answer-git.ts";
import { RepositoryNotFound, refsOfRun } from "./repository.ts";

/**
 * Answers the service's own step that keeps the work of a run, also when the run has ended or its agent may not work any
 * more: it pushes the refs of that run, and nothing else, whatever the run itself has pushed.
 */
export const answerKeep =
  (transactor: Transactor, codeStores: CodeStores) =>
  ({ repositoryId, runId, ...exchange }: AnswerGit) =>
    Effect.gen(function* () {
      const companyId = yield* transactor.transact(({ repositories }) =>
        repositories.unkeptIn(repositoryId, runId),
      );
      const isPush = exchange.store === "kept" && exchange.service === "git-receive-pack";
      if (companyId === null || !isPush) return yield* Effect.fail(new RepositoryNotFound());
      return yield* codeStores.exchange(
        { companyId, repositoryId },
        { ...exchange, writes: [refsOfRun(runId)], reads: [], noPush: null },
      );
    });
