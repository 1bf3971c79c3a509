import * as Effect from "effect/Effect";
import type { DueGate } from "../../../ports/stores/gate-store.ts";
import { transactAsSystem, type UnitOfWork } from "../../access/unit-of-work.ts";
import { failureComment, type GateCheck } from "../../model/issues/gates/gate-check.ts";
import { headsOf } from "../../model/issues/gates/judge-gates.ts";
import { sameCommits } from "../../model/issues/gates/review.ts";
import { countWake } from "../../model/issues/hand-over.ts";
import type { VolumeId } from "../../model/shared/ids.ts";
import { addFeedback } from "../../work/issues/comments/add-feedback.ts";
import { applyVerdict, reportGatesMet } from "../../work/issues/gates/apply-verdict.ts";
import { readGates } from "../../work/issues/gates/read-gates.ts";
import { reopenDone } from "../../work/issues/reopen-done.ts";
import { renewLease } from "../renew-lease.ts";
import type { CloneAtCommit } from "../workspaces/run-at-commit.ts";
import { checkedCommit } from "./checked-commit.ts";
import { type GateRun, runCommand } from "./run-command.ts";
import type { GateCheckPorts } from "./runs-at-commit.ts";

const atOnce = 2;

/**
 * Runs the command gates of issues whose last work has not been checked: in the agents' sandbox, at the commits that
 * this service keeps. A failure wakes the agent with the end of the log, at most as often as the gate allows, then a person
 * sees it in the inbox.
 */
export const runGateChecks = (parts: GateCheckPorts & { readonly volume: VolumeId }) => {
  const { transactor, clock, codeStores, volume } = parts;
  const commitOf = checkedCommit(parts);

  const clonesOf = Effect.fnUntraced(function* ({ issueId, companyId, clones }: DueGate) {
    const ready: CloneAtCommit[] = [];
    for (const { repositoryId, directory, defaultBranch, commit: head, branch, baseCommit } of clones) {
      const of = { companyId, repositoryId };
      const commit = yield* commitOf({ ...of, issueId, defaultBranch, head });
      // For agents of the project to read; one that does not descend from its base is checked all the same.
      if (head !== null && branch !== null && baseCommit !== null)
        yield* Effect.ignore(codeStores.publish(of, branch, head, baseCommit));
      if (commit !== null) ready.push({ repositoryId, directory, commit });
    }
    return ready;
  });

  const check = Effect.fnUntraced(function* (due: DueGate) {
    const { id, gate, companyId, issueId, runner } = due;
    const renew = Effect.as(renewLease(transactor.transact(({ gates }) => gates.renewCheck(due))), null);
    const ran = yield* Effect.raceFirst(
      runCommand(parts, { id, companyId, issueId, runner, clones: clonesOf(due), ...gate }),
      renew,
    );
    if (ran !== null)
      yield* transactAsSystem(parts, "repositories.runGateChecks", function* (unit) {
        yield* finishCheck(unit, due, ran);
      });
  });

  return () =>
    Effect.gen(function* () {
      const due = yield* transactor.transact(({ gates }) => gates.takeDue(volume, clock.now(), atOnce));
      yield* Effect.forEach(due, check, { concurrency: atOnce, discard: true });
    });
};

/** A result counts for what its command ran at: another service may have taken over from this one meanwhile. */
const finishCheck = Effect.fnUntraced(function* (unit: UnitOfWork, due: DueGate, ran: GateRun) {
  const { issueId, gate } = due;
  const issue = yield* Effect.orDie(unit.issues.lock(issueId));
  const before = yield* unit.gates.lockCheck(due);
  if (before === null) return;
  const { at } = unit;
  const { work } = yield* unit.gates.factsOf(issue);
  const isCurrent = sameCommits(before.commits, headsOf(work));
  const isFailed = ran.problem !== null;
  const { handedOverAt } = before;
  const hasPersonActed = handedOverAt !== null && (yield* unit.gates.personActedSince(issueId, handedOverAt));
  // An agent cannot fix a workspace that the service could not make.
  const most = ran.isUnusable ? 0 : gate.maxWakes;
  const counts = isFailed && isCurrent;
  const { wakesAgent, ...counted } = countWake(before, { hasPersonActed, most, at });
  const done: GateCheck = {
    ...before,
    state: isFailed ? "failed" : "passed",
    problem: ran.problem,
    log: ran.log,
    durationMs: ran.durationMs,
    ...(counts ? counted : { wakes: isFailed && !hasPersonActed ? before.wakes : 0, handedOverAt: null }),
    finishedAt: at,
  };
  yield* unit.gates.saveCheck(done);
  if (!isCurrent && issue.status === "done") yield* unit.gates.checkAgain(issueId);
  if (!isCurrent || issue.status === "cancelled") return;
  if (isFailed) {
    const body = failureComment(gate, {
      reason: ran.problem ?? "",
      log: ran.log,
      waitsForPerson: !wakesAgent,
    });
    // A run may work on after it has made its issue done.
    const open = ran.isUnusable ? issue : yield* reopenDone(unit, issue);
    yield* addFeedback(unit, { issue: open, body, wakesAgent });
    return;
  }
  // The end of a run that has the issue judges its gates itself.
  if (issue.checkoutRunId !== null || (yield* applyVerdict(unit, issueId))) return;
  const gates = yield* readGates(unit, issue, null);
  if (gates.some(({ reason }) => reason !== null)) return;
  if (issue.status === "done") yield* unit.issues.save({ ...issue, verifiedAt: at, updatedAt: at });
  else yield* reportGatesMet(unit, issue);
});
