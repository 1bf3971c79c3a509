import type { BoardCaller } from "../access/caller.ts";
import type { Role } from "../access/roles.ts";
import type { ActivityAction } from "../activity/activity-entry.ts";
import { holdMessages } from "../agents/hold-messages.ts";
import type { ApprovalType } from "../approvals/approval.ts";
import { permissionsOf } from "../approvals/authority.ts";
import { budgetHoldsFrom, softPercent } from "../costs/budget.ts";
import type { DoneAs } from "../issues/done-as.ts";
import { describePermission } from "../issues/interactions/describe-permission.ts";
import type { RequestPermission } from "../issues/interactions/payload.ts";
import { type IssueStatus, newsStatuses } from "../issues/issue-status.ts";
import { type Refusal, refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, IssueId, UserId } from "../shared/ids.ts";
import { addSeconds, type Instant, monthOf } from "../shared/instant.ts";
import { asSentence } from "../shared/sentence.ts";
import { visibleText } from "../shared/visible-text.ts";
import { allowedOf, type InboxMay, type InboxState, inboxMay } from "./inbox-actions.ts";
import {
  type InboxAction,
  type InboxKind,
  type InboxRight,
  type InboxSubject,
  inboxKinds,
} from "./inbox-kind.ts";

/** The facts about a waiting subject. */
export interface InboxFact {
  /** `<kind>:<id of the subject>`. */
  readonly id: string;
  readonly kind: InboxKind;
  /** null for a subject of the whole instance. */
  readonly companyId: CompanyId | null;
  readonly companyName: string | null;
  readonly subjectType: InboxSubject;
  readonly subjectId: string;
  /** The name of the subject. */
  readonly title: string;
  readonly issueId: IssueId | null;
  readonly issueIdentifier: string | null;
  readonly issueTitle: string | null;
  readonly agentId: AgentId | null;
  readonly agentName: string | null;
  /** Facts for the sentence of the kind. */
  readonly detail: InboxDetail;
  readonly waitingSince: Instant;
  /** Changes whenever the entry does: a dismissal applies to one version. */
  readonly version: string;
  /** null for a subject of the whole instance. */
  readonly state: InboxState | null;
  /** Why its main action is refused now, where that depends on more than `state`; see `refusalsOfRequests`. */
  readonly requestRefusal?: Refusal | null;
}

export interface InboxDetail {
  readonly approvalType?: ApprovalType;
  readonly payloadRevision?: number;
  readonly error?: string | null;
  readonly spentCents?: number;
  readonly budgetCents?: number;
  readonly dropped?: number;
  /** The last actor; null: the person whose inbox it is, or the service. */
  readonly actorName?: string | null;
  /** How many comments are news. */
  readonly comments?: number;
  /** The status to which the issue has moved. */
  readonly movedTo?: IssueStatus | null;
  /** The request of a program; the diff is only said to be there. */
  readonly permission?: Pick<RequestPermission, "tool" | "command" | "path" | "diff"> | null;
  /** How it was completed. */
  readonly doneAs?: DoneAs | null;
}

/** A subject that waits for a person. */
export interface InboxEntry {
  readonly id: string;
  readonly kind: InboxKind;
  readonly companyId: CompanyId | null;
  readonly companyName: string | null;
  readonly subject: { readonly type: InboxSubject; readonly id: string; readonly title: string };
  readonly issue: { readonly id: IssueId; readonly identifier: string; readonly title: string } | null;
  readonly agent: { readonly id: AgentId; readonly name: string } | null;
  /** A sentence: why it waits. */
  readonly reason: string;
  readonly actions: readonly InboxAction[];
  /** The actions of its kind, and why those that are not in `actions` would be refused. */
  readonly callerMay: InboxMay;
  readonly dismissible: boolean;
  readonly waitingSince: Instant;
  readonly version: string;
  /** The payload that an approval shows: a decision names it. null: no approval. */
  readonly payloadRevision: number | null;
}

export class InboxEntryNotFound extends refusal(
  "inbox_entry_not_found",
  "not_found",
  "This entry is no longer in your inbox. It may have been decided already.",
) {}

export class InboxEntryNotDismissible extends refusal(
  "inbox_entry_not_dismissible",
  "unprocessable",
  "An agent is waiting for this. Decide it instead of dismissing it.",
) {}

