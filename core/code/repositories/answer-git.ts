import * as Effect from "effect/Effect";
import type { GitExchange } from "../../../ports/code-stores.ts";
import { noMorePushes } from "../../model/repositories/push-limits.ts";
import { branchOfIssue, RepositoryNotFound, refsOfRun } from "../../model/repositories/repository.ts";
import type { RepositoryId, RunId } from "../../model/shared/ids.ts";
import { type FetchPorts, fetchRepository } from "./fetch-repository.ts";

export interface AnswerGit extends Omit<GitExchange, "writes" | "reads" | "noPush"> {
  readonly repositoryId: RepositoryId;
  readonly runId: RunId;
}

/**
 * Answers git of a live run: the run's `origin` is the service. It reaches the repositories of its issue's project; it
 * writes its own refs, and the issue's branch where its agent has the issue; it reads the issue's newest kept work. A
 * reader who begins is shown the branches that the host has then.
 */
export const answerGit =
  (parts: FetchPorts) =>
  ({ repositoryId, runId, ...exchange }: AnswerGit) =>
    Effect.gen(function* () {
      const run = yield* parts.transactor.transact(({ repositories }) =>
        repositories.runIn(repositoryId, runId),
      );
      if (run === null) return yield* Effect.fail(new RepositoryNotFound());
      if (exchange.store === "shared" && exchange.isStart && exchange.service === "git-upload-pack")
        yield* fetchRepository(parts)({ repositoryId });
      const own = [refsOfRun(runId)];
      if (run.isAssignee) own.push(`refs/heads/${branchOfIssue(run.identifier)}`);
      const of = { companyId: run.companyId, repositoryId };
      const reads = run.capturedRunId === null ? [] : [refsOfRun(run.capturedRunId)];
      return yield* parts.codeStores.exchange(of, {
        ...exchange,
        writes: own,
        reads,
        noPush: noMorePushes(run.pushed, run),
      });
    });
