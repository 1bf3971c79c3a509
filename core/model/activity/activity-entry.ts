import type { AssistantScope } from "../access/assistant-scope.ts";
import type { Actor } from "../access/caller.ts";
import type { Role } from "../access/roles.ts";
import type { SignInMethod } from "../access/sign-in.ts";
import type { ApprovalType } from "../approvals/approval.ts";
import type { Permission } from "../approvals/grant.ts";
import type { CostStatus } from "../costs/cost-event.ts";
import type { DisabledBecause, EventFormat } from "../events/event-format.ts";
import type { ReviewVerdict } from "../issues/gates/review.ts";
import type { Expiry } from "../issues/interactions/interaction.ts";
import type { InteractionKind, InteractionStatus } from "../issues/interactions/interaction-status.ts";
import type { IssueStatus } from "../issues/issue-status.ts";
import type { GateKind } from "../projects/gate.ts";
import type { Merge, RawLfsFiles } from "../repositories/merge.ts";
import type { PullRequestState } from "../repositories/pull-request.ts";
import type { CheckState } from "../repositories/pull-request-at-host.ts";
import type { CatchUpPolicy, RoutineStatus } from "../routines/routine.ts";
import type { RoutineRunSource, RoutineRunStatus } from "../routines/routine-run.ts";
import type { TriggerKind } from "../routines/trigger.ts";
import type { MessageState } from "../runs/messages/run-message.ts";
import type { RunStatus } from "../runs/run-status.ts";
import type { WakeReason } from "../runs/wake-reason.ts";
import type { ManagedMode, SecretStatus } from "../secrets/secret.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { ProviderId } from "../vaults/provider.ts";
import type { VaultStatus } from "../vaults/vault-status.ts";
import type { Difference } from "./differences.ts";

/**
 * The content of the activity log for each action: the kind of subject and the details. No field holds a secret's value,
 * so none can be logged.
 */
