import * as Effect from "effect/Effect";
import { noMoreCaptures } from "../../model/repositories/push-limits.ts";
import { RepositoryNotFound, refsOfRun } from "../../model/repositories/repository.ts";
import type { AnswerGit } from "./answer-git.ts";
import type { FetchPorts } from "./fetch-repository.ts";

export interface AnswerCapture extends AnswerGit {
  /** Those of the run that were counted when the step began. */
  readonly pushesBefore: number;
}

/**
 * Answers the service's own step that keeps the work of a run, also when the run has ended or its agent may not work any
 * more: it pushes the refs of that run, a few times after all that the run has pushed, and reads what all agents of the
 * project read, where it has no disk in common with the service.
 */
export const answerCapture =
  ({ transactor, codeStores }: FetchPorts) =>
  ({ repositoryId, runId, pushesBefore, ...exchange }: AnswerCapture) =>
    Effect.gen(function* () {
      const { companyId, pushed } = yield* transactor.transact(({ repositories }) =>
        Effect.all({
          companyId: repositories.uncapturedIn(repositoryId, runId),
          pushed: repositories.pushed(runId),
        }),
      );
      const isAllowed =
        exchange.service === "git-receive-pack" ? exchange.store === "kept" : exchange.store === "shared";
      if (companyId === null || !isAllowed) return yield* Effect.fail(new RepositoryNotFound());
      return yield* codeStores.exchange(
        { companyId, repositoryId },
        { ...exchange, writes: [refsOfRun(runId)], reads: [], noPush: noMoreCaptures(pushed, pushesBefore) },
      );
    });
