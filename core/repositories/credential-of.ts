import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { HostedRepository } from "../../ports/code-stores.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { readBinding } from "../secrets/read-binding.ts";
import { type Repository, RepositoryUnusable } from "./repository.ts";

/** Reads the credential of a repository now, so that a rotated one counts at once. */
export const hostOf = Effect.fnUntraced(function* (
  transactor: Transactor,
  providers: SecretProviders,
  repository: Pick<Repository, "id" | "companyId" | "url" | "allowPrivateHost" | "credentialSecretId">,
) {
  const { id, companyId, url, allowPrivateHost, credentialSecretId } = repository;
  const host = { companyId, repositoryId: id, url, allowPrivateHost };
  if (credentialSecretId === null) return { ...host, credential: null } satisfies HostedRepository;
  const binding = {
    variable: "credentialSecretId",
    configPath: "credentialSecretId",
    secretId: credentialSecretId,
    version: null,
  };
  const [bound = null] = yield* transactor.transact(({ secrets }) => secrets.bound(companyId, [binding]));
  const credential: Redacted.Redacted<string> = yield* readBinding(providers, companyId, binding, bound).pipe(
    Effect.mapError(
      ({ message }) =>
        new RepositoryUnusable({ path: ["credentialSecretId"], reason: "credential_missing" }, message),
    ),
  );
  return { ...host, credential } satisfies HostedRepository;
});
