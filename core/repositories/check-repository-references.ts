import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { SecretDisabled } from "../secrets/secret.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import { overlap, type Repository, RepositoryDirectoryTaken } from "./repository.ts";

/** The most repositories of one project. */
const most = 20;

/** Checks a repository against the others of its project, which the caller has locked, and its secret. */
export const checkRepositoryReferences = Effect.fnUntraced(function* (
  stores: Stores,
  repository: Pick<Repository, "id" | "companyId" | "projectId" | "directory" | "credentialSecretId">,
) {
  const { id, companyId, projectId, directory, credentialSecretId } = repository;
  const others = (yield* stores.repositories.ofProject(projectId)).filter((other) => other.id !== id);
  const inTheWay = others.find((other) => overlap(directory, other.directory));
  if (inTheWay !== undefined)
    yield* Effect.fail(
      new RepositoryDirectoryTaken(
        { path: ["directory"] },
        inTheWay.directory === null || directory === null
          ? "The project has more than one repository: each needs a directory of its own."
          : `The project has a repository in ${inTheWay.directory}.`,
      ),
    );
  if (others.length >= most)
    yield* Effect.fail(
      new RepositoryDirectoryTaken(undefined, `A project has at most ${most} repositories.`),
    );
  if (credentialSecretId === null) return;
  const secret = (yield* stores.secrets.hold(companyId, [credentialSecretId])).get(credentialSecretId);
  if (secret === undefined) yield* Effect.fail(ReferenceNotFound.at("credentialSecretId"));
  if (secret?.status === "disabled") yield* Effect.fail(new SecretDisabled({ path: ["credentialSecretId"] }));
});