export interface ActivityDetails {
  "company.created": { name: string };
  /** Created from an exported file by somebody with access to the service's machine. */
  "company.imported": { name: string; exportedAt: string };
  "company.updated": Changed;
  "company.house_rules_saved": { revisionNumber: number };
  "company.paused": Nothing;
  "company.resumed": Nothing;
  "company.archived": Nothing;
  /** The database was restored from a backup; its agents have not run since. */
  "company.released_after_restore": { heldSince: string };
  /** Of the whole installation. */
  "company.backup_requested": Nothing;
  "member.set": { role: Role };
  "member.invited": { name: string; role: Role };
  "member.removed": Nothing;
  /** Where from is for the person alone. */
  "member.signed_in": { method: SignInMethod; newDevice: boolean };
  "member.sign_in_refused": { method: SignInMethod; refusal: string };
  "member.passkey_added": Nothing;
  "member.passkey_removed": Nothing;
  "member.assistant_connected": { name: string; scopes: readonly AssistantScope[] };
  /** By the person, by the assistant itself, or because a code or token of it was used twice. */
  "member.assistant_disconnected": { name: string; reused: boolean };
  "agent.created": { name: string; role: string; adapterType: string };
  "agent.updated": Changed;
  "agent.config_rolled_back": { toRevisionId: string };
  "agent.skills_synced": { desiredSkills: readonly string[] };
  "agent.paused": Nothing;
  "agent.resumed": Nothing;
  "agent.terminated": Nothing;
  /** Its host was away for too long; `lost` is a sentence. */
  "agent.workspace_lost": { host: string | null; sessions: number; lost: string };
  /** A person released its workspace from its host; `to` is the next host, or null. `lost`: null if it had no workspace. */
  "agent.workspace_released": {
    host: string | null;
    to: string | null;
    sessions: number;
    lost: string | null;
  };
  "agent.key_created": { keyId: string; name: string };
  "agent.key_revoked": { keyId: string };
  "project.created": { name: string };
  "project.updated": Changed;
  "project.archived": Nothing;
  "project.gates_set": { gates: readonly GateSummary[] };
  "repository.added": { projectId: string; url: string };
  "repository.updated": { changed: readonly string[] };
  "workspace.removed": { issueId: string; abandoned: boolean; lostWorkOfRun?: string };
  "workspace.restored": { issueId: string; runId: string };
  "repository.removed": { projectId: string; url: string };
  "mcp_server.added": { name: string };
  "mcp_server.updated": { changed: readonly string[] };
  "mcp_server.removed": { name: string };
  /** With the address as people see it, which is no credential. */
  "event_subscription.created": { name: string; format: EventFormat };
  "event_subscription.updated": { changed: readonly string[] };
  "event_subscription.secret_rotated": Nothing;
  "event_subscription.removed": { name: string };
  "event_subscription.disabled": { name: string; reason: DisabledBecause };
  "goal.created": { title: string };
  "goal.updated": Changed;
  "goal.archived": Nothing;
  "issue.reviewed": { identifier: string; verdict: ReviewVerdict; commits: readonly string[] };
  /** null: those of its project count again. */
  "issue.gates_set": {
    identifier: string;
    gates: readonly GateSummary[] | null;
  };
  /** Failed commands run again. */
  "issue.gates_rerun": { identifier: string };
  /** Completed by the board although these were not met. */
  "issue.gates_overridden": { identifier: string; gates: readonly string[] };
  "issue.merged": {
    identifier: string;
    repositoryId: string;
    method: Merge["method"];
    branch: string;
    commit: string;
    rawLfsFiles?: RawLfsFiles;
  };
  "issue.pull_request_opened": { identifier: string; repositoryId: string; number: number; url: string };
  /** Of the last commit of its pull request. */
  "issue.checks_reported": { identifier: string; repositoryId: string; state: CheckState };
  "issue.pull_request_closed": {
    identifier: string;
    repositoryId: string;
    number: number;
    state: PullRequestState;
  };
  "issue.merge_conflicted": { identifier: string; repositoryId: string; branch: string; files: number };
  "issue.created": { identifier: string; title: string };
  "issue.updated": Changed & { identifier: string };
  "issue.status_changed": { identifier: string; from: IssueStatus; to: IssueStatus };
  /** Both null: to nobody. */
  "issue.assigned": { identifier: string; agentId: string | null; userId: string | null };
  "issue.checked_out": { identifier: string; agentId: string };
  "issue.checkout_lock_adopted": { identifier: string; agentId: string; previousRunId: string | null };
  "issue.released": { identifier: string };
  "issue.blockers_updated": { identifier: string; blockedByIssueIds: readonly string[] };
  "issue.labels_updated": { identifier: string; added: readonly LabelName[]; removed: readonly LabelName[] };
  "issue.comment_added": { identifier: string; commentId: string; bodySnippet: string };
  "issue.comment_edited": { identifier: string; commentId: string };
  "issue.comment_deleted": { identifier: string; commentId: string };
  "issue.interaction_created": { identifier: string; interactionId: string; kind: InteractionKind };
  "issue.interaction_resolved": {
    identifier: string;
    interactionId: string;
    kind: InteractionKind;
    status: InteractionStatus;
  };
  "issue.interaction_expired": { interactionId: string; kind: InteractionKind; reason: Expiry };
  "issue.document_saved": { identifier: string; key: string; revisionNumber: number };
  "issue.document_restored": {
    identifier: string;
    key: string;
    revisionNumber: number;
    fromRevisionNumber: number;
  };
  "issue.document_deleted": { identifier: string; key: string };
  "issue.attachment_added": { identifier: string; attachmentId: string; byteSize: number };
  "issue.attachment_removed": { identifier: string; attachmentId: string };
  "asset.created": { contentType: string; byteSize: number };
  "label.created": { name: string };
  "label.deleted": { name: string };
  "issue.stalled": { identifier: string };
  /** The loop breaker quarantined the run: this many runs started within ten minutes without a person's action. */
  "issue.wakes_held": { identifier: string; agentId: string; reason: WakeReason; recentRuns: number };
  "agent.wakes_held": { agentId: string; reason: WakeReason; recentRuns: number };
  "heartbeat.invoked": { agentId: string };
  "heartbeat.started": { agentId: string; reason: WakeReason };
  "heartbeat.finished": { agentId: string; status: RunStatus; errorCode: string | null };
  "heartbeat.cancelled": { agentId: string };
  "heartbeat.retried": { agentId: string };
  "heartbeat.interrupted": { agentId: string };
  "heartbeat.message_sent": { agentId: string; messageId: string };
  "heartbeat.message_delivered": { agentId: string; messageId: string; state: MessageState };
  "agent.hire_requested": { name: string; role: string; approvalId: string };
  "agent.hired": { name: string; role: string; adapterType: string; approvalId: string };
  "approval.created": { type: ApprovalType };
  "approval.approved": DecisionDetails;
  "approval.rejected": DecisionDetails;
  "approval.revision_requested": DecisionDetails;
  "approval.resubmitted": { type: ApprovalType };
  "approval.comment_added": { commentId: string; bodySnippet: string };
  "approval.issue_linked": { identifier: string };
  "approval.issue_unlinked": { identifier: string };
  "grant.created": { agentId: string; permission: Permission; classes: readonly string[] };
  "grant.revoked": { agentId: string; permission: Permission };
  "budget.soft_threshold_crossed": BudgetDetails;
  "budget.hard_threshold_crossed": BudgetDetails;
  "budget.hold_lifted": BudgetDetails;
  "secret.created": { key: string; provider: ProviderId; managedMode: ManagedMode };
  "secret.updated": { changed: readonly string[] };
  "secret.rotated": { version: number };
  "secret.version_changed": { version: number; status: SecretStatus };
  "secret.deleted": { forced: boolean; bindings: number };
  "secret.remote_import.previewed": RemoteImport & { candidateCount: number; importableCount: number };
  "secret.remote_import.completed": RemoteImport & {
    importedCount: number;
    skippedCount: number;
    errorCount: number;
  };
  "secret_provider_config.created": VaultFacts;
  "secret_provider_config.updated": VaultFacts & VaultBefore;
  "secret_provider_config.default_set": VaultFacts & VaultBefore;
  "secret_provider_config.disabled": VaultFacts & VaultBefore;
  "secret_provider_config.health_checked": VaultFacts & VaultBefore;
  "routine.created": { title: string };
  "routine.updated": Changed;
  "routine.status_changed": { from: RoutineStatus; to: RoutineStatus };
  "routine.restored": { fromRevisionId: string; fromRevisionNumber: number };
  "routine.trigger_created": { triggerId: string; kind: TriggerKind };
  "routine.trigger_updated": { triggerId: string; changed: readonly string[] };
  "routine.trigger_deleted": { triggerId: string; kind: TriggerKind };
  "routine.secret_rotated": { triggerId: string };
  "routine.fired": {
    runId: string;
    source: RoutineRunSource;
    status: RoutineRunStatus;
    triggerId: string | null;
    issueId: string | null;
  };
  /** Ticks that passed while no service was running. `isAtLeast`: there were too many to count. */
  "routine.paused_after_failures": { failures: number; reason: string };
  "routine.ticks_missed": {
    triggerId: string;
    policy: CatchUpPolicy;
    missed: number;
    fired: number;
    dropped: number;
    isAtLeast: boolean;
    from: string;
  };
  "cost.reported": { costCents: number; model: string; costStatus: CostStatus };
}

