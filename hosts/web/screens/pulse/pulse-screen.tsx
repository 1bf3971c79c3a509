import { Link } from "wouter";
import { brokenRunStatuses } from "../../../../core/model/runs/run-status.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { RunTable } from "../../nouns/runs/run-table.tsx";
import { ReasonLine, withTimes } from "../../nouns/runs/situation.tsx";
import { wakeCause } from "../../nouns/runs/wake-cause.ts";
import { Status } from "../../nouns/status.tsx";
import { LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { moneyText } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { useRowKeys } from "../../widgets/row-keys.ts";
import { Duration } from "../../widgets/time.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { LastLine } from "./last-line.tsx";
import { useLogLengths } from "./log-lengths.ts";

type Pulse = AnswerOf<"companies.pulse">;
type Agent = Pulse["agents"][number];

/** The present work of each agent, waiting decisions, today's failures, and the cost. */
export const PulseScreen = () => {
  const { id: companyId } = useCompany();
  const pulse = useRead("companies.pulse", { companyId });
  // The run of an agent at work, the page of another.
  useRowKeys(".pulse-what > a, .pulse-what:not(:has(> a)) .table-title, .pulse-name", "agent");
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

/** Large: those at work, and those for whom somebody must do something. */
const isLarge = ({ status, situation }: Agent): boolean =>
  status === "running" ||
  status === "error" ||
  (situation.state !== "idle" && situation.state !== "draft" && situation.reasons[0]!.needsPerson);

/** Those at work first, then those that need somebody, then the others. */
const orderOf = ({ status, situation }: Agent): number =>
  status === "running" ? 0 : situation.reasons[0]!.needsPerson ? 1 : 2;

const CompanyNow = ({ pulse }: { readonly pulse: Pulse }) => {
  const here = useHere();
  const { agents, running, queued, waiting, failed, interrupted } = pulse;
  const pathOf = (id: string) => here(`/runs/${id}`);
  const sorted = agents.toSorted((one, other) => orderOf(one) - orderOf(other));
  const large = sorted.filter(isLarge);
  const logs = useLogLengths(running.runs);
  const quiet = sorted.filter((agent) => !isLarge(agent));
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
      {large.length === 0 ? null : (
        <section aria-labelledby="pulse-now">
          <h2 id="pulse-now">Now</h2>
          <ul className="pulse-agents">
            {large.map((agent) => (
              <AgentNow
                key={agent.id}
                agent={agent}
                logBytes={agent.currentRun === null ? 0 : (logs.get(agent.currentRun.id) ?? 0)}
              />
            ))}
          </ul>
        </section>
      )}
      {quiet.length === 0 ? null : (
        <section aria-labelledby="pulse-quiet">
          <h2 id="pulse-quiet">Idle</h2>
          <ul className="pulse-quiet plain-list">
            {quiet.map((agent) => (
              <QuietAgent key={agent.id} agent={agent} />
            ))}
          </ul>
        </section>
      )}
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

/** An agent at work with the last line of its output, or one that needs somebody, with the reason. */
const AgentNow = ({
  agent: { id, name, status, currentRun, situation },
  logBytes,
}: {
  readonly agent: Agent;
  readonly logBytes: number;
}) => {
  const here = useHere();
  return (
    <li className="pulse-agent">
      <Avatar kind="agent" name={name} status={status} size="large" />
      <div className="grow pulse-what">
        <div className="row">
          <Link href={here(`/agents/${id}`)} className="cut grow table-title">
            {name}
          </Link>
          {currentRun === null ? (
            <Status of="agent" status={status} />
          ) : (
            <span className="muted">
              <Duration from={currentRun.startedAt} to={null} />
            </span>
          )}
        </div>
        {currentRun === null ? (
          <p className="muted pulse-why">
            <ReasonLine reason={situation.reasons[0]!} />
          </p>
        ) : (
          <>
            <Link
              href={here(`/runs/${currentRun.id}`)}
              className="quiet-link cut"
              title={currentRun.issueTitle ?? undefined}
            >
              {currentRun.issueIdentifier === null
                ? wakeCause(currentRun.wakeReason)
                : `${currentRun.issueIdentifier} ${currentRun.issueTitle}`}
            </Link>
            {situation.reasons[0]!.needsPerson ? (
              <p className="pulse-why">
                <ReasonLine reason={situation.reasons[0]!} />
              </p>
            ) : (
              <LastLine runId={currentRun.id} logBytes={logBytes} />
            )}
          </>
        )}
      </div>
    </li>
  );
};

/** An agent that nobody must look at, in one line. */
const QuietAgent = ({ agent: { id, name, status, situation } }: { readonly agent: Agent }) => {
  const here = useHere();
  return (
    <li>
      <Status of="agent" status={status} bare />
      <Link href={here(`/agents/${id}`)} className="cut pulse-name">
        {name}
      </Link>
      <span className="muted cut grow" title={situation.sentence}>
        {withTimes(situation.sentence)}
      </span>
    </li>
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
