import * as Effect from "effect/Effect";
import type { GitHosts } from "../../../ports/git-hosts.ts";
import {
  type HostProblem,
  RepositoriesUnavailable,
  type Repository,
  RepositoryUnusable,
} from "../../model/repositories/repository.ts";
import { mayBegin } from "./begin-repository.ts";
import { hostOf } from "./credential-of.ts";
import type { FetchPorts } from "./fetch-repository.ts";

export interface CheckPorts extends FetchPorts {
  readonly gitHosts: GitHosts;
}

/** The field that a person changes to fix it. */
const fieldOf = (reason: HostProblem, address: "url" | "hostKind"): string => {
  if (reason === "no_such_branch") return "defaultBranch";
  return reason === "credential_missing" || reason === "credential_refused" ? "credentialSecretId" : address;
};

/**
 * Asks the host for the default branch, with the credential, and its interface for the repository where pull requests are
 * opened there; refuses with a sentence what does not work. Of a repository without a commit it asks whether it takes one.
 */
export const checkHost = Effect.fnUntraced(function* (
  ports: CheckPorts,
  repository: Pick<
    Repository,
    | "id"
    | "companyId"
    | "url"
    | "allowPrivateHost"
    | "credentialSecretId"
    | "defaultBranch"
    | "hostKind"
    | "hostApiUrl"
  >,
) {
  const { codeStores, gitHosts } = ports;
  if (codeStores.unavailableReason !== null)
    return yield* Effect.fail(new RepositoriesUnavailable(undefined, codeStores.unavailableReason));
  const { hostKind: kind, hostApiUrl: apiUrl, defaultBranch } = repository;
  const host = yield* hostOf(ports, repository);
  const unusable = (address: "url" | "hostKind") =>
    Effect.mapError(
      ({ reason, message }: { readonly reason: HostProblem; readonly message: string }) =>
        new RepositoryUnusable({ path: [fieldOf(reason, address)], reason }, message),
    );
  const head = yield* codeStores.probe(host, defaultBranch).pipe(unusable("url"));
  if (head === null) yield* mayBegin(codeStores, host, defaultBranch).pipe(unusable("url"));
  if (kind !== null) yield* gitHosts.check({ ...host, kind, apiUrl }).pipe(unusable("hostKind"));
});
