import { Link, useLocation } from "wouter";
import { endedRunStatuses } from "../../../../core/model/runs/run-status.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { SituationView } from "../../nouns/runs/situation.tsx";
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
  const [path] = useLocation();
  const { runs, comments, done, costCents, unknownCostEventCount } = today;
  const ended = endedRunStatuses.filter((status) => runs[status] > 0);
  return (
    <p className="agent-today">
      <span className="muted">Today (UTC):</span>{" "}
      <Link href={`${path}?tab=runs`} className="in-text">
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