export class InboxEntryChanged extends refusal(
  "inbox_entry_changed",
  "conflict",
  "This entry has changed since you opened it.",
) {}

/** The facts that make an issue wait for the person it is assigned to. */
export const callsForAssignee = [
  "issue.created",
  "issue.assigned",
  "issue.status_changed",
] as const satisfies readonly ActivityAction[];

/** How many days a failure, a missed tick or the news of a watched issue stays in the inbox. */
const inboxDays = 14;

const secondsPerDay = 86_400;

/** The filter for a caller's entries. */
export interface InboxScope {
  readonly userId: UserId;
  /** Rights by company; `everywhere` for an instance admin. */
  readonly rights:
    | { readonly everywhere: readonly InboxRight[] }
    | { readonly in: readonly { readonly companyId: CompanyId; readonly right: InboxRight }[] };
  /** Failures, missed ticks and news since then. */
  readonly since: Instant;
  /** The start of the present budget month: holds and alerts of earlier months are over. */
  readonly month: Instant;
  /** Budget holds set before no longer apply. */
  readonly budgetsHoldFrom: Instant;
  /** The percentage at which a budget counts as nearly used up. */
  readonly alertPercent: number;
}

const rightsOf = (role: Role): readonly InboxRight[] => {
  switch (role) {
    case "viewer":
      return ["viewer"];
    case "operator":
      return ["viewer", "operator", ...permissionsOf.operator];
    case "owner":
      return ["viewer", "operator", "owner", ...permissionsOf.owner];
  }
};

/** The caller's rights, in one company or in all of theirs; only entries they may decide are shown. */
export const inboxScope = (
  caller: Pick<BoardCaller, "userId" | "admin" | "roles">,
  companyId: CompanyId | null,
  at: Instant,
): InboxScope => {
  const scope = {
    userId: caller.userId,
    since: addSeconds(at, -inboxDays * secondsPerDay),
    month: monthOf(at),
    budgetsHoldFrom: budgetHoldsFrom(at),
    alertPercent: softPercent,
  };
  if (caller.admin && companyId === null) return { ...scope, rights: { everywhere: rightsOf("owner") } };
  const roles: readonly (readonly [CompanyId, Role])[] =
    companyId === null
      ? [...caller.roles]
      : [[companyId, caller.admin ? "owner" : (caller.roles.get(companyId) ?? "viewer")]];
  return {
    ...scope,
    rights: { in: roles.flatMap(([id, role]) => rightsOf(role).map((right) => ({ companyId: id, right }))) },
  };
};

const asked: Readonly<Record<ApprovalType, string>> = {
  hire_agent: "wants to hire an agent",
  approve_ceo_strategy: "requests approval of a strategy",
  ownership_decision: "needs an owner",
};

const money = (cents: number | undefined): string => `$${((cents ?? 0) / 100).toFixed(2)}`;

const moved: Readonly<Record<(typeof newsStatuses)[number], string>> = {
  in_review: "is in review",
  blocked: "is blocked",
  done: "is done",
};

const doneLabels: Readonly<Record<DoneAs, string>> = {
  verified: "is done and verified by its gates",
  reported: "is completed; its gates haven't verified it",
};

const newsOf = ({ actorName, comments = 0, movedTo, doneAs }: InboxDetail): string => {
  const comment = comments === 1 ? `${actorName ?? "Someone"} commented` : `${comments} new comments`;
  const move = newsStatuses.find((status) => status === movedTo);
  if (move === undefined) return `${comment}.`;
  const now = move === "done" && doneAs != null ? doneLabels[doneAs] : moved[move];
  return comments === 0 ? `The issue ${now}.` : `${comment}, and the issue ${now}.`;
};

const permissionSentence = (name: string, permission: InboxDetail["permission"]): string =>
  permission == null
    ? `${name} needs your permission to continue.`
    : `${name} wants to ${describePermission(permission)}.`;

