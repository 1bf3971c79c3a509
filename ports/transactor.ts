import type * as Effect from "effect/Effect";
import type * as Result from "effect/Result";
import type { AccessStore } from "./stores/access-store.ts";
import type { ActivityStore } from "./stores/activity-store.ts";
import type { AgentStore } from "./stores/agent-store.ts";
import type { ApprovalStore } from "./stores/approval-store.ts";
import type { AssistantStore } from "./stores/assistant-store.ts";
import type { BoundStore } from "./stores/bound-store.ts";
import type { ChatStore } from "./stores/chat-store.ts";
import type { CommentStore } from "./stores/comment-store.ts";
import type { CompanyStore } from "./stores/company-store.ts";
import type { CostStore } from "./stores/cost-store.ts";
import type { DataKeyStore } from "./stores/data-key-store.ts";
import type { DocumentStore } from "./stores/document-store.ts";
import type { EmailStore } from "./stores/email-store.ts";
import type { EventStore } from "./stores/event-store.ts";
import type { FileStore } from "./stores/file-store.ts";
import type { GateStore } from "./stores/gate-store.ts";
import type { GoalStore } from "./stores/goal-store.ts";
import type { GrantStore } from "./stores/grant-store.ts";
import type { HistoryStore } from "./stores/history-store.ts";
import type { IdentityStore } from "./stores/identity-store.ts";
import type { InboxStore } from "./stores/inbox-store.ts";
import type { InteractionStore } from "./stores/interaction-store.ts";
import type { IssueStore } from "./stores/issue-store.ts";
import type { LabelStore } from "./stores/label-store.ts";
import type { McpServerStore } from "./stores/mcp-server-store.ts";
import type { MergeStore } from "./stores/merge-store.ts";
import type { NoticeStore } from "./stores/notice-store.ts";
import type { PasskeyStore } from "./stores/passkey-store.ts";
import type { ProjectStore } from "./stores/project-store.ts";
import type { PullRequestStore } from "./stores/pull-request-store.ts";
import type { PushStore } from "./stores/push-store.ts";
import type { RepositoryStore } from "./stores/repository-store.ts";
import type { RoutineStore } from "./stores/routine-store.ts";
import type { RunMessageStore } from "./stores/run-message-store.ts";
import type { RunStore } from "./stores/run-store.ts";
import type { SavedViewStore } from "./stores/saved-view-store.ts";
import type { SecretStore } from "./stores/secret-store.ts";
import type { ServiceStore } from "./stores/service-store.ts";
import type { TemplateStore } from "./stores/template-store.ts";
import type { VaultStore } from "./stores/vault-store.ts";
import type { WakeStore } from "./stores/wake-store.ts";
import type { WatcherStore } from "./stores/watcher-store.ts";
import type { WorkspaceStore } from "./stores/workspace-store.ts";

/**
 * The stores of one transaction; nothing else can write.
 *
 * A read waits for its answer. A write is sent at once and its result is known at the commit, so that the writes of a
 * decision are pipelined: a refusal that a write declares (name taken, reference missing) therefore comes out of
 * `transact`, not out of the line that sent it.
 */
export interface Stores {
  readonly access: AccessStore;
  readonly activity: ActivityStore;
  readonly agents: AgentStore;
  readonly approvals: ApprovalStore;
  readonly bounds: BoundStore;
  readonly chats: ChatStore;
  readonly comments: CommentStore;
  readonly companies: CompanyStore;
  readonly costs: CostStore;
  readonly dataKeys: DataKeyStore;
  readonly documents: DocumentStore;
  readonly emails: EmailStore;
  readonly identities: IdentityStore;
  readonly events: EventStore;
  readonly files: FileStore;
  readonly gates: GateStore;
  readonly goals: GoalStore;
  readonly history: HistoryStore;
  readonly inbox: InboxStore;
  readonly interactions: InteractionStore;
  readonly grants: GrantStore;
  readonly issues: IssueStore;
  readonly labels: LabelStore;
  readonly merges: MergeStore;
  readonly passkeys: PasskeyStore;
  readonly assistants: AssistantStore;
  readonly notices: NoticeStore;
  readonly projects: ProjectStore;
  readonly mcpServers: McpServerStore;
  readonly pullRequests: PullRequestStore;
  readonly push: PushStore;
  readonly repositories: RepositoryStore;
  readonly routines: RoutineStore;
  readonly runMessages: RunMessageStore;
  readonly runs: RunStore;
  readonly savedViews: SavedViewStore;
  readonly secrets: SecretStore;
  readonly services: ServiceStore;
  readonly templates: TemplateStore;
  readonly issueWorkspaces: WorkspaceStore;
  readonly vaults: VaultStore;
  readonly wakes: WakeStore;
  readonly watchers: WatcherStore;
}

const named: Record<keyof Stores, true> = {
  access: true,
  activity: true,
  agents: true,
  approvals: true,
  bounds: true,
  chats: true,
  comments: true,
  companies: true,
  costs: true,
  dataKeys: true,
  documents: true,
  emails: true,
  events: true,
  files: true,
  gates: true,
  goals: true,
  history: true,
  identities: true,
  inbox: true,
  interactions: true,
  grants: true,
  issues: true,
  labels: true,
  merges: true,
  passkeys: true,
  assistants: true,
  notices: true,
  projects: true,
  mcpServers: true,
  pullRequests: true,
  push: true,
  repositories: true,
  routines: true,
  runMessages: true,
  runs: true,
  savedViews: true,
  secrets: true,
  services: true,
  templates: true,
  issueWorkspaces: true,
  vaults: true,
  wakes: true,
  watchers: true,
};

/** For what passes on or makes all stores without writing out each. */
export const storeNames = Object.keys(named) as readonly (keyof Stores)[];

/** How commands of one kind share transactions. */
export interface Batching<Command> {
  /** Commands of one key share transactions, one after the other; those of another key do not wait for them. */
  readonly keyOf: (command: Command) => string;
  /** Commands that name the same are in different transactions: the second must find what the first has stored. */
  readonly conflictKeys?: (command: Command) => readonly string[];
}

/** The only way to write: a function that uses the stores within one transaction. */
export interface Transactor {
  /**
   * Runs `work` in one transaction. Commits on success; rolls back on a refusal, a defect or an interruption. Locks
   * follow one order everywhere: company, agent, project, person, issue, run, wake; ids ascending. When the database
   * aborts it for a deadlock or a serialization conflict, `work` runs again from its start: it must only use the stores.
   */
  transact<A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Effect.Effect<A, E>;
  /**
   * Runs `work` for commands that share a transaction: for one alone where none of its key is in progress, and in the
   * next for all that arrive meanwhile. The results are in the order of the commands; a refused one has written nothing.
   * Where the work fails as a whole, it runs for each command alone, in their order, and an outage is answered to all of
   * them. A command that is interrupted while it waits is never carried out; later, it may have been.
   */
  transactInBatches<Command, A, E, F>(
    sharing: Batching<Command>,
    work: (stores: Stores, commands: readonly Command[]) => Effect.Effect<readonly Result.Result<A, E>[], F>,
  ): (command: Command) => Effect.Effect<A, E | F>;
}
