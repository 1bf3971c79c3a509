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

/**
 * The stores bound to one transaction; nothing else can write.
 *
 * A read waits for its answer. A write is sent at once and answered for at the commit, all writes of a decision back to
 * back: a refusal that a write declares (a name taken, a reference gone) therefore comes out of `transact`, not out of
 * the line that sent it.
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
}

/** The one way to change anything: a function that is given the stores, in one transaction. */
export interface Transactor {
  /**
   * Runs `work` in one transaction. Commits on success; a refusal, a defect or an interruption leaves no trace. Locks
   * are taken in one order everywhere: company, agent, issue, run, wake; ids ascending. Where the database gives up a
   * deadlock or a serialization conflict, `work` runs again from its start: it must do nothing but use the stores.
   */
  transact<A, E>(work: (stores: Stores) => Effect.Effect<A, E>): Effect.Effect<A, E>;
}
