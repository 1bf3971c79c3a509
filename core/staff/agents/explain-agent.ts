import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Views } from "../../../ports/views.ts";
import { AgentNotFound } from "../../model/agents/agent.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import { addMillis, dayOf } from "../../model/shared/instant.ts";
import type { ExplainAgents } from "./explain-agents.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Shows what an agent does and why, and what it did today. A day begins at midnight, UTC. */
export const explainAgent = (views: Views, explain: ExplainAgents, clock: Clock) =>
  Effect.fnUntraced(function* (agentId: AgentId, companyId: CompanyId) {
    const [explained] = yield* explain({ agentId });
    if (explained === undefined) return yield* Effect.fail(new AgentNotFound());
    const since = dayOf(clock.now());
    const period = { from: since, to: addMillis(since, dayMs) };
    const {
      day,
      costs: [cost],
    } = yield* Effect.all(
      {
        day: views.agents.day(agentId, since),
        costs: views.costs.byDay(companyId, period, agentId),
      },
      { concurrency: "unbounded" },
    );
    return {
      situation: explained.situation,
      today: {
        since,
        ...day,
        costCents: cost?.costCents ?? 0,
        unknownCostEventCount: cost?.unknownEventCount ?? 0,
      },
    };
  });
