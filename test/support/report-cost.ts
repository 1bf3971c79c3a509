import * as Effect from "effect/Effect";
import type { CostEvent } from "../../core/model/costs/cost-event.ts";
import type { AgentId, CompanyId, CostEventId } from "../../core/model/shared/ids.ts";
import { type ReportCost, reportCost } from "../../core/money/report-cost.ts";
import type { Clock } from "../../ports/clock.ts";
import { newId, type TestStorage } from "./builders.ts";
import { theBoard } from "./nouns.ts";

/** Reports costs of agents to a storage as the board does, each as a service of its own. */
export const reportsTo =
  (storage: () => TestStorage, clock: Clock) =>
  (
    agent: { readonly id: AgentId; readonly companyId: CompanyId },
    costCents: number | undefined,
    more: Partial<ReportCost> = {},
  ): Promise<CostEvent> =>
    Effect.runPromise(
      reportCost({ transactor: storage().transactor, clock, ids: { newId } })({
        id: newId<CostEventId>(),
        companyId: agent.companyId,
        by: theBoard,
        agentId: agent.id,
        provider: "acme",
        model: "m",
        costCents,
        ...more,
      }),
    );
