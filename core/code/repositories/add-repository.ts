import * as Effect from "effect/Effect";
import { transact } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import {
  checkedDirectory,
  checkedFolders,
  checkedUrl,
  type Repository,
  type RepositoryFields,
} from "../../model/repositories/repository.ts";
import type { ProjectId, RepositoryId } from "../../model/shared/ids.ts";
import { type CheckPorts, checkHost } from "./check-host.ts";
import { checkRepositoryReferences } from "./check-repository-references.ts";

export interface AddRepository extends RepositoryFields {
  readonly id: RepositoryId;
  readonly projectId: ProjectId;
  readonly by: Actor;
  readonly url: string;
}

/**
 * Adds a repository to a project. The host is called between two transactions: the first refuses what needs no call, the
 * second checks again and stores.
 */
export const addRepository = (parts: CheckPorts) => (command: AddRepository) =>
  Effect.gen(function* () {
    const url = yield* Effect.fromResult(checkedUrl(command.url));
    const directory =
      command.directory == null ? null : yield* Effect.fromResult(checkedDirectory(command.directory));
    const hostApiUrl =
      command.hostApiUrl == null
        ? null
        : yield* Effect.fromResult(checkedUrl(command.hostApiUrl, "hostApiUrl"));
    const sparseFolders =
      command.sparseFolders == null ? null : yield* Effect.fromResult(checkedFolders(command.sparseFolders));
    const repository = yield* transact(parts, "repositories.add", command.by, function* (unit) {
      const { companyId } = yield* unit.projects.lock(command.projectId);
      const { at } = unit;
      const asked: Repository = {
        id: command.id,
        companyId,
        projectId: command.projectId,
        url,
        defaultBranch: command.defaultBranch ?? "main",
        credentialSecretId: command.credentialSecretId ?? null,
        directory,
        mode: command.mode ?? "issue",
        allowPrivateHost: command.allowPrivateHost ?? false,
        hostKind: command.hostKind ?? null,
        hostApiUrl,
        closesIssues: command.closesIssues ?? false,
        webhookSecretId: command.webhookSecretId ?? null,
        sparseFolders,
        setupCommand: command.setupCommand ?? null,
        runCommand: command.runCommand ?? null,
        archiveCommand: command.archiveCommand ?? null,
        commandTimeoutSec: command.commandTimeoutSec ?? 600,
        authorName: command.authorName ?? null,
        authorEmail: command.authorEmail ?? null,
        branchPattern: command.branchPattern ?? null,
        checkedAt: at,
        problem: null,
        removedAt: null,
        createdAt: at,
        updatedAt: at,
      };
      yield* checkRepositoryReferences(unit, asked);
      return asked;
    });
    yield* checkHost(parts, repository);
    return yield* transact(parts, "repositories.add", command.by, function* (unit) {
      yield* unit.projects.lock(command.projectId);
      yield* checkRepositoryReferences(unit, repository);
      yield* unit.repositories.insert(repository);
      yield* unit.log("repository.added", repository, {
        projectId: repository.projectId,
        url,
      });
      return repository;
    });
  });
