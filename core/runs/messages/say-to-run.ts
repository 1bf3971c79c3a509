import * as Effect from "effect/Effect";
import type { Views } from "../../../ports/views.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { messageTo } from "../../model/runs/messages/run-message.ts";
import { refusalOfMessage } from "../../model/runs/run-actions.ts";
import type { RunId, RunMessageId } from "../../model/shared/ids.ts";
import { wake } from "../../queue/wake-agent.ts";

export interface SayToRun {
  readonly id: RunMessageId;
  readonly runId: RunId;
  readonly body: string;
  readonly by: Actor;
}

/** Says something to a live run. Its wake delivers it where the run's program does not take it. */
export const sayToRun = (context: UseCaseContext, views: Views) => (command: SayToRun) =>
  Effect.gen(function* () {
    const { agentId, issueId } = (yield* views.runs.get(command.runId)).run;
    yield* transact(context, "runs.say", command.by, function* (unit) {
      const { id, body } = command;
      const { by } = unit;
      const agent = yield* unit.agents.lock(agentId);
      const run = yield* unit.runs.lock(command.runId);
      const refusal = refusalOfMessage(run);
      if (refusal !== null) yield* Effect.fail(refusal);
      yield* unit.runMessages.insert(messageTo(run, { id, body, commentId: null, by, at: unit.at }));
      yield* wake(unit, agent, { issueId, reason: "run_message", payload: { messageId: id } });
      yield* unit.log("heartbeat.message_sent", run, { agentId, messageId: id });
    });
  });
