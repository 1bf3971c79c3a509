import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { type Actor, RunIdRequired } from "../access/caller.ts";
import { agentMayChange, type Issue, IssueNotYours } from "./issue.ts";

/** Refuses an agent that would change what another agent, or another live run of its own, is working on. */
export const refuseForeignWork = Effect.fnUntraced(function* (stores: Stores, issue: Issue, by: Actor) {
  if (by.kind !== "agent") return;
  const other = issue.checkoutRunId === by.runId ? null : issue.checkoutRunId;
  const holderIsActive = other === null ? false : yield* stores.runs.isActive(other);
  const no = agentMayChange(issue, { ...by, holderIsActive });
  if (no !== null) yield* Effect.fail(no);
});

/** As above, for documents and files: an agent changes them in a run, and never those of another agent's issue. */
export const refuseForeignPapers = Effect.fnUntraced(function* (stores: Stores, issue: Issue, by: Actor) {
  if (by.kind !== "agent") return;
  if (by.runId === null) yield* Effect.fail(new RunIdRequired());
  if (issue.assigneeAgentId !== null && issue.assigneeAgentId !== by.agentId)
    yield* Effect.fail(
      new IssueNotYours({ issueId: issue.id }, "The issue belongs to another agent; comment on it instead."),
    );
  yield* refuseForeignWork(stores, issue, by);
});
