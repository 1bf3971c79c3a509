import * as Effect from "effect/Effect";
import type { HostedRepository } from "../../../ports/code-stores.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { type Repository, RepositoryUnusable } from "../../model/repositories/repository.ts";
import type { CompanyId, SecretId } from "../../model/shared/ids.ts";
import { readBinding } from "../../secrets/read-binding.ts";

export interface CredentialPorts extends Pick<UseCaseContext, "transactor"> {
  readonly providers: SecretProviders;
}

/** Reads a secret of a repository now, so that a rotated one counts at once. */
export const secretOf = Effect.fnUntraced(function* (
  { transactor, providers }: CredentialPorts,
  companyId: CompanyId,
  field: "credentialSecretId" | "webhookSecretId",
  secretId: SecretId,
) {
  const binding = { variable: field, configPath: field, secretId, version: null };
  const [bound = null] = yield* transactor.transact(({ secrets }) => secrets.bound(companyId, [binding]));
  return yield* readBinding(providers, companyId, binding, bound).pipe(
    Effect.mapError(
      ({ message }) => new RepositoryUnusable({ path: [field], reason: "credential_missing" }, message),
    ),
  );
});

/** The repository at its host, with its credential. */
export const hostOf = Effect.fnUntraced(function* (
  ports: CredentialPorts,
  repository: Pick<Repository, "id" | "companyId" | "url" | "allowPrivateHost" | "credentialSecretId">,
) {
  const { id, companyId, url, allowPrivateHost, credentialSecretId } = repository;
  const credential =
    credentialSecretId === null
      ? null
      : yield* secretOf(ports, companyId, "credentialSecretId", credentialSecretId);
  return { companyId, repositoryId: id, url, allowPrivateHost, credential } satisfies HostedRepository;
});
