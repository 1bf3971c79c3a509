import * as Result from "effect/Result";
import { actions, type Need, refusalOfRole } from "../access/actions.ts";
import { actorOf, type BoardCaller } from "../access/caller.ts";
import { unchangeable } from "../agents/agent.ts";
import { refusalOfInvoke } from "../agents/agent-actions.ts";
import { assignable } from "../agents/named-agent.ts";
import type { Company } from "../companies/company.ts";
import { type RoutineFacts, refusalOfRun } from "../routines/routine-actions.ts";
import type { WakeFacts } from "../runs/may-wake.ts";
import type { Run } from "../runs/run.ts";
import { refusalOfRetry } from "../runs/run-actions.ts";
import type { Refusal } from "../shared/failure.ts";
import type { CompanyId, IssueId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type InboxAction, type InboxKind, type InboxSubject, inboxKinds } from "./inbox-kind.ts";

/** The facts on which the actions on an entry depend. */
export interface InboxState extends Pick<WakeFacts, "issue" | "projectHeldByBudgetAt"> {
  readonly company: Pick<Company, "status" | "heldByBudgetAt">;
  readonly agent: WakeFacts["agent"] | null;
  /** The entry's subject, where it is a run. */
  readonly run: Pick<Run, "status" | "wakeReason" | "context"> | null;
  /** Whether the issue has gates. */
  readonly hasGates: boolean;
  /** The entry's subject, where it is a routine. */
  readonly routine: Omit<RoutineFacts, "company" | "at"> | null;
}

export interface ActedOn {
  readonly kind: InboxKind;
  readonly subjectType: InboxSubject;
  readonly companyId: CompanyId | null;
  readonly issueId: IssueId | null;
  readonly state: InboxState | null;
  /** Why what it asks for is refused now; see `refusalsOfRequests`. */
  readonly requestRefusal: Refusal | null;
}

const budgetNeeds: Readonly<Partial<Record<InboxSubject, Need>>> = {
  agent: actions.agent.update,
  project: actions.project.setBudget,
  company: actions.company.update,
};

/** The role that an action requires; null: none beyond seeing the entry. */
const needOf = (action: InboxAction, subject: InboxSubject): Need | null => {
  switch (action) {
    case "raise_budget":
      return budgetNeeds[subject] ?? null;
    case "accept":
      return actions.interaction.accept;
    case "respond":
      return actions.interaction.respond;
    case "retry":
      return actions.run.retry;
    case "resume":
      return actions.agent.resume;
    case "invoke":
      return actions.agent.invoke;
    case "comment":
      return actions.issue.comment;
    case "finish":
    case "send_back":
    case "reassign":
      return actions.issue.update;
    case "run_routine":
      return actions.routine.run;
    case "check_health":
      return actions.company.manageSecrets;
    // The entry is shown to those who may.
    case "approve":
    case "request_revision":
    case "reject":
    case "unwatch":
    case "reload_adapter":
      return null;
  }
};

/** Whether the verb would take the action in the present state: the verbs ask the same functions. */
const isPossible = (action: InboxAction, entry: ActedOn, caller: BoardCaller, at: Instant): boolean => {
  const { state, issueId, requestRefusal } = entry;
  if (action === "approve" || action === "accept" || action === "finish") return requestRefusal === null;
  if (action === "comment") return issueId !== null;
  if (state === null) return true;
  const { company, agent, issue, projectHeldByBudgetAt, run, routine } = state;
  if (action === "run_routine")
    return routine !== null && refusalOfRun({ ...routine, company, at }, actorOf(caller)) === null;
  if (action === "send_back") return Result.isSuccess(assignable(agent, "assigneeAgentId"));
  if (agent === null) return true;
  switch (action) {
    case "resume":
      return unchangeable(agent) === null;
    case "invoke":
      return (
        refusalOfInvoke(
          { agent, company: company.status, issue, projectHeldByBudgetAt, at },
          actorOf(caller),
        ) === null
      );
    case "retry":
      return (
        run !== null &&
        refusalOfRetry({
          ...run,
          agent: { ...agent, companyStatus: company.status },
          issue,
          projectHeldByBudgetAt,
          at,
        }) === null
      );
    default:
      return true;
  }
};

/** Returns the actions that the caller may take on the entry now: the inbox offers nothing that is refused. */
export const actionsOn = (entry: ActedOn, caller: BoardCaller, at: Instant): readonly InboxAction[] => {
  const all: readonly InboxAction[] = inboxKinds[entry.kind].actions;
  return all.filter((action) => {
    const need = needOf(action, entry.subjectType);
    const { companyId } = entry;
    return (
      (need === null || companyId === null || refusalOfRole(need, caller, companyId) === null) &&
      isPossible(action, entry, caller, at)
    );
  });
};
