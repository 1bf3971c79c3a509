import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import { bySystem } from "../../model/access/caller.ts";
import { GatesUnmet } from "../../model/issues/gates/judge-gates.ts";
import type { Issue } from "../../model/issues/issue.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
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
import { reopenDone } from "../../work/issues/reopen-done.ts";
import { changeIssue } from "../../work/issues/update-issue.ts";
import type { PullRequestPorts } from "./pull-request-ports.ts";

const textMost = 20_000;

/**
 * Takes what a host says of a pull request: its state, the checks, and words of people. What is new is a comment on the
 * issue and wakes its agent, at most so often; then it waits for a person. A merged one counts as the merge of the work, and
 * makes the issue done where the repository says so.
 */
export const recordPoll = ({ transactor, clock, ids }: PullRequestPorts) => {
  const save = (
    pull: PullRequest,
    polled: PolledPullRequest,
    { closesIssues }: Pick<Repository, "closesIssues">,
  ) =>
    transact(transactor, function* (stores) {
      const at = clock.now();
      const issue = yield* Effect.orDie(stores.issues.lock(pull.issueId));
      const branches = yield* stores.repositories.lockBranches(pull.issueId);
      const before = yield* stores.pullRequests.lock(pull.id);
      if (before === null || !isOpenPullRequest(before)) return before ?? pull;
      const seen = seenOf(before, polled, at);
      const isReported = seen.checks === "passed" || seen.checks === "failed";
      if (isReported && (before.checks !== seen.checks || before.checksCommit !== seen.checksCommit))
        yield* logAction(
          stores,
          { companyId: pull.companyId, id: pull.issueId },
          bySystem,
          at,
          "issue.checks_reported",
          {
            identifier: issue.identifier,
            repositoryId: pull.repositoryId,
            state: seen.checks,
          },
        );
      if (polled.state === "merged") yield* noteMerged(stores, seen, polled, at);
      if (polled.state !== "open" && polled.number !== null)
        yield* logAction(
          stores,
          { companyId: pull.companyId, id: pull.issueId },
          bySystem,
          at,
          "issue.pull_request_closed",
          {
            identifier: issue.identifier,
            repositoryId: pull.repositoryId,
            number: polled.number,
            state: polled.state,
          },
        );
      const saved = yield* tell(stores, issue, seen, polled, at);
      yield* stores.pullRequests.save(saved);
      // With the rest: a merged one is not polled again.
      if (polled.state === "merged" && closesIssues) yield* close(stores, saved);
      return saved;

      function noteMerged(
        stores: Stores,
        { baseCommit, by }: PullRequest,
        polled: PolledPullRequest,
        at: Instant,
      ) {
        return Effect.gen(function* () {
          const work = branches.find(({ repositoryId }) => repositoryId === pull.repositoryId);
          const commit = polled.mergeCommit ?? polled.head;
          yield* stores.merges.begin({
            id: ids.next<"merge">(),
            companyId: pull.companyId,
            issueId: pull.issueId,
            repositoryId: pull.repositoryId,
            method: "pull_request",
            fromCommit: polled.head,
            ontoCommit: baseCommit,
            commit,
            state: "merged",
            by,
            createdAt: at,
          });
          if (work?.head === polled.head)
            yield* stores.repositories.saveBranch({
              ...work,
              mergedAt: at,
              mergeCommit: commit,
              updatedAt: at,
            });
        });
      }
    });

  const tell = Effect.fnUntraced(function* (
    stores: Stores,
    issue: Issue,
    pull: PullRequest,
    polled: PolledPullRequest,
    at: Instant,
  ) {
    const news = newsOf(polled);
    const taken = new Set(
      yield* stores.pullRequests.takeNotes(
        pull.id,
        news.map(({ id }) => id),
        at,
      ),
    );
    const fresh = news.filter(({ id }) => taken.has(id));
    if (fresh.length === 0) return pull;
    const { handedOverAt, id, issueId } = pull;
    const isBack = handedOverAt !== null && (yield* stores.gates.personActedSince(issueId, handedOverAt));
    const wakes = isBack ? 0 : pull.wakes;
    const wakesAgent = wakes < wakesMost;
    const open = wakesAgent ? yield* reopenDone(stores, issue, bySystem, at) : issue;
    const text = fresh.map(({ text }) => text).join("\n\n");
    const body = [
      `**Pull request [#${polled.number}](${polled.url})**`,
      text.length > textMost ? `${text.slice(0, textMost)} …` : text,
      ...(wakesAgent ? [] : [`It has woken the agent ${wakesMost} times. A person should look at it.`]),
    ].join("\n\n");
    yield* addFeedback(stores, ids, { issue: open, body, wakesAgent, at });
    return {
      ...pull,
      id,
      wakes: wakesAgent ? wakes + 1 : wakes,
      handedOverAt: wakesAgent ? (isBack ? null : handedOverAt) : isBack ? at : (handedOverAt ?? at),
    };
  });

  /** Makes the issue of a merged one done, where all its work is in and its gates are met; else says why it stays open. */
  const close = Effect.fnUntraced(function* (stores: Stores, { issueId, number, url }: PullRequest) {
    const issue = yield* Effect.orDie(stores.issues.lock(issueId));
    const work = yield* stores.merges.open(issueId);
    if (isClosed(issue.status) || work.length > 0) return;
    const done = yield* Effect.result(
      changeIssue(stores, clock, ids, { issueId, status: "done", by: bySystem }),
    );
    if (done._tag === "Success") return;
    const why =
      done.failure instanceof GatesUnmet ? done.failure.message : "It cannot be done from its status.";
    const body = `**Pull request [#${number}](${url})** is merged. ${why}`;
    yield* addFeedback(stores, ids, { issue, body, wakesAgent: true, at: clock.now() });
  });

  return save;
};

/** The row after a poll, without its news. */
const seenOf = (
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
