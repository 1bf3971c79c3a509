import { Link } from "wouter";
import { usePages, useRead } from "../../live/calls.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { LinkButton } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorView } from "../../parts/error-view.tsx";
import { moneyText } from "../../parts/money.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Status } from "../../parts/status.tsx";
import { Duration } from "../../parts/time.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";

/** Who works on what now, what waits, what failed today, and what it costs. */
export const PulseScreen = () => {
  const company = useCompany();
  const { id: companyId } = company;
  const here = useHere();
  const agents = useRead("agents.list", { companyId });
  const live = usePages("runs.list", { companyId, status: ["running", "queued"], limit: 100 });
  const failed = usePages("runs.list", {
    companyId,
    status: ["failed", "timed_out", "interrupted"],
    limit: 10,
  });
  const spend = useRead("costs.summary", { companyId });
  if (agents.isPending || live.isPending)
    return (
      <Page title="Pulse">
        <Skeleton />
      </Page>
    );
  if (agents.isError)
    return (
      <Page title="Pulse">
        <ErrorView error={agents.error} retry={() => void agents.refetch()} />
      </Page>
    );
  const working = agents.data.filter(({ status }) => status !== "terminated");
  if (working.length === 0)
    return (
      <Page title="Pulse">
        <Empty
          icon="activity"
          title="Nobody works here yet"
          action={
            <LinkButton kind="main" to={here("/agents?new")}>
              Hire agent
            </LinkButton>
          }
        >
          Who works on what, what waits and what it costs is shown here.
        </Empty>
      </Page>
    );
  const running = live.rows.filter(({ status }) => status === "running");
  const queued = live.rows.filter(({ status }) => status === "queued");
  const held = working.filter(({ status }) => status === "paused" || status === "error");
  const today = new Date().toISOString().slice(0, 10);
  const failedToday = failed.rows.filter(({ finishedAt }) => finishedAt?.startsWith(today));
  const runOf = (agentId: string) => running.find((run) => run.agentId === agentId);
  return (
    <Page title="Pulse">
      <div className="pulse">
        <dl className="pulse-numbers">
          <Figure label="Running" value={running.length} />
          <Figure label="Queued" value={queued.length} />
          <Figure label="Held or in error" value={held.length} />
          <Figure label="Failed today" value={failedToday.length} />
          <Figure
            label={
              spend.data === undefined || spend.data.budgetCents === 0
                ? "Spent this month"
                : `Spent of ${moneyText(spend.data.budgetCents)}`
            }
            value={spend.data === undefined ? "…" : moneyText(spend.data.spendCents)}
          />
        </dl>
        {company.status === "active" ? null : (
          <p className="pulse-held" role="status">
            <Status of="other" status={company.status} /> No run starts until the company is resumed.
          </p>
        )}
        <section aria-labelledby="pulse-now">
          <h2 id="pulse-now">Now</h2>
          <ul className="pulse-agents">
            {working.map((agent) => {
              const run = runOf(agent.id);
              return (
                <li key={agent.id} className="pulse-agent">
                  <Avatar kind="agent" name={agent.name} status={agent.status} size="large" />
                  <div className="grow">
                    <Link href={here(`/agents/${agent.id}`)}>{agent.name}</Link>
                    <div className="muted cut">
                      {run === undefined ? (
                        <Status of="agent" status={agent.status} />
                      ) : (
                        <Link href={here(`/runs/${run.id}`)}>
                          {run.issueIdentifier ?? run.wakeReason.replaceAll("_", " ")} ·{" "}
                          <Duration from={run.startedAt ?? run.createdAt} to={null} />
                        </Link>
                      )}
                    </div>
                  </div>
                </li>
              );
            })}
          </ul>
        </section>
        {queued.length === 0 ? null : (
          <section aria-labelledby="pulse-queue">
            <h2 id="pulse-queue">Waits for a free slot</h2>
            <RunTable label="Queue" runs={queued} pathOf={(id) => here(`/runs/${id}`)} />
          </section>
        )}
        {failedToday.length === 0 ? null : (
          <section aria-labelledby="pulse-failed">
            <h2 id="pulse-failed">Failed today</h2>
            <RunTable label="Failed today" runs={failedToday} pathOf={(id) => here(`/runs/${id}`)} />
          </section>
        )}
      </div>
    </Page>
  );
};

const Figure = ({ label, value }: { readonly label: string; readonly value: number | string }) => (
  <div>
    <dt className="muted">{label}</dt>
    <dd>{value}</dd>
  </div>
);
