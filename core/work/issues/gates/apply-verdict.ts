import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Stores } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { unitOf } from "../../../access/unit-of-work.ts";
import { bySystem } from "../../../model/access/caller.ts";
import { type DoneRequest, judgeEnd } from "../../../model/issues/gates/judge-end.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import { type Run, whatFollowsContinued } from "../../../model/runs/run.ts";
import type { IssueId } from "../../../model/shared/ids.ts";
import type { Instant } from "../../../model/shared/instant.ts";
import { wakeAgent } from "../../../queue/wake-agent.ts";
import { addFeedback } from "../comments/add-feedback.ts";
import { changeIssue } from "../update-issue.ts";
import { readGates } from "./read-gates.ts";

/**
 * Notes that what follows a run waits for the verdict on the gates of an issue, which the run left in progress when it ended
 * well. Returns whether it waits; otherwise the run is followed at once.
 */
export const awaitVerdict = Effect.fnUntraced(function* (
  stores: Stores,
  issueId: IssueId,
  run: Pick<Run, "id">,
  at: Instant,
) {
  const issue = yield* Effect.orDie(stores.issues.find(issueId));
  const [request, gates] = yield* Effect.all(
    [stores.gates.doneRequest(issueId), readGates(stores, issue, run.id)],
    { concurrency: "unbounded" },
  );
  const isDoneRequested = request?.runId === run.id;
  if (request !== null && !isDoneRequested) yield* stores.gates.dropDoneRequest(issueId);
  if (judgeEnd(gates, { isDoneRequested, endedAt: at, at }) === "continue") return false;
  yield* stores.gates.awaitVerdict(issueId, at);
  return true;
});

/**
 * Does for an issue what waited for the verdict on its gates, once that is there: it is done, or another run follows.
 * Returns whether anything waited.
 */
export const applyVerdict = Effect.fnUntraced(function* (
  stores: Stores,
  clock: Clock,
  ids: Ids,
  issueId: IssueId,
) {
  const issue = yield* Effect.orDie(stores.issues.lock(issueId));
  const endedAt = yield* stores.gates.awaitsVerdictSince(issueId);
  if (endedAt === null) return false;
  const request = yield* stores.gates.doneRequest(issueId);
  // A person's word that came after the request is for another run to read.
  const isDoneRequested =
    request !== null &&
    request.agentId === issue.assigneeAgentId &&
    !(yield* stores.gates.personActedSince(issueId, request.createdAt));
  const gates = yield* readGates(stores, issue, null);
  const follows = judgeEnd(gates, { isDoneRequested, endedAt, at: clock.now() });
  if (follows === "wait") return true;
  yield* stores.gates.awaitVerdict(issueId, null);
  yield* stores.gates.dropDoneRequest(issueId);
  if (follows === "done" && request !== null && (yield* finish(stores, clock, ids, request))) return true;
  const at = clock.now();
  if (gates.length > 0 && gates.every(({ reason }) => reason === null))
    yield* reportGatesMet(stores, ids, issue, at);
  else yield* followLastRun(stores, ids, issue, at);
  return true;
});

/** Tells the agent of an issue that nothing but its word keeps it open. */
export const reportGatesMet = (stores: Stores, ids: Ids, issue: Issue, at: Instant) =>
  addFeedback(stores, ids, {
    issue,
    body: "All gates are met: the issue can be made done.",
    wakesAgent: true,
    at,
  });

/** Repeats the request of the run, which has ended. Returns whether it is granted now. */
const finish = (stores: Stores, clock: Clock, ids: Ids, { issueId, agentId, runId, comment }: DoneRequest) =>
  changeIssue(unitOf({ clock, ids }, stores, { kind: "agent", agentId, runId }), {
    issueId,
    status: "done",
    comment: comment === null ? undefined : { id: ids.next<"comment">(), body: comment },
  }).pipe(Effect.match({ onSuccess: () => true, onFailure: () => false }));

const followLastRun = Effect.fnUntraced(function* (stores: Stores, ids: Ids, issue: Issue, at: Instant) {
  const { id: issueId, companyId, identifier, assigneeAgentId } = issue;
  const agent =
    assigneeAgentId === null ? null : yield* stores.agents.findInCompany(assigneeAgentId, companyId);
  if (agent === null) return;
  const [latest] = yield* stores.runs.latestOn(agent.id, [issueId]);
  if (whatFollowsContinued(latest ?? null) === "stalled")
    return yield* logAction(stores, { companyId, id: issueId }, bySystem, at, "issue.stalled", {
      identifier,
    });
  yield* wakeAgent(stores, ids, {
    agent,
    company: agent.companyStatus,
    issueId,
    reason: "issue_continuation_needed",
    payload: {},
    by: bySystem,
    after: latest?.id,
    at,
  });
});
