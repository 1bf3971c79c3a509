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
  type RawLfsFiles,
  RepositoryBusy,
} from "../../model/repositories/merge.ts";
import { type Repository, RepositoryUnusable } from "../../model/repositories/repository.ts";
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
import { squashedBefore } from "./squashed-before.ts";
import { namingUncommitted } from "./uncommitted-files.ts";
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

/** The use cases that a merge is made of. */
const stepsOf = (parts: GateCheckPorts) => ({
  parts,
  fetch: fetchRepository(parts),
  bring: bringWork(parts),
  passCommands: passCommandGates(parts),
  recover: recoverMerges(parts),
  rawLfsFiles: rawLfsFilesOf(parts),
  mask: maskForIssue(parts),
});

type Steps = ReturnType<typeof stepsOf>;

/** Its commit is made. */
type NotedMerge = OwnMerge & { readonly ontoCommit: string; readonly commit: string };

/** The knowledge of the host that counts if the merge fails. */
interface AtHost {
  /** A host that may have the commit answers that when the lease has ended. */
  mayHaveCommit: boolean;
}

/**
 * Gets the work of an issue into the default branch at the host: one merge at a time for each repository, made on what
 * the host has then, and pushed only if that has not changed. The commit is noted before it is pushed, so that after a
 * crash `recoverMerges` brings it there, or finds it there.
 */
export const mergeIssue = (parts: GateCheckPorts) => {
  const steps = stepsOf(parts);
  const { transactor } = parts;
  const nameUncommitted = namingUncommitted(parts);
  return (command: MergeIssue) =>
    Effect.gen(function* () {
      const begun = yield* beginInTurn(steps, command).pipe(
        Effect.catch((failure) => nameUncommitted(command, failure)),
      );
      const host: AtHost = { mayHaveCommit: false };
      const tries = Effect.gen(function* () {
        for (let n = 0; n < attempts; n++) {
          const pushed = yield* attempt(steps, begun, host);
          if (pushed !== null) return pushed;
        }
        return yield* Effect.fail(new RepositoryBusy());
      });
      const { merge } = begun;
      const renew = Effect.andThen(
        renewLease(transactor.transact(({ merges }) => merges.renew(merge.id))),
        Effect.fail(new RepositoryBusy()),
      );
      // Once it is finished there is no lease to renew, so that happens after the race.
      return yield* Effect.raceFirst(tries, renew).pipe(
        Effect.flatMap((pushed) => finish(steps, pushed)),
        Effect.catch((failure) => Effect.flatMap(withoutSecrets(steps.mask(merge), failure), Effect.fail)),
        Effect.onError(() =>
          host.mayHaveCommit ? Effect.void : transactor.transact(({ merges }) => merges.fail(merge.id)),
        ),
      );
    });
};

const beginInTurn = Effect.fnUntraced(function* ({ parts, recover }: Steps, command: MergeIssue) {
  for (let waited = 0; waited < waits; waited++) {
    const begun = yield* begin(parts, command);
    if (begun !== null) return begun;
    // The other one may be of a service that was killed.
    if (waited % 10 === 0) yield* recover();
    yield* Effect.sleep(waitMs);
  }
  return yield* Effect.fail(new RepositoryBusy());
});

/** null: another merge of the repository runs. */
const begin = (parts: GateCheckPorts, command: MergeIssue) =>
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

/** A merge that the host has. */
interface PushedMerge {
  readonly merge: NotedMerge;
  readonly repository: Repository;
  readonly rawFiles: RawLfsFiles | null;
}

/** Merges once. null: the host has moved on, and nothing has changed there. */
const attempt = Effect.fnUntraced(function* (steps: Steps, begun: Begun, host: AtHost) {
  const { fetch, rawLfsFiles } = steps;
  const repository = yield* fetch({ repositoryId: begun.merge.repositoryId, maxAgeSec: 0 });
  const made = yield* integrate(steps, begun, repository);
  if (!made.isThere && !(yield* push(steps, begun, { made: made.merge, repository }, host))) return null;
  const rawFiles = yield* rawLfsFiles(made.merge);
  return { merge: made.merge, repository, rawFiles } satisfies PushedMerge;
});

