import * as Effect from "effect/Effect";
import { type CodeStores, type HostedRepository, HostUnusable } from "../../../ports/code-stores.ts";
import { serviceAuthor } from "../../model/repositories/authorship.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import { hostOf } from "./credential-of.ts";
import { type FetchPorts, fetchRepository } from "./fetch-repository.ts";

const pushFirst = (
  codeStores: CodeStores,
  host: HostedRepository,
  first: { branch: string; message: string; isTrial: boolean },
) =>
  codeStores
    .begin(host, { ...first, author: serviceAuthor })
    .pipe(
      Effect.mapError(
        ({ reason, message }) =>
          new HostUnusable(
            reason,
            `The repository is empty, and Boardroom couldn't push a first commit. ${message} Push one yourself or set a credential that can push.`,
          ),
      ),
    );

/** Asks whether the host of a repository without a commit would take one. */
export const mayBegin = (codeStores: CodeStores, host: HostedRepository, branch: string) =>
  pushFirst(codeStores, host, { branch, message: "", isTrial: true });

/**
 * Gives a repository without a commit its first one, without files, which names the run that needs it, and fetches it. Of
 * several at once the host takes one, which the others find.
 */
export const beginRepository = Effect.fnUntraced(function* (
  parts: FetchPorts,
  repository: Repository,
  trailers: readonly string[],
) {
  const branch = repository.defaultBranch;
  const host = yield* hostOf(parts, repository);
  if ((yield* parts.codeStores.probe(host, branch)) === null) {
    const message = `Begin the repository\n\n${trailers.join("\n")}\n`;
    yield* pushFirst(parts.codeStores, host, { branch, message, isTrial: false });
  }
  yield* fetchRepository(parts)({ repositoryId: repository.id, maxAgeSec: 0 });
});
