import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Views } from "../../ports/views.ts";
import { recentHours } from "../model/runs/recent-runs.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { addMillis, dayOf } from "../model/shared/instant.ts";
import type { ExplainAgents } from "../staff/agents/explain-agents.ts";
import { withStatus } from "./show-company.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/** Shows who works on what now, what waits, what failed today and what it costs. A day begins at midnight, UTC. */
export const showPulse = (views: Views, explain: ExplainAgents, clock: Clock) => (companyId: CompanyId) =>
  Effect.suspend(() => {
    const at = clock.now();
    const since = dayOf(at);
    const recentSince = addMillis(at, -recentHours * hourMs);
    return Effect.all(
      {
        company: Effect.map(views.companies.get(companyId, at), (record) => withStatus(record, at)),
        agents: explain({ companyId }),
        runs: views.runs.pulse(companyId, since),
        recent: views.runs.recent(companyId, recentSince),
        today: views.costs.spent(companyId, { from: since, to: addMillis(since, dayMs) }),
      },
      { concurrency: "unbounded" },
    ).pipe(
      Effect.map(({ company, agents, runs, recent, today }) => ({
        at,
        since,
        status: company.status,
        pauseReason: company.pauseReason,
        agents,
        ...runs,
        recentSince,
        recent,
        spend: {
          todayCents: today.costCents,
          todayUnknownEventCount: today.unknownEventCount,
          monthCents: company.spentMonthlyCents,
          budgetCents: company.budgetMonthlyCents,
        },
      })),
    );
  });
