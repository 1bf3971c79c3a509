import * as Effect from "effect/Effect";
import { transact, transactAsSystem } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { branchAtHost } from "../../model/repositories/authorship.ts";
import {
  BranchTaken,
  type PullRequest,
  PullRequestsUnavailable,
} from "../../model/repositories/pull-request.ts";
import type { IssueId, PullRequestId, RepositoryId } from "../../model/shared/ids.ts";
import { addSeconds } from "../../model/shared/instant.ts";
import { oneLine } from "../../model/shared/sentence.ts";
import { carryPullRequest } from "./carry-pull-request.ts";
import { chosenWork } from "./chosen-work.ts";
import type { PullRequestPorts } from "./pull-request-ports.ts";
import { namingUncommitted } from "./uncommitted-files.ts";

export interface OpenPullRequest {
  readonly id: PullRequestId;
  readonly issueId: IssueId;
  /** Needed where the issue has work in several. */
  readonly repositoryId?: RepositoryId | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly by: Actor;
}

/** How long nobody else carries it on. */
const turnSec = 120;

/**
 * Opens a pull request of an issue's work at the host, or brings the open one up to date. It is noted before the host
 * hears of it, so that after a crash it is looked for there, and not opened twice.
 */
export const openPullRequest = (parts: PullRequestPorts) => {
  const carry = carryPullRequest(parts);
  const nameUncommitted = namingUncommitted(parts);

  const begin = (command: OpenPullRequest) =>
    transact(parts, "repositories.openPullRequest", command.by, function* (unit) {
      const { id } = command;
      const { by } = unit;
      const issue = yield* unit.issues.lock(command.issueId);
      const { branch } = yield* chosenWork(unit, command, issue);
      const { repositoryId, companyId } = branch;
      const open = yield* unit.pullRequests.openOf(issue.id, repositoryId);
      if (open !== null) return open;
      const repository = yield* unit.repositories.lock(repositoryId);
      if (repository.hostKind === null)
        return yield* Effect.fail(new PullRequestsUnavailable({ repositoryId }));
      const { at } = unit;
      const { identifier, title } = issue;
      const atHost = branchAtHost(repository, identifier);
      const isUsed =
        atHost === repository.defaultBranch ||
        (yield* unit.pullRequests.isOfAnother(issue.id, repositoryId, atHost));
      if (isUsed) return yield* Effect.fail(new BranchTaken());
      const fresh: PullRequest = {
        id,
        companyId,
        issueId: issue.id,
        repositoryId,
        branch: atHost,
        intoBranch: repository.defaultBranch,
        title: command.title ?? `${identifier}: ${oneLine(title)}`.slice(0, 250),
        body: command.body ?? `Agents' work on ${identifier}.`,
        state: "opening",
        number: null,
        url: null,
        head: null,
        baseCommit: null,
        checks: "none",
        checksCommit: null,
        failedChecks: [],
        wakes: 0,
        handedOverAt: null,
        problem: null,
        by,
        changedAt: at,
        polledAt: null,
        pollAt: addSeconds(at, turnSec),
        createdAt: at,
      };
      yield* unit.pullRequests.insert(fresh);
      return fresh;
    });

  return (command: OpenPullRequest) =>
    Effect.gen(function* () {
      const begun = yield* begin(command).pipe(Effect.catch((failure) => nameUncommitted(command, failure)));
      return yield* carry(begun).pipe(
        // A host that refused has none, and nobody waits for it.
        Effect.tapError(() =>
          transactAsSystem(parts, "repositories.openPullRequest", function* (unit) {
            const now = yield* unit.pullRequests.lock(begun.id);
            if (now?.state === "opening") yield* unit.pullRequests.remove(begun.id);
          }),
        ),
      );
    });
};
