import { z } from "zod";
import { AssistantNotFound } from "../../../core/model/access/assistant.ts";
import { TokenNotFound, UserNotFound } from "../../../core/model/access/board-user.ts";
import { PasskeyNotFound } from "../../../core/model/access/passkey.ts";
import { SavedViewNotFound } from "../../../core/model/access/saved-view.ts";
import { SessionNotFound } from "../../../core/model/access/web-session.ts";
import { AdapterNotFound } from "../../../core/model/adapters/adapter.ts";
import { AgentNotFound } from "../../../core/model/agents/agent.ts";
import { AgentKeyNotFound } from "../../../core/model/agents/agent-key.ts";
import { ApprovalNotFound } from "../../../core/model/approvals/approval.ts";
import { GrantNotFound } from "../../../core/model/approvals/grant.ts";
import { AssetNotFound, AttachmentNotFound } from "../../../core/model/assets/asset.ts";
import { CompanyNotFound } from "../../../core/model/companies/company.ts";
import { EventDeliveryNotFound } from "../../../core/model/events/event-delivery.ts";
import { EventSubscriptionNotFound } from "../../../core/model/events/event-subscription.ts";
import { GoalNotFound } from "../../../core/model/goals/goal.ts";
import { InboxEntryNotFound } from "../../../core/model/inbox/inbox-entry.ts";
import { CommentNotFound } from "../../../core/model/issues/comments/comment.ts";
import { DocumentNotFound, DocumentRevisionNotFound } from "../../../core/model/issues/documents/document.ts";
import { InteractionNotFound } from "../../../core/model/issues/interactions/interaction.ts";
import { IssueNotFound } from "../../../core/model/issues/issue.ts";
import { LabelNotFound } from "../../../core/model/labels/label.ts";
import { McpServerNotFound } from "../../../core/model/mcp-servers/mcp-server.ts";
import { PushSubscriptionNotFound } from "../../../core/model/notices/push-subscription.ts";
import { UnsubscribeTokenNotValid } from "../../../core/model/notices/unsubscribe.ts";
import { ProjectNotFound } from "../../../core/model/projects/project.ts";
import { RepositoryNotFound } from "../../../core/model/repositories/repository.ts";
import { RoutineNotFound } from "../../../core/model/routines/routine.ts";
import { TriggerNotFound } from "../../../core/model/routines/trigger.ts";
import { RunNotFound } from "../../../core/model/runs/run.ts";
import { SecretNotFound, SecretVersionNotFound } from "../../../core/model/secrets/secret.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import { RevisionNotFound } from "../../../core/model/shared/failure.ts";
import {
  type AgentId,
  type AgentKeyId,
  type ApprovalId,
  type AssetId,
  type AssistantId,
  type AttachmentId,
  type CommentId,
  type CompanyId,
  type DocumentRevisionId,
  type EventDeliveryId,
  type EventSubscriptionId,
  type GoalId,
  type GrantId,
  type InteractionId,
  type IssueId,
  isIssueIdentifier,
  isUuid,
  type LabelId,
  type McpServerId,
  type PasskeyId,
  type ProjectId,
  type PushSubscriptionId,
  type RepositoryId,
  type RevisionId,
  type RoutineId,
  type RunId,
  type SavedViewId,
  type SecretId,
  type SessionId,
  type TokenId,
  type TriggerId,
  type UserId,
  type VaultId,
  type WorkspaceId,
} from "../../../core/model/shared/ids.ts";
import { VaultNotFound } from "../../../core/model/vaults/vault.ts";
import { WorkspaceNotFound } from "../../../core/model/workspaces/removal.ts";
import { RunnerNotFound } from "../../../core/staff/agents/choose-runner.ts";
import { reference } from "./values.ts";

/**
 * The parameters of paths: their schema, and the refusal if nothing has that name. A malformed name is a missing
 * thing, not a bad request.
 */