/** The names of all changed fields, and the values of those that are short. */
interface Changed {
  readonly changed: readonly string[];
  readonly differences?: readonly Difference[];
}

interface GateSummary {
  readonly name: string;
  readonly kind: GateKind;
}

interface LabelName {
  readonly id: string;
  readonly name: string;
}

/** With the grant where an agent decided. */
interface DecisionDetails {
  readonly type: ApprovalType;
  readonly chosenOwner?: string;
  readonly grantId?: string;
}

const budgetScopes = ["agent", "project", "company"] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** The budget of an agent, a project or a company in one month, `2026-11`. */
interface BudgetDetails {
  readonly scope: BudgetScope;
  readonly month: string;
  readonly spentCents: number;
  readonly budgetCents: number;
}

type Nothing = Readonly<Record<never, never>>;

/** Holds counts only: names, references and descriptions of a provider's secrets are not stored. */
interface RemoteImport {
  readonly provider: ProviderId;
  readonly vaultId: string;
}

/** Holds neither the configuration nor the full text of a health check. */
interface VaultFacts {
  readonly vaultId: string;
  readonly provider: ProviderId;
  readonly displayName: string;
  readonly status: VaultStatus;
  readonly isDefault: boolean;
}

interface VaultBefore {
  readonly previousStatus: VaultStatus;
  readonly previousIsDefault: boolean;
}

export type ActivityAction = keyof ActivityDetails;

export type ActivityEntry = {
  [Action in ActivityAction]: {
    readonly companyId: CompanyId;
    readonly by: Actor;
    readonly at: Instant;
    readonly action: Action;
    readonly entityId: string;
    readonly details: ActivityDetails[Action];
  };
}[ActivityAction];

/** The entry of an action on a record. */
export const entryAbout = <Action extends ActivityAction>(
  record: { readonly companyId: CompanyId; readonly id: string },
  by: Actor,
  at: Instant,
  action: Action,
  details: ActivityDetails[Action],
): ActivityEntry =>
  // The compiler does not see that the details are those of the action.
  ({ companyId: record.companyId, by, at, action, entityId: record.id, details }) as ActivityEntry;

/** The part of a text that an entry stores. */
export const snippetOf = (text: string): string => [...text.slice(0, 240)].slice(0, 120).join("");

type EntityTypeOf<Action extends string> = Action extends `secret.remote_import.${string}`
  ? "secret_provider_config"
  : Action extends `heartbeat.${string}`
    ? "heartbeat_run"
    : Action extends `cost.${string}`
      ? "cost_event"
      : Action extends `${infer Prefix}.${string}`
        ? Prefix
        : never;

/** The kinds of subjects of entries. One of older entries stays here, although no action has it any more. */
export const entityTypes = [
  "company",
  "member",
  "agent",
  "project",
  "repository",
  "workspace",
  "mcp_server",
  "event_subscription",
  "goal",
  "issue",
  "asset",
  "label",
  "heartbeat_run",
  "approval",
  "grant",
  "budget",
  "secret",
  "secret_provider_config",
  "routine",
  "cost_event",
] as const;
export type EntityType = (typeof entityTypes)[number];

/** The kind of subject of an entry: the first word of its action, except where the two names differ. */
export const entityTypeOf = (action: ActivityAction): EntityType => {
  // An import is logged under the vault that it read.
  if (action.startsWith("secret.remote_import.")) return "secret_provider_config";
  const prefix = action.slice(0, action.indexOf("."));
  return (
    prefix === "heartbeat" ? "heartbeat_run" : prefix === "cost" ? "cost_event" : prefix
  ) as EntityTypeOf<ActivityAction>;
};