const finish = Effect.fnUntraced(function* (
  { parts, fetch }: Steps,
  { merge, repository, rawFiles }: PushedMerge,
) {
  yield* transactAsSystem(parts, "repositories.merge", function* (unit) {
    yield* finishMerge(unit, merge, repository.defaultBranch, rawFiles);
  });
  // Others are compared with what the host has now.
  yield* Effect.ignore(fetch({ repositoryId: merge.repositoryId, maxAgeSec: 0 }));
  return { ...merge, state: "merged" as const, ...(rawFiles === null ? {} : { rawLfsFiles: rawFiles }) };
});

/** Makes the commit of the merge in the store. `isThere`: somebody else has brought the work in. */
const integrate = Effect.fnUntraced(function* (
  steps: Steps,
  { merge, work, issue }: Begun,
  repository: Repository,
) {
  const { codeStores } = steps.parts;
  const { fromCommit, method } = merge;
  const { defaultBranch } = repository;
  const onto = yield* codeStores.head(merge, defaultBranch).pipe(Effect.mapError(unusable));
  if (onto === null)
    return yield* Effect.fail(
      new RepositoryUnusable({ reason: "no_such_branch" }, `The host has no branch ${defaultBranch}.`),
    );
  yield* steps.bring(work.branch);
  const what = { onto, from: fromCommit, method, ...commitOf(method, issue, work, repository) };
  const made = yield* squashedBefore(steps.parts, merge, onto, fromCommit).pipe(
    Effect.flatMap((squashed) => codeStores.integrate(merge, { ...what, squashed })),
    Effect.mapError(unusable),
  );
  if (made.kind === "not_fast_forward") return yield* Effect.fail(new NotFastForward());
  if (made.kind === "conflict") {
    const { branch } = work.branch;
    const { files, messages } = made;
    return yield* failWithConflict(steps, merge, {
      branch,
      from: fromCommit,
      defaultBranch,
      onto,
      files,
      messages,
    });
  }
  const isThere = made.kind === "nothing_new";
  return { isThere, merge: { ...merge, ontoCommit: onto, commit: isThere ? onto : made.commit } };
});

/** Agents name files as they like, so names are shown without values of secrets. */
const failWithConflict = Effect.fnUntraced(function* (
  { parts, mask }: Steps,
  merge: OwnMerge,
  conflict: Parameters<typeof returnConflict>[2],
) {
  const masked = yield* mask(merge);
  const sides = {
    ...conflict,
    files: [...new Set(conflict.files.map((file) => masked(file, "(hidden name)")))],
    messages: masked(conflict.messages),
  };
  yield* transactAsSystem(parts, "repositories.merge", function* (unit) {
    yield* returnConflict(unit, merge, sides);
  });
  return yield* Effect.fail(new MergeConflicted(sides));
});

/** Returns whether the host has the commit now; false: it has moved on. */
const push = Effect.fnUntraced(function* (
  { parts, passCommands }: Steps,
  { merge, overridesGates }: Begun,
  { made, repository }: { readonly made: NotedMerge; readonly repository: Repository },
  atHost: AtHost,
) {
  if (!overridesGates && made.commit !== merge.fromCommit) yield* passCommands(merge, made.commit);
  const isOurs = yield* parts.transactor.transact(({ merges }) => merges.recordPush(made));
  if (!isOurs) return yield* Effect.fail(new RepositoryBusy());
  const host = yield* hostOf(parts, repository);
  atHost.mayHaveCommit = true;
  const branch = { branch: repository.defaultBranch, commit: made.commit, expected: made.ontoCommit };
  const pushed = yield* pushMerge(parts.codeStores, host, branch).pipe(Effect.mapError(unusable));
  if (pushed === "pushed") return true;
  atHost.mayHaveCommit = false;
  return pushed === "stale" ? false : yield* Effect.fail(unusable(pushed.rejected));
});
