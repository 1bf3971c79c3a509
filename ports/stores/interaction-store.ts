import type * as Effect from "effect/Effect";
import type { Interaction, InteractionNotFound } from "../../core/issues/interactions/interaction.ts";
import type { DocumentId, InteractionId, IssueId } from "../../core/shared/ids.ts";

export interface InteractionStore {
  /** Waits for whoever holds it. */
  lock(id: InteractionId, issueId: IssueId): Effect.Effect<Interaction, InteractionNotFound>;
  findByKey(issueId: IssueId, idempotencyKey: string): Effect.Effect<Interaction | null>;
  /** Those that nobody has resolved, of an issue or about a document, in order of their ids; waits for who holds them. */
  lockPending(
    of: { readonly issueId: IssueId } | { readonly documentId: DocumentId },
  ): Effect.Effect<readonly Interaction[]>;
  insert(interaction: Interaction): Effect.Effect<void>;
  /** Its status, its result and who resolved it: nothing else of a card ever changes. */
  save(interaction: Interaction): Effect.Effect<void>;
}
