import { useState } from "react";
import { Link, useParams } from "wouter";
import { resumableStatuses } from "../../../../core/model/agents/resumable-statuses.ts";
import { startedStatuses } from "../../../../core/model/issues/issue-status.ts";
import { isUuid } from "../../../../core/model/shared/ids.ts";
import { usePages, useRead, useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { EnvironmentTest } from "../../nouns/agents/environment-test.tsx";
import { useResumeAgent } from "../../nouns/agents/resume-agent.tsx";
import { Budget, BudgetDialog, type BudgetOwner } from "../../nouns/companies/budgets.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { RunTable } from "../../nouns/runs/run-table.tsx";
import { Status } from "../../nouns/status.tsx";
import { ActionButton, lacksRole } from "../../widgets/action-button.tsx";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { AgentConfiguration } from "./agent-configuration.tsx";
import { AgentKeys } from "./agent-keys.tsx";
import { AgentMcpServers } from "./agent-mcp-servers.tsx";
import { AgentNow, AgentSpend } from "./agent-now.tsx";
import { AgentSkills } from "./agent-skills.tsx";
import { AgentUsage } from "./agent-usage.tsx";
import { WakeDialog } from "./wake-dialog.tsx";

/** One agent: its status and why, what it works on, its runs and its configuration. */
export const AgentScreen = () => {
  const { agent: agentId = "" } = useParams<{ agent: string }>();
  const here = useHere();
  const mayTest = useMayHere("testEnvironment");
  const { id: companyId } = useCompany();
  // A urlKey is unique in its company only.
  const agent = useRead("agents.get", isUuid(agentId) ? { agentId } : { agentId, companyId });
  useOwnCompany(agent.data);
  const crumbs = [{ label: "Agents", to: here("/agents") }];
  if (agent.isPending || agent.isError)
    return (
      <Page title="Agent" crumbs={crumbs}>
        <Unread read={agent} />
      </Page>
    );
  const { name, callerMay: may } = agent.data;
  return (
    <Page title={name} crumbs={crumbs} actions={<AgentActions agent={agent.data} />}>
      <div className="agent">
        <InOrder>
          <AgentNow agentId={agent.data.id} />
          <Facts agent={agent.data} />
          <Work agent={agent.data} />
          <AgentSpend agent={agent.data} />
          {mayTest ? (
            <EnvironmentTest
              companyId={agent.data.companyId}
              adapterType={agent.data.adapterType}
              adapterConfig={agent.data.adapterConfig}
              agentId={agent.data.id}
            />
          ) : null}
          <AgentConfiguration agent={agent.data} mayChange={may.update.allowed} />
          <AgentSkills agentId={agent.data.id} mayChange={may.syncSkills.allowed} />
          <AgentUsage agent={agent.data} />
          <AgentMcpServers agentId={agent.data.id} />
          {may.manageKeys.allowed ? <AgentKeys agentId={agent.data.id} /> : null}
        </InOrder>
      </div>
    </Page>
  );
};

const ownerOf = ({ id, companyId, name }: Agent): BudgetOwner => ({ kind: "agent", id, companyId, name });

const Facts = ({ agent }: { readonly agent: Agent }) => {
  const here = useHere();
  const { chainOfCommand, budgetMonthlyCents } = agent;
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
      <div>
        <div className="muted">This month</div>
        <Money cents={agent.spentMonthlyCents} />
      </div>
      <div>
        <div className="muted">Monthly budget</div>
        <Budget
          of={ownerOf(agent)}
          cents={budgetMonthlyCents}
          spentCents={agent.spentMonthlyCents}
          mayDecide={agent.callerMay.update.allowed}
        />
      </div>
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

const Work = ({ agent }: { readonly agent: Agent }) => {
  const here = useHere();
  const { companyId, id: agentId } = agent;
  const issues = usePages("issues.list", {
    companyId,
    assigneeAgentId: agentId,
    status: startedStatuses,
    limit: 20,
  });
  const runs = usePages("runs.list", { companyId, agentId, limit: 20 });
  return (
    <>
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
      <section aria-labelledby="agent-runs" className="stack">
        <h2 id="agent-runs">Runs</h2>
        {runs.rows.length === 0 ? (
          <p className="faint">No runs yet</p>
        ) : (
          <>
            <RunTable label="Runs" runs={runs.rows} pathOf={(id) => here(`/runs/${id}`)} withAgent={false} />
            <Link href={here(`/runs?agent=${agentId}`)}>View all runs</Link>
          </>
        )}
      </section>
    </>
  );
};

const AgentActions = ({ agent }: { readonly agent: Agent }) => {
  const say = useToasts();
  const [asked, setAsked] = useState<"message" | "release" | "terminate" | null>(null);
  const close = () => setAsked(null);
  const agentId = agent.id;
  const wake = useWrite("agents.invoke", { onDone: () => say.done(`${agent.name} woken`) });
  const resume = useResumeAgent();
  const pause = useWrite("agents.pause", {
    onDone: () => say.done(`${agent.name} paused. Its runs are stopping.`, () => resume.run({ agentId })),
  });
  if (agent.status === "terminated") return null;
  const error = wake.error ?? resume.error ?? pause.error;
  const { callerMay: may } = agent;
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      {lacksRole(may.terminate) ? null : (
        <Menu
          label="More"
          align="end"
          className="button quiet icon-only"
          button={<Icon name="ellipsis" />}
          items={moreOf(agent, setAsked)}
        />
      )}
      {agent.pauseReason === "budget" && may.update.allowed ? (
        <RaiseBudget agent={agent} />
      ) : resumableStatuses.has(agent.status) ? (
        <ActionButton may={may.resume} kind="main" busy={resume.busy} onClick={() => resume.run({ agentId })}>
          Resume
        </ActionButton>
      ) : (
        <>
          <ActionButton may={may.pause} busy={pause.busy} onClick={() => pause.run({ agentId })}>
            Pause
          </ActionButton>
          <ActionButton may={may.invoke} kind="main" busy={wake.busy} onClick={() => wake.run({ agentId })}>
            Wake
          </ActionButton>
        </>
      )}
      {resume.dialog}
      {asked === "message" ? <WakeDialog agent={agent} onClose={close} /> : null}
      {asked === "release" ? <ReleaseDialog agent={agent} onClose={close} /> : null}
      {asked === "terminate" ? <TerminateDialog agent={agent} onClose={close} /> : null}
    </>
  );
};

const moreOf = (
  { callerMay: may, workspace }: Agent,
  ask: (asked: "message" | "release" | "terminate") => void,
) => [
  {
    label: "Wake with a message",
    disabled: !may.invoke.allowed,
    ...(may.invoke.error === undefined ? {} : { hint: may.invoke.error }),
    run: () => ask("message"),
  },
  ...(workspace === null
    ? []
    : [
        {
          label: "Move to another host",
          disabled: !may.releaseWorkspace.allowed,
          ...(may.releaseWorkspace.error === undefined ? {} : { hint: may.releaseWorkspace.error }),
          run: () => ask("release"),
        },
      ]),
  {
    label: "Terminate",
    kind: "danger" as const,
    disabled: !may.terminate.allowed,
    hint: may.terminate.error ?? "Permanent",
    run: () => ask("terminate"),
  },
];

interface AgentDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

const ReleaseDialog = ({ agent, onClose }: AgentDialogProps) => {
  const say = useToasts();
  const release = useWrite("agents.releaseWorkspace", {
    onDone: () => {
      onClose();
      say.done(`${agent.name} will continue on the next free host.`);
    },
  });
  return (
    <ConfirmDialog
      title={`Move ${agent.name} away from ${agent.workspace?.host}?`}
      verb="Move"
      busy={release.busy}
      onConfirm={() => release.run({ agentId: agent.id })}
      onClose={onClose}
    >
      The next run starts on another host without the agent's workspace files and sessions. The files stay on
      the current host. {release.error === null ? null : <Problem error={release.error} />}
    </ConfirmDialog>
  );
};

const TerminateDialog = ({ agent, onClose }: AgentDialogProps) => {
  const terminate = useWrite("agents.terminate", { onDone: onClose });
  return (
    <ConfirmDialog
      title={`Terminate ${agent.name}?`}
      verb="Terminate"
      busy={terminate.busy}
      onConfirm={() => terminate.run({ agentId: agent.id })}
      onClose={onClose}
    >
      This stops its runs and revokes its keys permanently. Its issues become unassigned.{" "}
      {terminate.error === null ? null : <Problem error={terminate.error} />}
    </ConfirmDialog>
  );
};

/** In place of Resume where the budget holds the agent: resuming would change nothing. */
const RaiseBudget = ({ agent }: { readonly agent: Agent }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="main" onClick={() => setOpen(true)}>
        Edit budget
      </Button>
      {isOpen ? (
        <BudgetDialog of={ownerOf(agent)} cents={agent.budgetMonthlyCents} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
};
