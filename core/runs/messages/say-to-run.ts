import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Views } from "../../../ports/views.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { messageTo } from "../../model/runs/messages/run-message.ts";
import { refusalOfMessage } from "../../model/runs/run-actions.ts";
import type { RunId, RunMessageId } from "../../model/shared/ids.ts";
import { wakeAgent } from "../../queue/wake-agent.ts";

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
