import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { CurrentRun } from "../../../ports/views/agent-views.ts";
import type { Views } from "../../../ports/views.ts";
import {
  type AgentStatus,
  agentStatus,
  type PauseReason,
  pauseReason,
} from "../../model/agents/agent-status.ts";
import { type Situation, situationOf } from "../../model/agents/situation.ts";
import type { Caps } from "../../model/runs/gate.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import { serviceFacts } from "../../queue/service-facts.ts";

export type ExplainAgents = ReturnType<typeof explainAgents>;

export interface ExplainedAgent {
  readonly id: AgentId;
  readonly name: string;
  readonly status: AgentStatus;
  readonly pauseReason: PauseReason | null;
  readonly errorReason: string | null;
  readonly currentRun: CurrentRun | null;
  readonly situation: Situation;
}

/** Explains what one agent does and why, or each agent of a company that is not terminated, by name. */
export const explainAgents =
  (views: Views, adapters: AdapterRegistry, runners: Runners, caps: Caps, clock: Clock) =>
  (
    of: { readonly agentId: AgentId } | { readonly companyId: CompanyId },
  ): Effect.Effect<readonly ExplainedAgent[]> =>
    Effect.suspend(() => {
      const at = clock.now();
      const factsOfService = serviceFacts(adapters, runners, caps);
      return Effect.map(views.agents.situations(of, at), (stored) =>
        stored.map((facts) => {
          const { agent, company, currentRun } = facts;
          return {
            id: agent.id,
            name: facts.name,
            status: agentStatus(agent, company, currentRun !== null, at),
            pauseReason: agent.lifecycleState === "active" ? pauseReason(agent, company, at) : null,
            errorReason: agent.errorReason,
            currentRun,
            situation: situationOf(facts, factsOfService(facts, at), at),
          };
        }),
      );
    });
