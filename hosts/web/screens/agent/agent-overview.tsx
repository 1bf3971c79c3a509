import { Link, useLocation } from "wouter";
import { usePages } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { lastRunsOf, openIssuesOf } from "../../nouns/agents/agent-reads.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { RunTable } from "../../nouns/runs/run-table.tsx";
import { Status } from "../../nouns/status.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Time } from "../../widgets/time.tsx";
import { BudgetFacts } from "./agent-budget.tsx";
import { AgentNow } from "./agent-now.tsx";

/** The tab that opens first: the present state of the agent and its cause, its open issues, and its last runs. */
export const AgentOverview = ({ agent }: { readonly agent: Agent }) => (
  <InOrder>
    <AgentNow agentId={agent.id} />
    <Facts agent={agent} />
    <OpenIssues agent={agent} />
    <LastRuns agent={agent} />
  </InOrder>
);

const Facts = ({ agent }: { readonly agent: Agent }) => {
  const here = useHere();
  const { chainOfCommand } = agent;
  return (
    <section aria-label="Facts" className="agent-facts">
      <div>
        <div className="muted">Status</div>
        <Status of="agent" status={agent.status} />
      </div>
      <div>
        <div className="muted">Role</div>
        {agent.title ?? agent.role}
      </div>
      <div>
        <div className="muted">Reports to</div>
        {chainOfCommand.length === 0
          ? "The board"
          : chainOfCommand.map(({ id, name }, at) => (
              <span key={id}>
                {at === 0 ? "" : " › "}
                <Link href={here(`/agents/${id}`)}>{name}</Link>
              </span>
            ))}
      </div>
      <BudgetFacts agent={agent} />
      {agent.workspace === null ? null : (
        <div>
          <div className="muted">Host</div>
          {agent.workspace.host}
          <p className="muted">
            {agent.workspace.givenUpAt === null ? (
              <>
                since <Time at={agent.workspace.since} as="brief" />
              </>
            ) : (
              <>
                Not responding. Abandoned <Time at={agent.workspace.givenUpAt} as="full" />.
              </>
            )}
          </p>
        </div>
      )}
      {agent.warnings.map((warning) => (
        <p key={warning} className="agent-warning">
          {warning}
        </p>
      ))}
    </section>
  );
};

const OpenIssues = ({ agent }: { readonly agent: Agent }) => {
  const here = useHere();
  const issues = usePages("issues.list", openIssuesOf(agent));
  return (
    <section aria-labelledby="agent-issues" className="stack">
      <h2 id="agent-issues">Current issue</h2>
      {issues.rows.length === 0 ? (
        <p className="faint">No open issues</p>
      ) : (
        <ul className="plain-list">
          {issues.rows.map(({ id, identifier, title, status }) => (
            <li key={id} className="row list-row">
              <Status of="issue" status={status} bare />
              <Link href={here(`/issues/${identifier}`)} className="cut">
                {identifier} {title}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const LastRuns = ({ agent }: { readonly agent: Agent }) => {
  const here = useHere();
  const [path] = useLocation();
  const runs = usePages("runs.list", lastRunsOf(agent));
  return (
    <section aria-labelledby="agent-runs" className="stack">
      <h2 id="agent-runs">Last runs</h2>
      {runs.rows.length === 0 ? (
        <p className="faint">No runs yet</p>
      ) : (
        <>
          <RunTable
            label="Last runs"
            runs={runs.rows}
            pathOf={(id) => here(`/runs/${id}`)}
            withAgent={false}
          />
          <Link href={`${path}?tab=runs`}>View all runs</Link>
        </>
      )}
    </section>
  );
};
