import { Link } from "wouter";
import { endedRunStatuses } from "../../../../core/model/runs/run-status.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { SituationView } from "../../nouns/runs/situation.tsx";
import { DayBars } from "../../nouns/spend/day-bars.tsx";
import { Money } from "../../widgets/money.tsx";
import { Unread } from "../../widgets/unread.tsx";

/** Why the agent works or does not, what wakes it next, and what it did today. */
export const AgentNow = ({ agentId }: { readonly agentId: string }) => {
  const explanation = useRead("agents.explanation", { agentId });
  return (
    <section aria-labelledby="agent-now" className="stack">
      <h2 id="agent-now">Now</h2>
      {explanation.data === undefined ? (
        <Unread read={explanation} />
      ) : (
        <>
          <SituationView situation={explanation.data.situation} />
          <Today today={explanation.data.today} agentId={agentId} />
        </>
      )}
    </section>
  );
};

const Today = ({
  today,
  agentId,
}: {
  readonly today: AnswerOf<"agents.explanation">["today"];
  readonly agentId: string;
}) => {
  const here = useHere();
  const { runs, comments, done, costCents, unknownCostEventCount } = today;
  const ended = endedRunStatuses.filter((status) => runs[status] > 0);
  return (
    <p className="agent-today">
      <span className="muted">Today (UTC):</span>{" "}
      <Link href={here(`/runs?agent=${agentId}`)} className="in-text">
        {runs.started === 1 ? "1 run" : `${runs.started} runs`}
      </Link>
      {ended.length === 0
        ? ""
        : ` (${ended.map((status) => `${runs[status]} ${status.replace("_", " ")}`).join(", ")})`}
      {", "}
      <Link href={here(`/activity?actor=${agentId}`)} className="in-text">
        {comments === 1 ? "1 comment" : `${comments} comments`}
      </Link>
      {", "}
      <Money cents={costCents} />
      {unknownCostEventCount === 0 ? "" : ` + ${unknownCostEventCount} without cost data`}
      {done.length === 0 ? "." : ". Done: "}
      {done.map(({ id, identifier, title }) => (
        <Link key={id} href={here(`/issues/${identifier}`)} title={title} className="in-text agent-done">
          {identifier}
        </Link>
      ))}
    </p>
  );
};

/** Its spend on each day of the last thirty. */
export const AgentSpend = ({ agent: { id: agentId, companyId } }: { readonly agent: Agent }) => {
  const here = useHere();
  const from = new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10);
  const { data: days } = useRead("costs.byDay", { companyId, agentId, from });
  if (days === undefined || days.every(({ eventCount }) => eventCount === 0)) return null;
  return (
    <section aria-labelledby="agent-spend" className="stack">
      <h2 id="agent-spend">Spend, last 30 days</h2>
      <DayBars days={days} />
      <Link href={here(`/spend/events?agent=${agentId}`)}>View cost events</Link>
    </section>
  );
};
