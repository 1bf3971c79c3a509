import type { BoardCaller } from "../access/caller.ts";
import type { Role } from "../access/roles.ts";
import type { ActivityAction } from "../activity/activity-entry.ts";
import { holdWords } from "../agents/hold-words.ts";
import type { ApprovalType } from "../approvals/approval.ts";
import { permissionsOf } from "../approvals/authority.ts";
import { budgetHoldsFrom, softPercent } from "../costs/budget.ts";
import type { DoneAs } from "../issues/done-as.ts";
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
  "There is no such entry in your inbox; it may have been decided meanwhile.",
) {}

export class InboxEntryNotDismissible extends refusal(
  "inbox_entry_not_dismissible",
  "unprocessable",
  "An agent waits for this: decide it instead of dismissing it.",
) {}

export class InboxEntryChanged extends refusal(
  "inbox_entry_changed",
  "conflict",
  "The entry has changed since you saw it.",
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
export const inboxScope = (caller: BoardCaller, companyId: CompanyId | null, at: Instant): InboxScope => {
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
  hire_agent: "asks to hire an agent",
  approve_ceo_strategy: "asks for a strategy to be approved",
  ownership_decision: "asks who should own something",
};

const money = (cents: number | undefined): string => `$${((cents ?? 0) / 100).toFixed(2)}`;

const moved: Readonly<Record<(typeof newsStatuses)[number], string>> = {
  in_review: "is in review",
  blocked: "is blocked",
  done: "is done",
};

const doneWords: Readonly<Record<DoneAs, string>> = {
  verified: "is done, verified by its gates",
  reported: "is reported done; its gates have not verified it",
};

const newsOf = ({ actorName, comments = 0, movedTo, doneAs }: InboxDetail): string => {
  const said = comments === 1 ? `${actorName ?? "Somebody"} commented` : `${comments} new comments`;
  const move = newsStatuses.find((status) => status === movedTo);
  if (move === undefined) return `${said}.`;
  const now = move === "done" && doneAs != null ? doneWords[doneAs] : moved[move];
  return comments === 0 ? `The issue ${now}.` : `${said}, and the issue ${now}.`;
};

const sentences: Readonly<Record<InboxKind, (fact: InboxFact) => string>> = {
  approval: ({ agentName, detail }) =>
    `${agentName ?? "The board"} ${asked[detail.approvalType ?? "approve_ceo_strategy"]}.`,
  permission: ({ agentName }) => `${agentName ?? "A colleague"} waits for your permission to continue.`,
  confirmation: ({ agentName }) => `${agentName ?? "A colleague"} asks for a confirmation.`,
  suggested_tasks: ({ agentName }) => `${agentName ?? "A colleague"} suggests tasks to choose from.`,
  questions: ({ agentName }) => `${agentName ?? "A colleague"} asks questions.`,
  review: ({ detail }) => `${detail.actorName ?? "The issue"} waits for your review.`,
  assigned_issue: ({ detail }) =>
    detail.actorName == null ? "It is assigned to you." : `${detail.actorName} assigned it to you.`,
  watched_issue: ({ detail }) => newsOf(detail),
  budget_stop: ({ detail }) =>
    `The monthly budget of ${money(detail.budgetCents)} is used up. Work is stopped until ${holdWords.budget.until}.`,
  budget_alert: ({ detail }) =>
    `${money(detail.spentCents)} of the monthly budget of ${money(detail.budgetCents)} is spent.`,
  failed_run: ({ detail }) =>
    `${asSentence(detail.error ?? "The run failed")} Nothing tries it again by itself.`,
  agent_error: ({ detail }) => detail.error ?? "The agent's last run failed.",
  held_run: () =>
    "The same work ran too often lately without a person's action. It waits for a comment, a change or an invocation.",
  held_agent: () =>
    "Agents alone made it run very often lately. Its next runs wait until a person invokes it or acts on one of its issues.",
  stalled_issue: () => "The issue was left in progress, and no agent works on it.",
  stuck_work: () =>
    "Checks or reviewers have sent its work back so often that its agent is no longer woken. It waits for a person.",
  needs_assignee: ({ agentName, subjectType }) =>
    subjectType === "interaction"
      ? `${agentName} asked, and is terminated: nobody works on the issue.`
      : `${agentName} is terminated, and nobody works on the issue.`,
  missed_ticks: ({ detail }) =>
    `${detail.dropped} ${detail.dropped === 1 ? "tick was" : "ticks were"} missed while no service was running, and will not run.`,
  unhealthy_vault: ({ detail }) => detail.error ?? "The vault needs attention.",
  failed_backup: ({ detail }) => detail.error ?? "The scheduled backup failed.",
  failed_adapter: ({ detail }) => detail.error ?? "The adapter could not be loaded. Runs of its agents wait.",
};

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
    reason: visibleText(sentences[kind](fact)),
    actions: allowedOf(callerMay),
    callerMay,
    dismissible,
    waitingSince,
    version,
    payloadRevision: fact.detail.payloadRevision ?? null,
  };
};