const sentences: Readonly<Record<InboxKind, (fact: InboxFact) => string>> = {
  approval: ({ agentName, detail }) =>
    `${agentName ?? "The board"} ${asked[detail.approvalType ?? "approve_ceo_strategy"]}.`,
  permission: ({ agentName, detail }) => permissionSentence(agentName ?? "A colleague", detail.permission),
  confirmation: ({ agentName }) => `${agentName ?? "A colleague"} needs your confirmation.`,
  suggested_tasks: ({ agentName }) => `${agentName ?? "A colleague"} suggested tasks.`,
  questions: ({ agentName }) => `${agentName ?? "A colleague"} has a question.`,
  review: ({ detail }) => `${detail.actorName ?? "The issue"} is ready for your review.`,
  assigned_issue: ({ detail }) =>
    detail.actorName == null ? "Assigned to you." : `Assigned to you by ${detail.actorName}.`,
  mention: () => "You were mentioned in a comment.",
  watched_issue: ({ detail }) => newsOf(detail),
  budget_stop: ({ detail }) =>
    `The monthly budget of ${money(detail.budgetCents)} is used up. Work is paused until ${holdMessages.budget.until}.`,
  budget_alert: ({ detail }) =>
    `Spent ${money(detail.spentCents)} of the monthly budget of ${money(detail.budgetCents)}.`,
  failed_run: ({ detail }) => `${asSentence(detail.error ?? "The run failed")} No retries left.`,
  agent_error: ({ detail }) => detail.error ?? "The agent's last run failed.",
  held_run: () =>
    "On hold: this work keeps repeating. Comment, change the issue or wake the agent to continue.",
  held_agent: () => "Other agents made it run too often. Wake it or act on one of its issues to continue.",
  stalled_issue: () => "The issue has stalled. Nobody is working on it.",
  stuck_work: () =>
    "Checks or reviewers sent the work back too often, so the agent is no longer woken. Please take a look.",
  needs_assignee: ({ agentName, subjectType }) =>
    subjectType === "interaction"
      ? `${agentName}, who asked, was terminated. Nobody is working on the issue.`
      : `${agentName} was terminated. Nobody is working on the issue.`,
  missed_ticks: ({ detail }) =>
    `Missed ${detail.dropped} scheduled ${detail.dropped === 1 ? "run" : "runs"} while the service was down.`,
  unhealthy_vault: ({ detail }) => detail.error ?? "The vault needs attention.",
  unsent_events: ({ detail }) =>
    `Events are no longer sent to this address: ${asSentence(detail.error ?? "its receiver failed for a day")} Enable it in Settings once it works again.`,
  failed_backup: ({ detail }) => detail.error ?? "The scheduled backup failed.",
  no_backup: ({ detail }) => detail.error ?? "There is no backup of this installation.",
  failed_adapter: ({ detail }) =>
    detail.error ?? "The adapter couldn't be loaded. Runs of its agents are waiting.",
};

/** A longer command is cut: the entry shows it whole. */
const shownCommand = 160;

/** The sentence of an entry in the inbox: it shows the command that a permission is for. */
const reasonInInbox = (fact: InboxFact): string => {
  const command = fact.detail.permission?.command?.replaceAll(/\s+/g, " ").trim() ?? "";
  if (command === "") return reasonOf(fact);
  const cut = command.length > shownCommand ? `${command.slice(0, shownCommand)}…` : command;
  return `${reasonOf(fact).slice(0, -1)}: ${visibleText(cut)}.`;
};

/** The sentence of an entry, also for notices: they leave the service, so a command with its arguments isn't in it. */
export const reasonOf = (fact: InboxFact): string => visibleText(sentences[fact.kind](fact));

/** Makes the entry that the caller sees from a fact. */
export const describeEntry = (fact: InboxFact, caller: BoardCaller, at: Instant): InboxEntry => {
  const { id, kind, companyId, companyName, waitingSince, version } = fact;
  const { dismissible } = inboxKinds[kind];
  const callerMay = inboxMay(fact, caller, at);
  return {
    id,
    kind,
    companyId,
    companyName,
    subject: { type: fact.subjectType, id: fact.subjectId, title: visibleText(fact.title) },
    issue:
      fact.issueId === null
        ? null
        : {
            id: fact.issueId,
            identifier: fact.issueIdentifier ?? "",
            title: visibleText(fact.issueTitle ?? ""),
          },
    agent: fact.agentId === null ? null : { id: fact.agentId, name: visibleText(fact.agentName ?? "") },
    reason: reasonInInbox(fact),
    actions: allowedOf(callerMay),
    callerMay,
    dismissible,
    waitingSince,
    version,
    payloadRevision: fact.detail.payloadRevision ?? null,
  };
};
