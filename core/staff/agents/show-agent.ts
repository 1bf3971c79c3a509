import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Views } from "../../../ports/views.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { addMillis, dayOf } from "../../model/shared/instant.ts";
import type { ExplainAgents } from "./explain-agents.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Shows an agent with what it does and why, and what it did today. A day begins at midnight, UTC. */
export const showAgent =
  (views: Views, explain: ExplainAgents, clock: Clock) =>
  (agentId: AgentId, caller: BoardCaller | AgentCaller) =>
    Effect.flatMap(views.agents.get(agentId, caller), (agent) => {
      const since = dayOf(clock.now());
      const period = { from: since, to: addMillis(since, dayMs) };
      return Effect.map(
        Effect.all(
          {
            explained: explain({ agentId }),
            day: views.agents.day(agentId, since),
            costs: views.costs.byDay(agent.companyId, period, agentId),
          },
          { concurrency: "unbounded" },
        ),
        ({ explained, day, costs: [cost] }) => ({
          ...agent,
          situation: explained[0]!.situation,
          today: {
            since,
            ...day,
            costCents: cost?.costCents ?? 0,
            unknownCostEventCount: cost?.unknownEventCount ?? 0,
          },
        }),
      );
    });
