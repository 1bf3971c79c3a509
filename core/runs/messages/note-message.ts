import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import { bySystem } from "../../model/access/caller.ts";
import type { RunId, RunMessageId } from "../../model/shared/ids.ts";

export interface NoteMessage {
  readonly runId: RunId;
  readonly messageId: RunMessageId;
  /** `queued`: the program takes it at the end of its turn. `taken`: it has it. */
  readonly how: "queued" | "taken";
}

/**
 * Records what became of a message. One that the program has ends its wake in the same transaction. Changes nothing once
 * the run has ended: the message is then the next run's.
 */
export const noteMessage =
  (transactor: Transactor, clock: Clock) =>
  ({ runId, messageId, how }: NoteMessage) =>
    transact(transactor, function* (stores) {
      const [run] = yield* stores.runs.lockAll([runId]);
      const message = yield* stores.runMessages.lock(messageId, runId);
      if (run?.status !== "running" || message === null || message.deliveredAt !== null) return;
      if (message.state === "queued" && how === "queued") return;
      const at = clock.now();
      const state = message.state === "sent" ? (how === "taken" ? "injected" : "queued") : message.state;
      const deliveredAt = how === "taken" ? at : null;
      yield* stores.runMessages.save({ id: message.id, state, deliveredAt });
      if (how === "taken") yield* stores.wakes.endDelivered(message, at);
      yield* logAction(
        stores,
        { companyId: message.companyId, id: runId },
        bySystem,
        at,
        "heartbeat.message_delivered",
        { agentId: message.agentId, messageId, state },
      );
    });