export const pathParams = {
  companyId: { schema: reference<CompanyId>(), missing: CompanyNotFound, help: "id of a company" },
  adapterType: {
    schema: z.custom<string>(
      (text) => typeof text === "string" && text.length <= 100 && /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(text),
    ),
    missing: AdapterNotFound,
    help: "type of an adapter, such as process",
  },
  agentId: {
    schema: z.custom<AgentId>((text) => typeof text === "string" && text !== "" && !text.includes("\u0000")),
    missing: AgentNotFound,
    help: "id of an agent, or its urlKey",
  },
  entryId: {
    schema: z.custom<string>((text) => typeof text === "string" && /^[a-z_]+:[\w.@/-]{1,200}$/.test(text)),
    missing: InboxEntryNotFound,
    help: "id of an entry of the inbox",
  },
  issueId: {
    schema: z.custom<IssueId>(
      (text) => typeof text === "string" && (isUuid(text) || isIssueIdentifier(text)),
    ),
    missing: IssueNotFound,
    help: "id or identifier (ABC-12) of an issue",
  },
  runnerName: {
    schema: z.custom<string>(
      (text) => typeof text === "string" && text.length <= 100 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    ),
    missing: RunnerNotFound,
    help: "name of a runner, such as local",
  },
  runId: { schema: reference<RunId>(), missing: RunNotFound, help: "id of a run" },
  projectId: { schema: reference<ProjectId>(), missing: ProjectNotFound, help: "id of a project" },
  secretId: { schema: reference<SecretId>(), missing: SecretNotFound, help: "id of a secret" },
  vaultId: { schema: reference<VaultId>(), missing: VaultNotFound, help: "id of a vault" },
  routineId: { schema: reference<RoutineId>(), missing: RoutineNotFound, help: "id of a routine" },
  triggerId: { schema: reference<TriggerId>(), missing: TriggerNotFound, help: "id of a routine's trigger" },
  publicId: {
    schema: z.custom<string>((text) => typeof text === "string" && /^[0-9a-f]{24}$/.test(text)),
    missing: TriggerNotFound,
    help: "publicId of a webhook trigger",
  },
  unsubscribeToken: {
    schema: z.custom<string>((text) => typeof text === "string" && /^[\w.-]{1,200}$/.test(text)),
    missing: UnsubscribeTokenNotValid,
    help: "token of the link in an email",
  },
  mcpServerId: {
    schema: reference<McpServerId>(),
    missing: McpServerNotFound,
    help: "id of an MCP server",
  },
  eventSubscriptionId: {
    schema: reference<EventSubscriptionId>(),
    missing: EventSubscriptionNotFound,
    help: "id of an event subscription",
  },
  eventDeliveryId: {
    schema: reference<EventDeliveryId>(),
    missing: EventDeliveryNotFound,
    help: "id of an event delivery",
  },
  repositoryId: {
    schema: reference<RepositoryId>(),
    missing: RepositoryNotFound,
    help: "id of a repository",
  },
  workspaceId: {
    schema: reference<WorkspaceId>(),
    missing: WorkspaceNotFound,
    help: "id of an issue's workspace",
  },
  goalId: { schema: reference<GoalId>(), missing: GoalNotFound, help: "id of a goal" },
  approvalId: { schema: reference<ApprovalId>(), missing: ApprovalNotFound, help: "id of an approval" },
  grantId: { schema: reference<GrantId>(), missing: GrantNotFound, help: "id of a grant" },
  secretVersion: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,8}$/)
      .transform(Number),
    missing: SecretVersionNotFound,
    help: "number of a version of a secret",
  },
  keyId: { schema: reference<AgentKeyId>(), missing: AgentKeyNotFound, help: "id of an agent's key" },
  revisionId: { schema: reference<RevisionId>(), missing: RevisionNotFound, help: "id of a revision" },
  assistantId: {
    schema: reference<AssistantId>(),
    missing: AssistantNotFound,
    help: "id of an assistant of yours",
  },
  passkeyId: { schema: reference<PasskeyId>(), missing: PasskeyNotFound, help: "id of a passkey of yours" },
  pushSubscriptionId: {
    schema: reference<PushSubscriptionId>(),
    missing: PushSubscriptionNotFound,
    help: "id of a browser that shows you notices",
  },
  sessionId: { schema: reference<SessionId>(), missing: SessionNotFound, help: "id of a web session" },
  tokenId: { schema: reference<TokenId>(), missing: TokenNotFound, help: "id of a board token" },
  attachmentId: {
    schema: reference<AttachmentId>(),
    missing: AttachmentNotFound,
    help: "id of an attachment",
  },
  assetId: { schema: reference<AssetId>(), missing: AssetNotFound, help: "id of a file" },
  savedViewId: {
    schema: reference<SavedViewId>(),
    missing: SavedViewNotFound,
    help: "id of a saved view",
  },
  labelId: { schema: reference<LabelId>(), missing: LabelNotFound, help: "id of a label" },
  commentId: { schema: reference<CommentId>(), missing: CommentNotFound, help: "id of a comment" },
  interactionId: {
    schema: reference<InteractionId>(),
    missing: InteractionNotFound,
    help: "id of an interaction",
  },
  key: {
    schema: z.custom<string>((text) => typeof text === "string" && text !== "" && text.length <= 200),
    missing: DocumentNotFound,
    help: "key of a document, such as plan",
  },
  documentRevisionId: {
    schema: reference<DocumentRevisionId>(),
    missing: DocumentRevisionNotFound,
    help: "id of a revision of a document",
  },
  userId: { schema: reference<UserId>(), missing: UserNotFound, help: "id of a board user" },
} as const satisfies Record<string, { schema: z.ZodType; missing: RefusalType; help: string }>;

export type PathParam = keyof typeof pathParams;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parameters of a path, by the names in its braces. */
export type ParamsOf<Path extends string> = {
  readonly [Name in NamesIn<Path> & PathParam]: z.output<(typeof pathParams)[Name]["schema"]>;
};

const namesByPath = new Map<string, readonly PathParam[]>();

/** Reads each declared path once: every request asks. */
export const paramNames = (path: string): readonly PathParam[] => {
  let names = namesByPath.get(path);
  if (names === undefined) {
    names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as PathParam);
    namesByPath.set(path, names);
  }
  return names;
};
