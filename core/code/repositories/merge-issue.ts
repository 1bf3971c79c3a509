import * as Effect from "effect/Effect";
import type { HostUnusable, StoreFailed } from "../../../ports/code-stores.ts";
import { transact, transactAsSystem } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Issue } from "../../model/issues/issue.ts";
import {
  commitOf,
  type Merge,
  MergeConflicted,
  type MergeMethod,
  NotFastForward,
  type OpenWork,
  RepositoryBusy,
} from "../../model/repositories/merge.ts";
import { RepositoryUnusable } from "../../model/repositories/repository.ts";
import type { IssueId, MergeId, RepositoryId } from "../../model/shared/ids.ts";
import { maskForIssue } from "../../secrets/mask-for-agents.ts";
import { requireGates } from "../../work/issues/gates/pass-gates.ts";
import { passCommandGates } from "../gates/pass-command-gates.ts";
import type { GateCheckPorts } from "../gates/runs-at-commit.ts";
import { renewLease } from "../renew-lease.ts";
import { bringWork } from "./bring-work.ts";
import { chosenWork } from "./chosen-work.ts";
import { hostOf } from "./credential-of.ts";
import { fetchRepository } from "./fetch-repository.ts";
import { finishMerge } from "./finish-merge.ts";
import { pushMerge } from "./push-merge.ts";
import { rawLfsFilesOf } from "./raw-lfs-files-of.ts";
import { recoverMerges } from "./recover-merges.ts";
import { returnConflict } from "./return-conflict.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface MergeIssue {
  readonly id: MergeId;
  readonly issueId: IssueId;
  /** Needed where the issue has work in several. */
  readonly repositoryId?: RepositoryId | undefined;
  readonly method: MergeMethod;
  /** By the board: although gates of the issue are not met. */
  readonly overrideGates?: boolean | undefined;
  readonly by: Actor;
}

/** One that the service makes. */
type OwnMerge = Merge & { readonly method: MergeMethod };

/** A merge that has begun, with its facts. */
interface Begun {
  readonly merge: OwnMerge;
  readonly work: OpenWork;
  readonly issue: Pick<Issue, "identifier" | "title">;
  readonly overridesGates: boolean;
}

/** How often the host may move on meanwhile, and how long others are waited for. */
const attempts = 5;
const waitMs = 200;
const waits = 300;

const unusable = (failure: HostUnusable | StoreFailed) =>
  new RepositoryUnusable({ reason: "reason" in failure ? failure.reason : "store" }, failure.message);

/**
 * Gets the work of an issue into the default branch at the host: one merge at a time for each repository, made on what
 * the host has then, and pushed only if that has not changed. The commit is noted before it is pushed, so that after a
 * crash `recoverMerges` brings it there, or finds it there.
 */
