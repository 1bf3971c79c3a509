import { Link } from "wouter";
import { resumableStatuses } from "../../../../core/agents/resumable-statuses.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { LinkButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { moneyText } from "../../parts/money.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Status } from "../../parts/status.tsx";
import { Duration } from "../../parts/time.tsx";
import { wakeCause } from "../../parts/wake-cause.ts";
import { useCompany, useHere, useMayHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";

type Pulse = AnswerOf<"companies.pulse">;
type Agent = Pulse["agents"][number];

/** The present work of each agent, waiting decisions, today's failures, and the cost. */
export const PulseScreen = () => {
  const { id: companyId } = useCompany();
  const pulse = useRead("companies.pulse", { companyId });
  return (
    <Page title="Pulse">
      {pulse.isPending ? (
        <Skeleton />
      ) : pulse.isError ? (
        <ErrorView error={pulse.error} retry={() => void pulse.refetch()} />
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
      title="Nobody works here yet"
      action={
        mayHire ? (
          <LinkButton kind="main" to={here("/agents?new")}>
            Hire agent
          </LinkButton>
        ) : undefined
      }
    >
      Who works on what, what waits and what it costs is shown here.
    </Empty>
  );
};

/** Those at work first, then those that need somebody, then the others. */
const orderOf = ({ status }: Agent): number =>
  status === "running" ? 0 : status === "error" ? 1 : status === "paused" ? 2 : 3;

const CompanyNow = ({ pulse }: { readonly pulse: Pulse }) => {
  const here = useHere();
  const { agents, running, queued, failed, spend } = pulse;
  const held = agents.filter(({ status }) => resumableStatuses.has(status));
  const pathOf = (id: string) => here(`/runs/${id}`);
  return (
    <div className="pulse">
      <dl className="pulse-numbers">
        <Figure label="Running" value={running.count} />
        <Figure label="Queued" value={queued.count} />
        <Figure label="Held or in error" value={held.length} />
        <Figure label="Failed today" value={failed.count} isBad={failed.count > 0} />
        <Figure
          label="Spent today"
          value={moneyText(spend.todayCents)}
          note={
            spend.todayUnknownEventCount === 0
              ? undefined
              : `and ${spend.todayUnknownEventCount} of unknown cost`
          }
        />
        <Figure
          label="This month"
          value={moneyText(spend.monthCents)}
          note={spend.budgetCents === 0 ? undefined : `of ${moneyText(spend.budgetCents)}`}
        />
      </dl>
      {pulse.status === "active" ? null : (
        <p className="pulse-held" role="status">
          <Status of="other" status={pulse.status} />{" "}
          {pulse.pauseReason === "budget"
            ? "The budget of the company is used up: no run starts until it is raised or the new month begins."
            : "No run starts until the company is resumed."}
        </p>
      )}
      <section aria-labelledby="pulse-now">
        <h2 id="pulse-now">Now</h2>
        <ul className="pulse-agents">
          {agents
            .toSorted((one, other) => orderOf(one) - orderOf(other))
            .map((agent) => (
              <AgentNow key={agent.id} agent={agent} />
            ))}
        </ul>
      </section>
      {queued.count === 0 ? null : (
        <section aria-labelledby="pulse-queue">
          <h2 id="pulse-queue">Waits for a free slot</h2>
          <RunTable label="Queue" runs={queued.runs} pathOf={pathOf} />
        </section>
      )}
      {failed.count === 0 ? null : (
        <section aria-labelledby="pulse-failed">
          <h2 id="pulse-failed">Failed today</h2>
          <RunTable label="Failed today" runs={failed.runs} pathOf={pathOf} />
        </section>
      )}
    </div>
  );
};

const AgentNow = ({ agent: { id, name, status, errorReason, currentRun } }: { readonly agent: Agent }) => {
  const here = useHere();
  return (
    <li className="pulse-agent">
      <Avatar kind="agent" name={name} status={status} size="large" />
      <div className="grow pulse-what">
        <div className="row">
          <Link href={here(`/agents/${id}`)} className="cut grow table-title">
            {name}
          </Link>
          {currentRun === null ? null : (
            <span className="muted">
              <Duration from={currentRun.startedAt} to={null} />
            </span>
          )}
        </div>
        <div className="muted cut">
          {currentRun === null ? (
            <span title={errorReason ?? undefined}>
              <Status of="agent" status={status} />
            </span>
          ) : (
            <Link
              href={here(`/runs/${currentRun.id}`)}
              className="quiet-link"
              title={currentRun.issueTitle ?? undefined}
            >
              {currentRun.issueIdentifier === null
                ? wakeCause(currentRun.wakeReason)
                : `${currentRun.issueIdentifier} ${currentRun.issueTitle}`}
            </Link>
          )}
        </div>
      </div>
    </li>
  );
};

interface FigureProps {
  readonly label: string;
  readonly value: number | string;
  readonly note?: string | undefined;
  readonly isBad?: boolean;
}

const Figure = ({ label, value, note, isBad = false }: FigureProps) => (
  <div>
    <dt className="muted">{label}</dt>
    <dd className={isBad ? "pulse-bad" : undefined}>
      {value}
      {note === undefined ? null : <span className="muted pulse-note"> {note}</span>}
    </dd>
  </div>
);
