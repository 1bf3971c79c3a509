import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { messageTo } from "../model/runs/messages/run-message.ts";
import type { WakePayload } from "../model/runs/wake.ts";
import type { WakeReason } from "../model/runs/wake-reason.ts";
import type { AgentId, CommentId, CompanyId, IssueId } from "../model/shared/ids.ts";
import { addSeconds } from "../model/shared/instant.ts";
import { wake } from "./wake-agent.ts";

/** Collects the wakes of one request: one per agent and issue (or none), for the first reason given. */
export class IssueWakes {
  readonly #companyId: CompanyId;
  readonly #wakes = new Map<
    string,
    { agentId: AgentId; issueId: IssueId | null; reason: WakeReason; payload: WakePayload }
  >();

  constructor(companyId: CompanyId) {
    this.#companyId = companyId;
  }

  add(agentId: AgentId, issueId: IssueId | null, reason: WakeReason, payload: WakePayload = {}): void {
    const key = `${agentId} ${issueId}`;
    const earlier = this.#wakes.get(key);
    this.#wakes.set(
      key,
      earlier === undefined
        ? { agentId, issueId, reason, payload }
        : { ...earlier, payload: { ...payload, ...earlier.payload } },
    );
  }

  /**
   * Records them, in the name of the unit's actor. `undoableSec`: how long their cause can be undone; their agents start
   * afterwards.
   */
  send(unit: UnitOfWork, undoableSec = 0): Effect.Effect<void> {
    if (this.#wakes.size === 0) return Effect.void;
    const notBefore = undoableSec === 0 ? null : addSeconds(unit.at, undoableSec);
    const [companyId, wakes] = [this.#companyId, [...this.#wakes.entries()]];
    return Effect.gen(function* () {
      // Sorted, so that two requests that wake the same agents do not deadlock.
      const inOrder = wakes.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cause]) => cause);
      const found = yield* unit.agents.findAll(
        [...new Set(inOrder.map((cause) => cause.agentId))],
        companyId,
      );
      const agents = new Map(found.map((agent) => [agent.id, agent]));
      for (const { agentId, ...cause } of inOrder) {
        const agent = agents.get(agentId);
        if (agent === undefined) continue;
        yield* wake(unit, agent, { ...cause, notBefore });
        const { commentId } = cause.payload;
        if (commentId !== undefined && unit.by.kind === "board") {
          const run = yield* unit.runs.lockLive(agentId, cause.issueId);
          // A run that accepts no messages gets the comment by its wake.
          if (run?.takesMessages === true && run.stopRequestedAt === null)
            yield* unit.runMessages.insert(
              messageTo(run, {
                id: unit.newId<"run_message">(),
                body: null,
                commentId: commentId as CommentId,
                by: unit.by,
                at: unit.at,
              }),
            );
        }
      }
    });
  }
}
