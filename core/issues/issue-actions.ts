import { type Actor, type RunIdRequired, refusalWithoutRun } from "../access/caller.ts";
import { callerMayOf } from "../access/caller-may.ts";
import { refusalOfInvoke } from "../agents/agent-actions.ts";
import type { CompanyStatus } from "../companies/company.ts";
import type { WakeFacts } from "../runs/may-wake.ts";
import { refusal } from "../shared/failure.ts";
import { isAssigned } from "./assignee.ts";
import { InteractionIssueClosed } from "./interactions/interaction.ts";
import {
  agentMayChange,
  type Issue,
  type IssueHeldByAnother,
  IssueNotYours,
  NotTheAssignee,
  refusalOfMove,
} from "./issue.ts";
import { isClosed } from "./issue-status.ts";

/** The facts on which the actions on an issue depend, apart from its own fields. */
export interface IssueFacts extends Pick<WakeFacts, "projectHeldByBudgetAt" | "at"> {
  readonly issue: Issue;
  /** Whether the run in checkoutRunId is live. */
  readonly holderIsActive: boolean;
  /** The agent to which it is assigned. */
  readonly assignee: WakeFacts["agent"] | null;
  readonly companyStatus: CompanyStatus;
}

export class NoAgentAssigned extends refusal(
  "no_agent_assigned",
  "conflict",
  "The issue is assigned to no agent that could work on it.",
) {}

type Held = Pick<IssueFacts, "issue" | "holderIsActive">;

/** Returns why the issue is not changed, or null: an agent outside a run, somebody else's work, another live run. */
export const refusalOfWrite = (
  { issue, holderIsActive }: Held,
  by: Actor,
): RunIdRequired | IssueNotYours | IssueHeldByAnother | null =>
  refusalWithoutRun(by) ?? (by.kind === "agent" ? agentMayChange(issue, { ...by, holderIsActive }) : null);

/** As above, for documents and files: an agent may not change those of somebody else's issue in any status. */
export const refusalOfFile = (
  held: Held,
  by: Actor,
): RunIdRequired | IssueNotYours | IssueHeldByAnother | null =>
  refusalWithoutRun(by) ?? refusalOfOthers(held.issue, by) ?? refusalOfWrite(held, by);

const refusalOfOthers = (issue: Issue, by: Actor): IssueNotYours | null =>
  by.kind === "agent" && isAssigned(issue) && issue.assigneeAgentId !== by.agentId
    ? new IssueNotYours({ issueId: issue.id }, "The issue belongs to somebody else; comment on it instead.")
    : null;

/** Returns why the issue is not released, or null. */
export const refusalOfRelease = (
  held: Held,
  by: Actor,
): RunIdRequired | NotTheAssignee | IssueNotYours | IssueHeldByAnother | null =>
  refusalWithoutRun(by) ??
  (by.kind === "agent" && held.issue.assigneeAgentId !== by.agentId ? new NotTheAssignee() : null) ??
  refusalOfWrite(held, by);

/** Returns why the issue takes no new interaction, or null. */
export const refusalOfInteraction = ({ status }: Pick<Issue, "status">): InteractionIssueClosed | null =>
  isClosed(status) ? new InteractionIssueClosed({ status }) : null;

/** The actions that a reader may take on an issue. */
export const issueActions = callerMayOf<"issue", IssueFacts>("issue", {
  update: refusalOfWrite,
  finish: (facts, by) => refusalOfWrite(facts, by) ?? refusalOfMove(facts.issue, "done", by),
  release: refusalOfRelease,
  comment: null,
  changeComments: null,
  watch: null,
  writeDocument: refusalOfFile,
  deleteDocument: null,
  attach: refusalOfFile,
  createCard: ({ issue }) => refusalOfInteraction(issue),
  decideCard: null,
  linkApproval: null,
  invoke: ({ assignee, companyStatus, at, ...about }, by) =>
    assignee === null
      ? new NoAgentAssigned()
      : refusalOfInvoke({ ...assignee, companyStatus, at }, by, about),
});
