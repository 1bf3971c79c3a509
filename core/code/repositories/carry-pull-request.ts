import * as Effect from "effect/Effect";
import type { HostUnusable, StoreFailed } from "../../../ports/code-stores.ts";
import type { KnownHost } from "../../../ports/git-hosts.ts";
import { actAs, transactAsSystem } from "../../access/unit-of-work.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import {
  BranchTaken,
  newsOf,
  type PullRequest,
  PullRequestsUnavailable,
} from "../../model/repositories/pull-request.ts";
import type { PolledPullRequest } from "../../model/repositories/pull-request-at-host.ts";
import { RepositoryUnusable } from "../../model/repositories/repository.ts";
import { type Mask, maskForIssue } from "../../secrets/mask-for-agents.ts";
import { bringWork } from "./bring-work.ts";
import { hostOf } from "./credential-of.ts";
import { fetchRepository } from "./fetch-repository.ts";
import type { PullRequestPorts } from "./pull-request-ports.ts";
import { recordPoll } from "./record-poll.ts";
import { withoutSecrets } from "./without-secrets.ts";

const unusable = (failure: HostUnusable | StoreFailed) =>
  new RepositoryUnusable({ reason: "reason" in failure ? failure.reason : "store" }, failure.message);

/**
 * Brings a pull request up to date: pushes what the issue has since, opens it where the host has none yet, and takes what
 * the host says of it. It may be repeated at any point, also after a crash.
 */
export const carryPullRequest = (parts: PullRequestPorts) => {
  const { transactor, gitHosts } = parts;
  const fetch = fetchRepository(parts);
  const push = pushWork(parts);
  const record = recordPoll(parts);
  const mask = maskForIssue(parts);

  const carry = Effect.fnUntraced(function* (pull: PullRequest) {
    const repository = yield* fetch({ repositoryId: pull.repositoryId });
    const { hostKind: kind, hostApiUrl: apiUrl } = repository;
    if (kind === null) return yield* Effect.fail(new PullRequestsUnavailable());
    const host: KnownHost = { ...(yield* hostOf(parts, repository)), kind, apiUrl };
    const branches = yield* transactor.transact(({ repositories }) => repositories.branchesOf(pull.issueId));
    const branch = branches.find(({ repositoryId }) => repositoryId === pull.repositoryId);
    const head = branch?.head ?? null;
    const isAbandoned = branch === undefined || branch.abandonedAt !== null;
    let now = head === null || isAbandoned ? pull : yield* push(pull, { ...branch, head }, host);
    if (now.number === null) {
      const { branch: from, intoBranch: into, title, body } = now;
      const opened = yield* gitHosts
        .open(host, { branch: from, into, title, body })
        .pipe(Effect.mapError(unusable));
      now = yield* saveChange(parts, now, { ...opened, state: "open" });
    }
    if (now.number === null) return now;
    const polled = yield* gitHosts.poll(host, now.number).pipe(Effect.mapError(unusable));
    const shown = newsOf(polled).length === 0 ? polled : withoutSecretsIn(polled, yield* mask(pull));
    return yield* record(now, polled, shown, repository);
  });

  return (pull: PullRequest) =>
    carry(pull).pipe(
      Effect.catch((failure) => Effect.flatMap(withoutSecrets(mask(pull), failure), Effect.fail)),
    );
};

/** Saves a change of the pull request as it is now, and logs that it was opened. */
const saveChange = (parts: PullRequestPorts, pull: PullRequest, change: Partial<PullRequest>) =>
  transactAsSystem(parts, "repositories.carryPullRequest", function* (unit) {
    const now = yield* unit.pullRequests.lock(pull.id);
    if (now === null) return pull;
    const next: PullRequest = { ...now, ...change, changedAt: unit.at };
    yield* unit.pullRequests.save(next);
    const isOpened = now.state === "opening" && next.state === "open";
    if (isOpened && next.number !== null && next.url !== null) {
      const { identifier } = yield* Effect.orDie(unit.issues.find(now.issueId));
      yield* actAs(unit, now.by).log(
        "issue.pull_request_opened",
        { companyId: now.companyId, id: now.issueId },
        { identifier, repositoryId: now.repositoryId, number: next.number, url: next.url },
      );
    }
    return next;
  });

/** Sets the host's branch to the issue's, unless somebody else has changed it there. */
const pushWork = (parts: PullRequestPorts) => {
  const { codeStores } = parts;
  const bring = bringWork(parts);
  return Effect.fnUntraced(function* (
    pull: PullRequest,
    branch: IssueBranch & { readonly head: string },
    host: KnownHost,
  ) {
    if (pull.head === branch.head) return pull;
    yield* bring(branch);
    yield* codeStores
      .publish(pull, branch.branch, branch.head, branch.baseCommit)
      .pipe(Effect.mapError(unusable));
    const expected = pull.head ?? (yield* headAtHost(parts, pull, branch, host));
    if (expected !== branch.head) {
      const pushed = yield* codeStores
        .push(host, { branch: pull.branch, commit: branch.head, expected, mayRewrite: true })
        .pipe(Effect.mapError(unusable));
      if (pushed === "stale") {
        // An earlier push may have arrived, and its answer not.
        const there = yield* headAtHost(parts, pull, branch, host);
        if (there !== branch.head) return yield* Effect.fail(new BranchTaken());
      }
    }
    const target = yield* codeStores.head(pull, pull.intoBranch).pipe(Effect.mapError(unusable));
    const base =
      target === null
        ? null
        : yield* codeStores.mergeBase(pull, branch.head, [target]).pipe(Effect.mapError(unusable));
    return yield* saveChange(parts, pull, { head: branch.head, baseCommit: base ?? branch.baseCommit });
  });
};

/** The head of the host's branch, which must not have what the issue lacks; null: there is no such branch. */
const headAtHost = Effect.fnUntraced(function* (
  { codeStores, transactor }: PullRequestPorts,
  pull: PullRequest,
  { head }: { readonly head: string },
  host: KnownHost,
) {
  const there = yield* codeStores
    .probe(host, pull.branch)
    .pipe(
      Effect.catch((failure) =>
        failure.reason === "no_such_branch" ? Effect.succeed(null) : Effect.fail(unusable(failure)),
      ),
    );
  if (there === null || there === head) return there;
  // After a merge the work continues from the default branch; many hosts leave the merged branch.
  const merged = yield* transactor.transact(({ merges }) =>
    merges.lastMerged(pull.issueId, pull.repositoryId),
  );
  if (merged?.fromCommit === there) return there;
  // A commit that the store does not have is of somebody else.
  const isOurs = yield* codeStores.isAncestor(pull, there, head).pipe(Effect.orElseSucceed(() => false));
  return isOurs ? there : yield* Effect.fail(new BranchTaken());
});

const notShown = "(not shown)";

/** A report of the host without values of the agents' secrets, such as in the logs of checks. */
const withoutSecretsIn = (polled: PolledPullRequest, masked: Mask): PolledPullRequest => {
  const hidden = (text: string | null) => (text === null ? null : masked(text, notShown));
  return {
    ...polled,
    checks: {
      ...polled.checks,
      failed: polled.checks.failed.map(({ name, step, url, logEnd }) => ({
        name: masked(name, notShown),
        step: hidden(step),
        url: hidden(url),
        logEnd: hidden(logEnd),
      })),
    },
    notes: polled.notes.map((note) => ({
      ...note,
      text: masked(note.text, notShown),
      path: hidden(note.path),
    })),
  };
};
