import type * as Effect from "effect/Effect";
import type { ResumedMessage, RunMessage, SentMessage } from "../../core/model/runs/messages/run-message.ts";
import type { Run } from "../../core/model/runs/run.ts";
import type { RunId, RunMessageId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** Messages of people to runs. */
export interface RunMessageStore {
  /** Tells the services. */
  insert(message: RunMessage): Effect.Effect<void>;
  /** Waits for a concurrent lock and takes it; null where the run has no such message. */
  lock(id: RunMessageId, runId: RunId): Effect.Effect<RunMessage | null>;
  /** Marks the oldest one that waits for the run's program as handed over, except the known ones, and returns it. */
  handNext(runId: RunId, known: readonly RunMessageId[], at: Instant): Effect.Effect<SentMessage | null>;
  save(message: Pick<RunMessage, "id" | "state" | "deliveredAt">): Effect.Effect<void>;
  /** Leaves what has not been delivered to the runs to the next ones. */
  leaveToNextRun(runIds: readonly RunId[]): Effect.Effect<void>;
  /** Leaves what the runs took up to the next ones. */
  leaveAgain(runIds: readonly RunId[]): Effect.Effect<void>;
  /**
   * Gives the run what earlier ones of its agent and issue left, and what one took up that ended in doubt. Returns all
   * that it has taken up, oldest first; again the same where it is repeated.
   */
  takeUp(
    run: Pick<Run, "id" | "agentId" | "issueId" | "adapterType">,
    at: Instant,
  ): Effect.Effect<readonly ResumedMessage[]>;
}
