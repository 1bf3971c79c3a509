import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { CheckoutClaims } from "../../../ports/credentials.ts";
import { RepositoryNotFound } from "../../model/repositories/repository.ts";
import type { AnswerGit } from "./answer-git.ts";

export interface AnswerCheckout extends Omit<AnswerGit, "runId"> {
  /** The repository that the caller may read. */
  readonly claims: CheckoutClaims;
}

/**
 * Answers the service's own step that checks out a commit for a command, where it has no disk in common with the service: it
 * reads what all agents of the project read, of that repository, and pushes nothing.
 */
export const answerCheckout =
  (codeStores: CodeStores) =>
  ({ repositoryId, claims, ...exchange }: AnswerCheckout) => {
    const isAllowed =
      repositoryId === claims.repositoryId &&
      exchange.store === "shared" &&
      exchange.service === "git-upload-pack";
    return isAllowed
      ? codeStores.exchange(claims, { ...exchange, writes: [], reads: [], noPush: null })
      : Effect.fail(new RepositoryNotFound());
  };
