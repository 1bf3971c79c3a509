import * as Effect from "effect/Effect";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { hostOf } from "./credential-of.ts";
import {
  type HostProblem,
  RepositoriesUnavailable,
  type Repository,
  RepositoryUnusable,
} from "./repository.ts";

/** The field that a person changes to mend it. */
const fieldOf = (reason: HostProblem): string => {
  if (reason === "no_such_branch") return "defaultBranch";
  return reason === "credential_missing" || reason === "credential_refused" ? "credentialSecretId" : "url";
};

/** Asks the host for the default branch, with the credential; refuses with a sentence what does not work. */
export const checkHost = Effect.fnUntraced(function* (
  transactor: Transactor,
  providers: SecretProviders,
  stores: CodeStores,
  repository: Pick<
    Repository,
    "id" | "companyId" | "url" | "allowPrivateHost" | "credentialSecretId" | "defaultBranch"
  >,
) {
  if (stores.gap !== null) return yield* Effect.fail(new RepositoriesUnavailable(undefined, stores.gap));
  const host = yield* hostOf(transactor, providers, repository);
  yield* stores
    .probe(host, repository.defaultBranch)
    .pipe(
      Effect.mapError(
        ({ reason, message }) => new RepositoryUnusable({ path: [fieldOf(reason)], reason }, message),
      ),
    );
});
