import { Link } from "wouter";
import { brokenRunStatuses } from "../../../../core/model/runs/run-status.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { RunTable } from "../../nouns/runs/run-table.tsx";
import { Status } from "../../nouns/status.tsx";
import { LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { moneyText } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { useRowKeys } from "../../widgets/row-keys.ts";
import { Unread } from "../../widgets/unread.tsx";
import { AgentLanes } from "./agent-lanes.tsx";

type Pulse = AnswerOf<"companies.pulse">;

/** The present work of each agent, waiting decisions, today's failures, and the cost. */
export const PulseScreen = () => {
  const { id: companyId } = useCompany();
  const pulse = useRead("companies.pulse", { companyId });
  // The run of an agent at work, the page of another.
  useRowKeys(".pulse-what > a, .pulse-agent:not(:has(.pulse-what > a)) .pulse-name", "agent");
  return (
    <Page title="Pulse">
      {pulse.isPending || pulse.isError ? (
        <Unread read={pulse} />
      ) : pulse.data.agents.length === 0 ? (
        <NobodyHere />
      ) : (
        <CompanyNow pulse={pulse.data} />
      )}
    </Page>
  );
};

const NobodyHere = () => {
  const here = useHere();
  const mayHire = useMayHere("createAgent");
  return (
    <Empty
      icon="activity"
      title="No agents yet"
      action={
        mayHire ? (
          <LinkButton kind="main" to={here("/agents?new")}>
            Hire agent
          </LinkButton>
        ) : undefined
      }
    >
      See who is working on what, what is waiting and what it costs.
    </Empty>
  );
};

const CompanyNow = ({ pulse }: { readonly pulse: Pulse }) => {
  const here = useHere();
  const { queued, waiting, failed, interrupted } = pulse;
  const pathOf = (id: string) => here(`/runs/${id}`);
  return (
    <div className="pulse">
      <Figures pulse={pulse} />
      {pulse.status === "active" ? null : (
        <p className="pulse-held" role="status">
          <Status of="other" status={pulse.status} />{" "}
          {pulse.pauseReason === "budget"
            ? "Over budget. All runs are stopped."
            : "No runs start until it's resumed."}
        </p>
      )}
      <AgentLanes pulse={pulse} />
      {(
        [
          ["queue", "Waiting for a free slot", queued],
          ["waiting", "Waiting for something else", waiting],
          ["failed", "Failed today", failed],
          ["interrupted", "Interrupted today", interrupted],
        ] as const
      ).map(([id, title, { count, runs }]) =>
        count === 0 ? null : (
          <section key={id} aria-labelledby={`pulse-${id}`}>
            <h2 id={`pulse-${id}`}>{title}</h2>
            <RunTable label={title} runs={runs} pathOf={pathOf} />
          </section>
        ),
      )}
    </div>
  );
};

const Figures = ({ pulse }: { readonly pulse: Pulse }) => {
  const { agents, running, queued, waiting, failed, interrupted, spend } = pulse;
  const here = useHere();
  const held = agents.filter(({ situation }) => situation.state === "held").length;
  return (
    <dl className="pulse-numbers">
      <Figure label="Running" value={running.count} to={here("/runs?status=running")} />
      <Figure
        label="Queued"
        value={queued.count}
        note={waiting.count === 0 ? undefined : `+ ${waiting.count} waiting`}
        to={here("/runs?status=queued")}
      />
      <Figure label="Paused agents" value={held} to={here("/agents?held")} />
      <Figure
        label="Failed today"
        value={failed.count}
        isBad={failed.count > 0}
        note={interrupted.count === 0 ? undefined : `+ ${interrupted.count} interrupted`}
        to={here(`/runs?status=${brokenRunStatuses.join(",")}&day=${pulse.since.slice(0, 10)}`)}
      />
      <Figure
        label="Spent today"
        value={moneyText(spend.todayCents)}
        note={
          spend.todayUnknownEventCount === 0
            ? undefined
            : `+ ${spend.todayUnknownEventCount} without cost data`
        }
        to={here(`/spend/events?day=${pulse.since.slice(0, 10)}`)}
      />
      <Figure
        label="This month"
        value={moneyText(spend.monthCents)}
        note={spend.budgetCents === 0 ? undefined : `of ${moneyText(spend.budgetCents)}`}
        to={here("/spend")}
      />
    </dl>
  );
};

interface FigureProps {
  readonly label: string;
  readonly value: number | string;
  readonly note?: string | undefined;
  readonly isBad?: boolean;
  /** The list of the things that it counts. */
  readonly to: string;
}

const Figure = ({ label, value, note, isBad = false, to }: FigureProps) => (
  <div>
    <dt className="muted">{label}</dt>
    <dd className={isBad ? "pulse-bad" : undefined}>
      <Link href={to} className="quiet-link">
        {value}
      </Link>
      {note === undefined ? null : <span className="muted pulse-note"> {note}</span>}
    </dd>
  </div>
);
