import { systemUseCase } from "../../access/unit-of-work.ts";
import type { RunId, RunMessageId } from "../../model/shared/ids.ts";

export interface RecordMessage {
  readonly runId: RunId;
  readonly messageId: RunMessageId;
  /** `queued`: queued until the current step ends. `taken`: it has it. */
  readonly how: "queued" | "taken";
}

/**
 * Records what became of a message. One that the program has ends its wake in the same transaction. Changes nothing once
 * the run has ended: the message is then the next run's.
 */
export const recordMessage = systemUseCase(
  "runs.recordMessage",
  function* (unit, { runId, messageId, how }: RecordMessage) {
    const [run] = yield* unit.runs.lockAll([runId]);
    const message = yield* unit.runMessages.lock(messageId, runId);
    if (run?.status !== "running" || message === null || message.deliveredAt !== null) return;
    if (message.state === "queued" && how === "queued") return;
    const { at } = unit;
    const state = message.state === "sent" ? (how === "taken" ? "injected" : "queued") : message.state;
    const deliveredAt = how === "taken" ? at : null;
    yield* unit.runMessages.save({ id: message.id, state, deliveredAt });
    if (how === "taken") yield* unit.wakes.endDelivered(message, at);
    yield* unit.log(
      "heartbeat.message_delivered",
      { companyId: message.companyId, id: runId },
      { agentId: message.agentId, messageId, state },
    );
  },
);
