import type * as Effect from "effect/Effect";
import type { AccessStore } from "./stores/access-store.ts";
import type { ActivityStore } from "./stores/activity-store.ts";
import type { AgentStore } from "./stores/agent-store.ts";
import type { ApprovalStore } from "./stores/approval-store.ts";
import type { CommentStore } from "./stores/comment-store.ts";
import type { CompanyStore } from "./stores/company-store.ts";
import type { CostStore } from "./stores/cost-store.ts";
import type { DataKeyStore } from "./stores/data-key-store.ts";
import type { DocumentStore } from "./stores/document-store.ts";
import type { FileStore } from "./stores/file-store.ts";
import type { GoalStore } from "./stores/goal-store.ts";
import type { GrantStore } from "./stores/grant-store.ts";
import type { HistoryStore } from "./stores/history-store.ts";
import type { InboxStore } from "./stores/inbox-store.ts";
import type { InteractionStore } from "./stores/interaction-store.ts";
import type { IssueStore } from "./stores/issue-store.ts";
import type { LabelStore } from "./stores/label-store.ts";
import type { ProjectStore } from "./stores/project-store.ts";
import type { RoutineStore } from "./stores/routine-store.ts";
import type { RunStore } from "./stores/run-store.ts";
import type { SecretStore } from "./stores/secret-store.ts";
import type { ServiceStore } from "./stores/service-store.ts";
import type { VaultStore } from "./stores/vault-store.ts";
import type { WakeStore } from "./stores/wake-store.ts";
import type { WatcherStore } from "./stores/watcher-store.ts";

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
  readonly comments: CommentStore;
  readonly companies: CompanyStore;
  readonly costs: CostStore;
  readonly dataKeys: DataKeyStore;
  readonly documents: DocumentStore;
  readonly files: FileStore;
  readonly goals: GoalStore;
  readonly history: HistoryStore;
  readonly inbox: InboxStore;
  readonly interactions: InteractionStore;
  readonly grants: GrantStore;
  readonly issues: IssueStore;
  readonly labels: LabelStore;
  readonly projects: ProjectStore;
  readonly routines: RoutineStore;
  readonly runs: RunStore;
  readonly secrets: SecretStore;
  readonly services: ServiceStore;
  readonly vaults: VaultStore;
  readonly wakes: WakeStore;
  readonly watchers: WatcherStore;
}

/** The reads of a verb before its transaction. */
export interface Looks {
  readonly issues: Pick<IssueStore, "find">;
  readonly agents: Pick<AgentStore, "findInCompany">;
}

/** The only way to write: a function that uses the stores within one transaction. */
export interface Transactor {
  /**
   * Reads that cost much less than a transaction, for a decision that a verb tries before it and makes in it: of many
   * who compete for one thing, those who lose learn it here. Each read sees what was stored when it began.
   */
  readonly looks: Looks;
  /**
   * Runs `work` in one transaction. Commits on success; rolls back on a refusal, a defect or an interruption. Locks
   * follow one order everywhere: company, agent, project, person, issue, run, wake; ids ascending. When the database
   * aborts it for a deadlock or a serialization conflict, `work` runs again from its start: it must only use the stores.
   */
  transact<A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Effect.Effect<A, E>;
}
