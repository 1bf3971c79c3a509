import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { DayBars } from "../../nouns/spend/day-bars.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { BudgetFacts } from "./agent-budget.tsx";
import { AgentUsage } from "./agent-usage.tsx";

/** The tab of the agent's costs and of what limits them. */
export const AgentSpend = ({ agent }: { readonly agent: Agent }) => (
  <InOrder>
    <section aria-label="Budget" className="agent-facts">
      <BudgetFacts agent={agent} />
    </section>
    <SpendOfDays agent={agent} />
    <AgentUsage agent={agent} />
  </InOrder>
);

/** Its spend on each day of the last thirty. */
const SpendOfDays = ({ agent: { id: agentId, companyId } }: { readonly agent: Agent }) => {
  const here = useHere();
  const from = new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10);
  const days = useRead("costs.byDay", { companyId, agentId, from });
  return (
    <section aria-labelledby="agent-spend" className="stack">
      <h2 id="agent-spend">Spend, last 30 days</h2>
      {days.data === undefined ? (
        <Unread read={days} />
      ) : days.data.every(({ eventCount }) => eventCount === 0) ? (
        <p className="faint">No spend yet</p>
      ) : (
        <DayBars days={days.data} />
      )}
      <Link href={here(`/spend/events?agent=${agentId}`)}>View cost events</Link>
    </section>
  );
};
