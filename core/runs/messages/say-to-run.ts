import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Views } from "../../../ports/views.ts";
import type { Actor } from "../../access/caller.ts";
import { transact } from "../../access/transact-as.ts";
import { logAction } from "../../activity/log-action.ts";
import type { RunId, RunMessageId } from "../../shared/ids.ts";
import { refusalOfMessage } from "../run-actions.ts";
import { wakeAgent } from "../wake-agent.ts";
import { messageTo } from "./run-message.ts";

export interface SayToRun {
  readonly id: RunMessageId;
  readonly runId: RunId;
  readonly body: string;
  readonly by: Actor;
}

/** Says something to a live run. Its wake delivers it where the run's program does not take it. */
export const sayToRun =
  (transactor: Transactor, clock: Clock, ids: Ids, views: Views) => (command: SayToRun) =>
    Effect.gen(function* () {
      const { agentId, issueId } = yield* views.runs.get(command.runId);
      yield* transact(transactor, function* (stores) {
        const { id, by, body } = command;
        const agent = yield* stores.agents.lock(agentId);
        const run = yield* stores.runs.lock(command.runId);
        const no = refusalOfMessage(run);
        if (no !== null) yield* Effect.fail(no);
        const at = clock.now();
        yield* stores.runMessages.insert(messageTo(run, { id, body, commentId: null, by, at }));
        yield* wakeAgent(stores, ids, {
          agent,
          company: agent.companyStatus,
          issueId,
          reason: "run_message",
          payload: { messageId: id },
          by,
          at,
        });
        yield* logAction(stores, run, by, at, "heartbeat.message_sent", { agentId, messageId: id });
      });
    });
