declare const noun: unique symbol;

/** A UUID with the type of its entity, so that an agent's id cannot be passed as an issue's. */
export type Id<Noun extends string> = string & { readonly [noun]: Noun };

export type CompanyId = Id<"company">;
export type AgentId = Id<"agent">;
export type IssueId = Id<"issue">;
export type CommentId = Id<"comment">;
export type CommentRevisionId = Id<"comment_revision">;
export type ProjectId = Id<"project">;
export type RepositoryId = Id<"repository">;
/** Of the workspace of an issue. */
export type WorkspaceId = Id<"workspace">;
export type McpServerId = Id<"mcpServer">;
export type EventSubscriptionId = Id<"event_subscription">;
export type EventDeliveryId = Id<"event_delivery">;
export type NoticeId = Id<"notice">;
export type PushSubscriptionId = Id<"push_subscription">;
export type MergeId = Id<"merge">;
export type PullRequestId = Id<"pull_request">;
export type GoalId = Id<"goal">;
export type RunId = Id<"run">;
export type RunMessageId = Id<"run_message">;
export type WakeId = Id<"wake">;
export type UserId = Id<"user">;
export type TokenId = Id<"token">;
/** Of a web session, which is stored next to the tokens. */
export type SessionId = TokenId;
export type AgentKeyId = Id<"agent_key">;
export type RevisionId = Id<"revision">;
export type ServiceId = Id<"service">;
/** Of a database and what works on it. A restored copy is another installation. */
export type InstallationId = Id<"installation">;
/** Of a place with workspaces: a UUID for the disk of a machine, otherwise the scope of an engine. */
export type VolumeId = Id<"volume">;
export type SecretId = Id<"secret">;
export type VaultId = Id<"vault">;
export type VersionId = Id<"secret_version">;
export type ApprovalId = Id<"approval">;
export type ApprovalCommentId = Id<"approval_comment">;
export type GrantId = Id<"grant">;
export type CostEventId = Id<"cost_event">;
export type RoutineId = Id<"routine">;
export type InteractionId = Id<"interaction">;
export type DocumentId = Id<"document">;
export type DocumentRevisionId = Id<"document_revision">;
export type AssetId = Id<"asset">;
export type AttachmentId = Id<"attachment">;
export type LabelId = Id<"label">;
export type PasskeyId = Id<"passkey">;
export type AssistantId = Id<"assistant">;
export type SavedViewId = Id<"saved_view">;
export type TriggerId = Id<"routine_trigger">;
export type RoutineRunId = Id<"routine_run">;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuid.test(text);

const identifier = /^[A-Z]+-[1-9][0-9]{0,8}$/i;

/** `ABC-12`, the identifier that people use for an issue. */
export const isIssueIdentifier = (text: string): boolean => identifier.test(text);
