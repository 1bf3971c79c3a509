import * as Effect from "effect/Effect";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../../access/unit-of-work.ts";
import { GatesUnmet } from "../../model/issues/gates/judge-gates.ts";
import { countWake } from "../../model/issues/hand-over.ts";
import type { Issue } from "../../model/issues/issue.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import {
  isOpenPullRequest,
  newsOf,
  nextPoll,
  type PullRequest,
  wakesMost,
} from "../../model/repositories/pull-request.ts";
import type { PolledPullRequest } from "../../model/repositories/pull-request-at-host.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { addFeedback } from "../../work/issues/comments/add-feedback.ts";
import { applyVerdict } from "../../work/issues/gates/apply-verdict.ts";
import { reopenDone } from "../../work/issues/reopen-done.ts";
import { changeIssue } from "../../work/issues/update-issue.ts";

const textMost = 20_000;

/**
 * Stores what a host reports of a pull request: its state, the checks, and comments of people. News are a comment on the
 * issue and wake its agent, at most so often; then they wait for a person. A merged one counts as the merge of the work,
 * and makes the issue done where the repository says so.
 */
export const recordPoll =
  (context: UseCaseContext) =>
  (
    pull: PullRequest,
    polled: PolledPullRequest,
    /** The same as people and agents may see it. */
    shown: PolledPullRequest,
    { closesIssues }: Pick<Repository, "closesIssues">,
  ) =>
    transactAsSystem(context, "repositories.recordPoll", function* (unit) {
      const issue = yield* Effect.orDie(unit.issues.lock(pull.issueId));
      const branches = yield* unit.repositories.lockBranches(pull.issueId);
      const before = yield* unit.pullRequests.lock(pull.id);
      if (before === null || !isOpenPullRequest(before)) return before ?? pull;
      const after = polledRow(before, shown, unit.at);
      yield* logPoll(unit, issue, before, after, polled);
      if (polled.state === "merged") yield* recordMerge(unit, after, branches, polled);
      const saved = yield* reportNews(unit, issue, after, polled, shown);
      yield* unit.pullRequests.save(saved);
      yield* applyVerdict(unit, pull.issueId);
      // In the same transaction: a merged one is not polled again.
      if (polled.state === "merged" && closesIssues) yield* completeIssue(unit, saved);
      return saved;
    });

/** The row after a poll, without its news. */
const polledRow = (
  before: PullRequest,
  { state, head, checks }: PolledPullRequest,
  at: Instant,
): PullRequest => {
  const failedChecks = checks.failed.map(({ name }) => name.slice(0, 300));
  const isNew = before.checks !== checks.state || before.checksCommit !== head || before.state !== state;
  const changedAt = isNew ? at : before.changedAt;
  return {
    ...before,
    state,
    checks: checks.state,
    checksCommit: head,
    failedChecks,
    problem: null,
    changedAt,
    polledAt: at,
    pollAt: nextPoll(changedAt, at),
  };
};

const logPoll = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  issue: Issue,
  before: PullRequest,
  after: PullRequest,
  polled: PolledPullRequest,
) {
  const { identifier } = issue;
  const { repositoryId, checks } = after;
  const isNew = before.checks !== checks || before.checksCommit !== after.checksCommit;
  if (isNew && (checks === "passed" || checks === "failed"))
    yield* unit.log("issue.checks_reported", issue, { identifier, repositoryId, state: checks });
  const { state, number } = polled;
  if (state !== "open" && number !== null)
    yield* unit.log("issue.pull_request_closed", issue, { identifier, repositoryId, number, state });
});

const recordMerge = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { companyId, issueId, repositoryId, baseCommit, by }: PullRequest,
  branches: readonly IssueBranch[],
  { head, mergeCommit }: PolledPullRequest,
) {
  const commit = mergeCommit ?? head;
  yield* unit.merges.begin({
    id: unit.newId<"merge">(),
    companyId,
    issueId,
    repositoryId,
    method: "pull_request",
    fromCommit: head,
    ontoCommit: baseCommit,
    commit,
    state: "merged",
    by,
    createdAt: unit.at,
  });
  const branch = branches.find((each) => each.repositoryId === repositoryId);
  if (branch?.head === head)
    yield* unit.repositories.saveBranch({
      ...branch,
      mergedAt: unit.at,
      mergeCommit: commit,
      updatedAt: unit.at,
    });
});

/** Comments what has not been reported yet on the issue. Returns the row with what it counts. */
const reportNews = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  issue: Issue,
  pull: PullRequest,
  polled: PolledPullRequest,
  shown: PolledPullRequest,
) {
  const { at } = unit;
  const ids = newsOf(polled).map(({ id }) => id);
  const news = newsOf(shown).map((each, n) => ({ ...each, id: ids[n] ?? each.id }));
  const isFresh = new Set(yield* unit.pullRequests.takeNotes(pull.id, ids, at));
  const fresh = news.filter(({ id }) => isFresh.has(id));
  if (fresh.length === 0) return pull;
  const { handedOverAt, issueId } = pull;
  const hasPersonActed = handedOverAt !== null && (yield* unit.gates.personActedSince(issueId, handedOverAt));
  const { wakesAgent, ...counted } = countWake(pull, { hasPersonActed, most: wakesMost, at });
  const open = wakesAgent ? yield* reopenDone(unit, issue) : issue;
  const text = fresh.map(({ text }) => text).join("\n\n");
  const body = [
    `**Pull request [#${polled.number}](${polled.url})**`,
    text.length > textMost ? `${text.slice(0, textMost)} …` : text,
    ...(wakesAgent ? [] : [`It has woken the agent ${wakesMost} times. Please take a look.`]),
  ].join("\n\n");
  yield* addFeedback(unit, { issue: open, body, wakesAgent });
  return { ...pull, ...counted };
});

/** Completes the issue of a merged one where all its work is in and its gates pass; otherwise comments why it stays open. */
const completeIssue = Effect.fnUntraced(function* (unit: UnitOfWork, { issueId, number, url }: PullRequest) {
  const issue = yield* Effect.orDie(unit.issues.lock(issueId));
  const work = yield* unit.merges.open(issueId);
  if (isClosed(issue.status) || work.length > 0) return;
  const done = yield* Effect.result(changeIssue(unit, { issueId, status: "done" }));
  if (done._tag === "Success") return;
  const why =
    done.failure instanceof GatesUnmet ? done.failure.message : "Its status doesn't allow completing it.";
  const body = `**Pull request [#${number}](${url})** is merged. ${why}`;
  yield* addFeedback(unit, { issue, body, wakesAgent: true });
});
