import type * as Effect from "effect/Effect";
import type {
  Interaction,
  InteractionNotFound,
  InteractionResult,
} from "../../core/model/issues/interactions/interaction.ts";
import type { RequestPermission, SuggestTasks } from "../../core/model/issues/interactions/payload.ts";
import type { AgentId, DocumentId, InteractionId, IssueId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** An interaction without its content, which may be long. */
export type PendingInteraction = Pick<
  Interaction,
  "id" | "companyId" | "issueId" | "kind" | "endsByComment" | "createdByAgentId"
>;

/** The mutable fields of an interaction. */
export type InteractionEnd = Pick<
  Interaction,
  "id" | "status" | "result" | "resolvedByAgentId" | "resolvedByUserId" | "resolvedAt" | "updatedAt"
>;

export interface InteractionStore {
  /** The suggested tasks of an interaction, in which long texts are cut; null where it suggests none. */
  findTasksOutline(id: InteractionId): Effect.Effect<SuggestTasks | null>;
  /** Waits for a concurrent lock and takes it. */
  lock(id: InteractionId, issueId: IssueId): Effect.Effect<Interaction, InteractionNotFound>;
  /** The issue that an interaction is in; null where there is no such interaction. */
  issueOf(id: InteractionId): Effect.Effect<IssueId | null>;
  /** The agent that asks; null where a person does, or there is no such interaction. */
  agentOf(id: InteractionId): Effect.Effect<AgentId | null>;
  findByKey(issueId: IssueId, idempotencyKey: string): Effect.Effect<Interaction | null>;
  /** Locks the unresolved interactions of an issue or about a document, in order of their ids; waits for concurrent locks. */
  lockPending(
    of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  ): Effect.Effect<readonly PendingInteraction[]>;
  /** The requests that a person has allowed a run until it ends, by questions in that issue; oldest first. */
  allowedInRun(runId: RunId, issueId: IssueId): Effect.Effect<readonly RequestPermission[]>;
  insert(interaction: Interaction): Effect.Effect<void>;
  /** Tells the services where a run's program waits for it. */
  save(end: InteractionEnd): Effect.Effect<void>;
  /** Expires what the programs of the runs wait for, with that result. Returns what has expired. */
  expireOfRuns(
    runIds: readonly RunId[],
    result: InteractionResult,
    at: Instant,
  ): Effect.Effect<readonly PendingInteraction[]>;
}
