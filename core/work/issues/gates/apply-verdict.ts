import * as Effect from "effect/Effect";
import { actAs, type UnitOfWork } from "../../../access/unit-of-work.ts";
import { type DoneRequest, judgeEnd } from "../../../model/issues/gates/judge-end.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { type Run, whatFollowsContinued } from "../../../model/runs/run.ts";
import type { IssueId } from "../../../model/shared/ids.ts";
import { wake } from "../../../queue/wake-agent.ts";
import { addFeedback } from "../comments/add-feedback.ts";
import { changeIssue } from "../update-issue.ts";
import { readGates } from "./read-gates.ts";

/**
 * Records that the run's successor waits for the verdict on the gates of the issue, which the run left in progress when it
 * succeeded. Returns whether it waits; otherwise the successor starts at once.
 */
export const awaitVerdict = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  issueId: IssueId,
  run: Pick<Run, "id">,
) {
  const { at } = unit;
  const issue = yield* Effect.orDie(unit.issues.find(issueId));
  const [request, gates] = yield* Effect.all(
    [unit.gates.doneRequest(issueId), readGates(unit, issue, run.id)],
    { concurrency: "unbounded" },
  );
  const isDoneRequested = request?.runId === run.id;
  if (request !== null && !isDoneRequested) yield* unit.gates.dropDoneRequest(issueId);
  if (judgeEnd(gates, { isDoneRequested, endedAt: at, at }) === "continue") return false;
  yield* unit.gates.awaitVerdict(issueId, at);
  return true;
});

/**
 * Applies the verdict on an issue's gates once there is one: the issue is completed, or another run follows. Returns whether
 * anything waited for it.
 */
export const applyVerdict = Effect.fnUntraced(function* (unit: UnitOfWork, issueId: IssueId) {
  const issue = yield* Effect.orDie(unit.issues.lock(issueId));
  const endedAt = yield* unit.gates.awaitsVerdictSince(issueId);
  if (endedAt === null) return false;
  const request = yield* unit.gates.doneRequest(issueId);
  // A person's comment that came after the request is for another run to read.
  const isDoneRequested =
    request !== null &&
    request.agentId === issue.assigneeAgentId &&
    !(yield* unit.gates.personActedSince(issueId, request.createdAt));
  const gates = yield* readGates(unit, issue, null);
  const follows = judgeEnd(gates, { isDoneRequested, endedAt, at: unit.at });
  if (follows === "wait") return true;
  yield* unit.gates.awaitVerdict(issueId, null);
  yield* unit.gates.dropDoneRequest(issueId);
  if (follows === "done" && request !== null && (yield* finish(unit, request))) return true;
  if (gates.length > 0 && gates.every(({ reason }) => reason === null)) yield* reportGatesMet(unit, issue);
  else yield* followLastRun(unit, issue);
  return true;
});

/** Tells the agent of an issue that all gates have passed and only its own completion is missing. */
export const reportGatesMet = (unit: UnitOfWork, issue: Issue) =>
  addFeedback(unit, {
    issue,
    body: "All gates pass. You can mark the issue as done.",
    wakesAgent: true,
  });

/** Repeats the request of the run, which has ended. Returns whether it is granted now. */
const finish = (unit: UnitOfWork, { issueId, agentId, runId, comment }: DoneRequest) =>
  changeIssue(actAs(unit, { kind: "agent", agentId, runId }), {
    issueId,
    status: "done",
    comment: comment === null ? undefined : { id: unit.newId<"comment">(), body: comment },
  }).pipe(Effect.match({ onSuccess: () => true, onFailure: () => false }));

const followLastRun = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue) {
  const { id: issueId, companyId, identifier, assigneeAgentId } = issue;
  const agent =
    assigneeAgentId === null ? null : yield* unit.agents.findInCompany(assigneeAgentId, companyId);
  if (agent === null) return;
  const [latest] = yield* unit.runs.latestOn(agent.id, [issueId]);
  if (whatFollowsContinued(latest ?? null) === "stalled")
    return yield* unit.log("issue.stalled", issue, {
      identifier,
    });
  yield* wake(unit, agent, { issueId, reason: "issue_continuation_needed", payload: {}, after: latest?.id });
});
