import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Views } from "../../ports/views.ts";
import type { Caps } from "../runs/gate.ts";
import { startObstacle } from "../runs/start-obstacle.ts";
import type { AgentId, CompanyId } from "../shared/ids.ts";
import { type Situation, situationOf } from "./situation.ts";

export type ExplainAgents = ReturnType<typeof explainAgents>;

/** Tells what one agent does and why, or each of a company that is not terminated. */
export const explainAgents =
  (views: Views, adapters: AdapterRegistry, runners: Runners, caps: Caps, clock: Clock) =>
  (
    of: { readonly agentId: AgentId } | { readonly companyId: CompanyId },
  ): Effect.Effect<ReadonlyMap<AgentId, Situation>> =>
    Effect.suspend(() => {
      const at = clock.now();
      const obstacleOf = startObstacle(adapters, runners);
      return Effect.map(
        views.agents.situations(of, at),
        (stored) =>
          new Map(
            stored.map((facts) => {
              const obstacle = obstacleOf(facts, at);
              const service = {
                caps,
                unavailable: obstacle?.sentence ?? null,
                isElsewhere: obstacle?.kind === "host",
                isDiskFull: obstacle?.kind === "disk",
              };
              return [facts.agent.id, situationOf(facts, service, at)];
            }),
          ),
      );
    });
