import * as Result from "effect/Result";
import { type Actor, actingRun, type RunIdRequired, refusalWithoutRun } from "../access/caller.ts";
import { callerMayOf } from "../access/caller-may.ts";
import type { Agent } from "../agents/agent.ts";
import { refusalOfInvoke } from "../agents/agent-actions.ts";
import type { Holds } from "../agents/holds.ts";
import { assignable } from "../agents/named-agent.ts";
import { notInvokable } from "../agents/not-invokable.ts";
import type { CompanyStatus } from "../companies/company.ts";
import { type MergeFacts, refusalOfMerge } from "../repositories/merge.ts";
import type { WakeFacts } from "../runs/may-wake.ts";
import { refusedWake, type WakeRefusal } from "../runs/wake-refusal.ts";
import type { Refusal } from "../shared/failure.ts";
import type { IssueId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { isAssigned } from "./assignee.ts";
import { type GateFacts, type GatesUnmet, judgeGates, refusalOfGates } from "./gates/judge-gates.ts";
import { type ReviewFacts, refusalOfReview } from "./gates/review.ts";
import { InteractionIssueClosed } from "./interactions/interaction.ts";
import {
  agentMayChange,
  type Issue,
  type IssueHeldByAnother,
  IssueNotYours,
  NotTheAssignee,
  refusalOfClaim,
  refusalOfMove,
} from "./issue.ts";
import { isClosed } from "./issue-status.ts";

/** The facts on which the actions on an issue depend, apart from its own fields. */
export interface IssueFacts extends Pick<WakeFacts, "projectHeldByBudgetAt" | "at">, MergeFacts, ReviewFacts {
  readonly issue: Issue;
  /** Whether the run in checkoutRunId is live. */
  readonly holderIsActive: boolean;
  /** The open issues that block it. */
  readonly openBlockers: readonly IssueId[];
  /** The agent to which it is assigned. */
  readonly assignee: WakeFacts["agent"] | null;
  /** The reader, where it is an agent. */
  readonly reader: WakeFacts["agent"] | null;
  /** null: it is closed, or has none. */
  readonly gates: GateFacts | null;
  readonly companyStatus: CompanyStatus;
  readonly companyHeldByBudgetAt: Instant | null;
}

type HeldIssue = Pick<IssueFacts, "issue" | "holderIsActive">;

/** Returns why the issue is not changed, or null: an agent outside a run, somebody else's work, another live run. */
export const refusalOfWrite = (
  { issue, holderIsActive }: HeldIssue,
  by: Actor,
): RunIdRequired | IssueNotYours | IssueHeldByAnother | null =>
  refusalWithoutRun(by) ?? (by.kind === "agent" ? agentMayChange(issue, { ...by, holderIsActive }) : null);

/** As above, for documents and files: an agent may not change those of somebody else's issue in any status. */
export const refusalOfFile = (
  heldIssue: HeldIssue,
  by: Actor,
): RunIdRequired | IssueNotYours | IssueHeldByAnother | null =>
  refusalWithoutRun(by) ?? refusalOfOthers(heldIssue.issue, by) ?? refusalOfWrite(heldIssue, by);

const refusalOfOthers = (issue: Issue, by: Actor): IssueNotYours | null =>
  by.kind === "agent" && isAssigned(issue) && issue.assigneeAgentId !== by.agentId
    ? new IssueNotYours(
        { issueId: issue.id },
        "This issue is assigned to someone else. Comment on it instead.",
      )
    : null;

/** Returns why the issue is not released, or null. */
export const refusalOfRelease = (
  heldIssue: HeldIssue,
  by: Actor,
): RunIdRequired | NotTheAssignee | IssueNotYours | IssueHeldByAnother | null =>
  refusalWithoutRun(by) ??
  (by.kind === "agent" && heldIssue.issue.assigneeAgentId !== by.agentId ? new NotTheAssignee() : null) ??
  refusalOfWrite(heldIssue, by);

/** Returns why a hold stops the agent's work on the issue, or null. */
export const refusalOfHold = (
  agent: Holds & Pick<Agent, "lifecycleState">,
  {
    companyStatus,
    projectHeldByBudgetAt,
    at,
  }: Pick<IssueFacts, "companyStatus" | "projectHeldByBudgetAt" | "at">,
): WakeRefusal | null => {
  const refusal = notInvokable(agent, companyStatus, at, projectHeldByBudgetAt);
  return refusal === null ? null : refusedWake(refusal);
};

/** Returns why the issue is not checked out as it is, or null: by an agent for itself, by people for its agent. */
const refusalOfCheckout = (facts: IssueFacts, by: Actor): Refusal | null => {
  const refusal = refusalWithoutRun(by);
  if (refusal !== null) return refusal;
  const { issue, assignee, reader, holderIsActive, openBlockers } = facts;
  const agent = reader ?? assignee;
  const claim = {
    holderIsActive,
    openBlockers,
    runId: actingRun(by),
    expectedStatuses: [issue.status],
    isForAssignee: issue.assigneeAgentId === (agent?.id ?? null) && issue.assigneeUserId === null,
  };
  const named = agent === null ? null : assignable(agent, "agentId");
  return (
    refusalOfClaim(issue, claim) ??
    (named !== null && Result.isFailure(named) ? named.failure : null) ??
    (reader === null ? null : refusalOfHold(reader, facts))
  );
};

/** Returns why no agent is woken for the issue, or null: its own, the agent that asks, or one that people choose. */
const refusalOfWaking = (facts: IssueFacts, by: Actor): Refusal | null => {
  const { issue, companyStatus: company, companyHeldByBudgetAt, projectHeldByBudgetAt, at } = facts;
  const agent = facts.assignee ?? facts.reader;
  if (agent !== null) return refusalOfInvoke({ agent, company, issue, projectHeldByBudgetAt, at }, by);
  const anyAgent = { lifecycleState: "active", heldManuallyAt: null, heldByBudgetAt: null } as const;
  return refusalOfHold({ ...anyAgent, companyHeldByBudgetAt }, facts);
};

/** Returns why the issue takes no new interaction, or null. */
export const refusalOfInteraction = ({ status }: Pick<Issue, "status">): InteractionIssueClosed | null =>
  isClosed(status) ? new InteractionIssueClosed({ status }) : null;

/** Returns why gates keep the caller from finishing the issue, or null: people may override them. */
const refusalOfFinish = ({ gates }: Pick<IssueFacts, "gates">, by: Actor): GatesUnmet | null =>
  gates === null || by.kind !== "agent" ? null : refusalOfGates(judgeGates(gates, actingRun(by)));

/** The actions that a reader may take on an issue. */
export const issueActions = callerMayOf<"issue", IssueFacts>("issue", {
  update: refusalOfWrite,
  finish: (facts, by) =>
    refusalOfWrite(facts, by) ?? refusalOfMove(facts.issue, "done", by) ?? refusalOfFinish(facts, by),
  checkout: refusalOfCheckout,
  release: refusalOfRelease,
  comment: null,
  changeComments: null,
  watch: null,
  writeDocument: refusalOfFile,
  deleteDocument: null,
  attach: refusalOfFile,
  createCard: ({ issue }) => refusalOfInteraction(issue),
  merge: refusalOfMerge,
  review: refusalOfReview,
  manageGates: null,
  linkApproval: null,
  invoke: refusalOfWaking,
});
