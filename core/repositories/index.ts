import type { Clock } from "../../ports/clock.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { addRepository } from "./add-repository.ts";
import { answerGit } from "./answer-git.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { keepStores } from "./keep-stores.ts";
import { removeRepository } from "./remove-repository.ts";
import { updateRepository } from "./update-repository.ts";

/** The use cases of repositories. */
export const repositories = (
  transactor: Transactor,
  clock: Clock,
  providers: SecretProviders,
  codeStores: CodeStores,
) => ({
  add: addRepository(transactor, clock, providers, codeStores),
  update: updateRepository(transactor, clock, providers, codeStores),
  remove: removeRepository(transactor, clock, codeStores),
  fetch: fetchRepository(transactor, clock, providers, codeStores),
  keepStores: keepStores(transactor, codeStores),
  answerGit: answerGit(transactor, clock, providers, codeStores),
});

export type Repositories = ReturnType<typeof repositories>;
