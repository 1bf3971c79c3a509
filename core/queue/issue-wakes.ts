import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { Actor } from "../model/access/caller.ts";
import { messageTo } from "../model/runs/messages/run-message.ts";
import type { WakePayload } from "../model/runs/wake.ts";
import type { WakeReason } from "../model/runs/wake-reason.ts";
import type { AgentId, CommentId, CompanyId, IssueId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { wakeAgent } from "./wake-agent.ts";

/** Collects the wakes of one request: one per agent and issue (or none), for the first reason given. */
export class IssueWakes {
  readonly #companyId: CompanyId;
  readonly #by: Actor;
  readonly #at: Instant;
  readonly #wakes = new Map<
    string,
    { agentId: AgentId; issueId: IssueId | null; reason: WakeReason; payload: WakePayload }
  >();

  constructor(companyId: CompanyId, by: Actor, at: Instant) {
    this.#companyId = companyId;
    this.#by = by;
    this.#at = at;
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

  send(stores: Stores, ids: Ids): Effect.Effect<void> {
    if (this.#wakes.size === 0) return Effect.void;
    const [companyId, by, at, wakes] = [this.#companyId, this.#by, this.#at, [...this.#wakes.entries()]];
    return Effect.gen(function* () {
      // Sorted, so that two requests that wake the same agents do not deadlock.
      const inOrder = wakes.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, wake]) => wake);
      const found = yield* stores.agents.findAll(
        [...new Set(inOrder.map((wake) => wake.agentId))],
        companyId,
      );
      const agents = new Map(found.map((agent) => [agent.id, agent]));
      for (const { agentId, ...wake } of inOrder) {
        const agent = agents.get(agentId);
        if (agent === undefined) continue;
        yield* wakeAgent(stores, ids, { ...wake, agent, company: agent.companyStatus, by, at });
        const { commentId } = wake.payload;
        if (commentId !== undefined && by.kind === "board") {
          const run = yield* stores.runs.lockLive(agentId, wake.issueId);
          // A run that takes none has the comment in its wake.
          if (run?.takesMessages === true && run.stopRequestedAt === null)
            yield* stores.runMessages.insert(
              messageTo(run, {
                id: ids.next<"run_message">(),
                body: null,
                commentId: commentId as CommentId,
                by,
                at,
              }),
            );
        }
      }
    });
  }
}
