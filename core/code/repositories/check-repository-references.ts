import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { overlap, type Repository, RepositoryDirectoryTaken } from "../../model/repositories/repository.ts";
import { SecretDisabled } from "../../model/secrets/secret.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";

/** The most repositories of one project. */
const most = 20;

/** Checks a repository against the others of its project, which the caller has locked, and its secret. */
export const checkRepositoryReferences = Effect.fnUntraced(function* (
  stores: Stores,
  repository: Pick<
    Repository,
    "id" | "companyId" | "projectId" | "directory" | "credentialSecretId" | "webhookSecretId"
  >,
) {
  const { id, companyId, projectId, directory } = repository;
  const others = (yield* stores.repositories.ofProject(projectId)).filter((other) => other.id !== id);
  const inTheWay = others.find((other) => overlap(directory, other.directory));
  if (inTheWay !== undefined)
    yield* Effect.fail(
      new RepositoryDirectoryTaken(
        { path: ["directory"] },
        inTheWay.directory === null || directory === null
          ? "A project with several repositories needs a separate directory for each."
          : `The project already has a repository in ${inTheWay.directory}.`,
      ),
    );
  if (others.length >= most)
    yield* Effect.fail(
      new RepositoryDirectoryTaken(undefined, `A project can have at most ${most} repositories.`),
    );
  const fields = ["credentialSecretId", "webhookSecretId"] as const;
  const named = fields.flatMap((field) => repository[field] ?? []);
  if (named.length === 0) return;
  const secrets = yield* stores.secrets.hold(companyId, named);
  for (const field of fields) {
    const id = repository[field];
    if (id === null) continue;
    const secret = secrets.get(id);
    if (secret === undefined) yield* Effect.fail(ReferenceNotFound.at(field));
    if (secret?.status === "disabled") yield* Effect.fail(new SecretDisabled({ path: [field] }));
  }
});
