import * as Result from "effect/Result";
import { actions, type Need, refusalOfRole } from "../access/actions.ts";
import { actorOf, type BoardCaller } from "../access/caller.ts";
import { type CallerMay, possibleUnless } from "../access/caller-may.ts";
import { unchangeable } from "../agents/agent.ts";
import { refusalOfInvoke } from "../agents/agent-actions.ts";
import { assignable } from "../agents/named-agent.ts";
import type { Company } from "../companies/company.ts";
import { needToRaise } from "../costs/raise-budget.ts";
import { RoutineNotFound } from "../routines/routine.ts";
import { type RoutineFacts, refusalOfRun } from "../routines/routine-actions.ts";
import type { WakeFacts } from "../runs/may-wake.ts";
import { type Run, RunNotFound } from "../runs/run.ts";
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

interface ActedOn {
  readonly kind: InboxKind;
  readonly subjectType: InboxSubject;
  readonly companyId: CompanyId | null;
  readonly issueId: IssueId | null;
  readonly state: InboxState | null;
  readonly requestRefusal?: Refusal | null;
}

const budgetNeeds: Readonly<Partial<Record<InboxSubject, Need>>> = needToRaise;

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
    // Only people with this right see the entry.
    case "approve":
    case "request_revision":
    case "reject":
    case "unwatch":
    case "reload_adapter":
      return null;
  }
};

/** Returns why the action is refused in the present state, or null: the verbs ask the same functions. */
const refusalInState = (
  action: InboxAction,
  { state, requestRefusal }: ActedOn,
  caller: BoardCaller,
  at: Instant,
): Refusal | null => {
  if (mainActions.has(action)) return requestRefusal ?? null;
  if (state === null) return null;
  const { company, agent, issue, projectHeldByBudgetAt, run, routine } = state;
  if (action === "run_routine")
    return routine === null
      ? new RoutineNotFound()
      : refusalOfRun({ ...routine, company, at }, actorOf(caller));
  if (action === "send_back")
    return Result.match(assignable(agent, "assigneeAgentId"), {
      onSuccess: () => null,
      onFailure: (refusal): Refusal => refusal,
    });
  if (agent === null) return null;
  switch (action) {
    case "resume":
      return unchangeable(agent);
    case "invoke":
      return refusalOfInvoke(
        { agent, company: company.status, issue, projectHeldByBudgetAt, at },
        actorOf(caller),
      );
    case "retry":
      return run === null
        ? new RunNotFound()
        : refusalOfRetry({
            ...run,
            agent: { ...agent, companyStatus: company.status },
            issue,
            projectHeldByBudgetAt,
            at,
          });
    default:
      return null;
  }
};

/** The actions on entries that `requestRefusal` is about. */
const mainActions: ReadonlySet<InboxAction> = new Set(["approve", "accept", "finish", "reload_adapter"]);

/** The actions on an entry, and why not those that would be refused. */
export type InboxMay = Partial<CallerMay<InboxAction>>;

/** Returns what the caller may do about the entry now: each action of its kind, in the order of its kind. */
export const inboxMay = (entry: ActedOn, caller: BoardCaller, at: Instant): InboxMay => {
  const { companyId, issueId, subjectType } = entry;
  const refusalOf = (action: InboxAction) => {
    const need = needOf(action, subjectType);
    return (
      (need === null || companyId === null ? null : refusalOfRole(need, caller, companyId)) ??
      refusalInState(action, entry, caller, at)
    );
  };
  const all: readonly InboxAction[] = inboxKinds[entry.kind].actions;
  return Object.fromEntries(
    all
      .filter((action) => action !== "comment" || issueId !== null)
      .map((action) => [action, possibleUnless(refusalOf(action))]),
  );
};

/** The allowed actions, the most likely first. */
export const allowedOf = (may: InboxMay): readonly InboxAction[] =>
  (Object.keys(may) as InboxAction[]).filter((action) => may[action]?.allowed);