export const mergeIssue = (parts: GateCheckPorts) => {
  const { transactor, codeStores } = parts;
  const fetch = fetchRepository(parts);
  const bring = bringWork(parts);
  const passCommands = passCommandGates(parts);
  const recover = recoverMerges(parts);
  const rawLfsFiles = rawLfsFilesOf(parts);
  const mask = maskForIssue(parts);

  /** null: another merge of the repository runs. */
  const begin = (command: MergeIssue) =>
    transact(parts, "repositories.merge", command.by, function* (unit) {
      const issue = yield* unit.issues.lock(command.issueId);
      const work = yield* chosenWork(unit, command, issue);
      const { repositoryId, companyId, head } = work.branch;
      yield* unit.repositories.lock(repositoryId);
      if ((yield* unit.merges.running(repositoryId)) !== null) return null;
      yield* requireGates(unit, issue, command);
      const { id, issueId, method, by } = command;
      const merge: OwnMerge = {
        id,
        companyId,
        issueId,
        repositoryId,
        method,
        fromCommit: head,
        ontoCommit: null,
        commit: null,
        state: "running",
        by,
        createdAt: unit.at,
      };
      yield* unit.merges.begin(merge);
      return { merge, work, issue, overridesGates: command.overrideGates === true } satisfies Begun;
    });

  const beginInTurn = (command: MergeIssue) =>
    Effect.gen(function* () {
      for (let waited = 0; waited < waits; waited++) {
        const begun = yield* begin(command);
        if (begun !== null) return begun;
        // The other one may be of a service that was killed.
        if (waited % 10 === 0) yield* recover();
        yield* Effect.sleep(waitMs);
      }
      return yield* Effect.fail(new RepositoryBusy());
    });

  /** Merges once. null: the host has moved on, and nothing has changed there. */
  const attempt = Effect.fnUntraced(function* ({ merge, work, issue, overridesGates }: Begun, note: Notes) {
    const { repositoryId, fromCommit, method } = merge;
    const repository = yield* fetch({ repositoryId, maxAgeSec: 0 });
    const { defaultBranch } = repository;
    const onto = yield* codeStores.head(merge, defaultBranch).pipe(Effect.mapError(unusable));
    if (onto === null)
      return yield* Effect.fail(
        new RepositoryUnusable({ reason: "no_such_branch" }, `The host has no branch ${defaultBranch}.`),
      );
    yield* bring(work.branch);
    const made = yield* codeStores
      .integrate(merge, { onto, from: fromCommit, method, ...commitOf(method, issue, work, repository) })
      .pipe(Effect.mapError(unusable));
    if (made.kind === "not_fast_forward") return yield* Effect.fail(new NotFastForward());
    if (made.kind === "conflict") {
      const { branch } = work.branch;
      const masked = yield* mask(merge);
      const sides = {
        branch,
        from: fromCommit,
        defaultBranch,
        onto,
        // Agents name files as they like.
        files: [...new Set(made.files.map((file) => masked(file, "(a name that is not shown)")))],
        messages: masked(made.messages),
      };
      yield* transactAsSystem(parts, "repositories.merge", function* (unit) {
        yield* returnConflict(unit, merge, sides);
      });
      return yield* Effect.fail(new MergeConflicted(sides));
    }
    // Somebody else has brought it in.
    const isThere = made.kind === "nothing_new";
    const noted = { ...merge, ontoCommit: onto, commit: isThere ? onto : made.commit };
    if (!isThere) {
      if (!overridesGates && noted.commit !== fromCommit) yield* passCommands(merge, noted.commit);
      const isOurs = yield* transactor.transact(({ merges }) => merges.notePush(noted));
      if (!isOurs) return yield* Effect.fail(new RepositoryBusy());
      const host = yield* hostOf(parts, repository);
      note.mayBeThere();
      const branch = { branch: defaultBranch, commit: noted.commit, expected: onto };
      const pushed = yield* pushMerge(codeStores, host, branch).pipe(Effect.mapError(unusable));
      if (pushed !== "pushed") {
        note.isNotThere();
        return pushed === "stale" ? null : yield* Effect.fail(unusable(pushed.rejected));
      }
    }
    const rawFiles = yield* rawLfsFiles(noted);
    yield* transactAsSystem(parts, "repositories.merge", function* (unit) {
      yield* finishMerge(unit, noted, defaultBranch, rawFiles);
    });
    // Others are compared with what the host has now.
    yield* Effect.ignore(fetch({ repositoryId, maxAgeSec: 0 }));
    return { ...noted, state: "merged" as const, ...(rawFiles === null ? {} : { rawLfsFiles: rawFiles }) };
  });

  return (command: MergeIssue) =>
    Effect.gen(function* () {
      const begun = yield* beginInTurn(command);
      let mayBeThere = false;
      const note: Notes = {
        mayBeThere: () => {
          mayBeThere = true;
        },
        isNotThere: () => {
          mayBeThere = false;
        },
      };
      const tries = Effect.gen(function* () {
        for (let n = 0; n < attempts; n++) {
          const merged = yield* attempt(begun, note);
          if (merged !== null) return merged;
        }
        return yield* Effect.fail(new RepositoryBusy());
      });
      const { id } = begun.merge;
      const renew = Effect.andThen(
        renewLease(transactor.transact(({ merges }) => merges.renew(id))),
        Effect.fail(new RepositoryBusy()),
      );
      return yield* Effect.raceFirst(tries, renew).pipe(
        Effect.catch((failure) => Effect.flatMap(withoutSecrets(mask(begun.merge), failure), Effect.fail)),
        // A host that may have the commit answers that when the lease has ended.
        Effect.onError(() =>
          mayBeThere ? Effect.void : transactor.transact(({ merges }) => merges.fail(id)),
        ),
      );
    });
};

/** The knowledge of the host that counts if the merge fails. */
interface Notes {
  readonly mayBeThere: () => void;
  readonly isNotThere: () => void;
}
