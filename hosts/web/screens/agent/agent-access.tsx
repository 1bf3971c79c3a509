import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { Variable } from "../../nouns/agents/adapter-facts.tsx";
import { grantText } from "../../nouns/agents/agent-grants.ts";
import { environmentOf } from "../../nouns/agents/environment.ts";
import { useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { Problem } from "../../widgets/field.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { AgentKeys } from "./agent-keys.tsx";
import { AlwaysAllowed } from "./always-allowed.tsx";

/** The tab of permissions that the agent has, of the secrets that it gets, and of keys to act as the agent. */
export const AgentAccess = ({ agent }: { readonly agent: Agent }) => {
  const { callerMay: may } = agent;
  return (
    <InOrder>
      <AlwaysAllowed agent={agent} mayChange={may.update.allowed} />
      <DelegatedDecisions agent={agent} />
      <Secrets agent={agent} />
      {may.manageKeys.allowed ? <AgentKeys agentId={agent.id} /> : null}
    </InOrder>
  );
};

const DelegatedDecisions = ({ agent: { id, companyId, name } }: { readonly agent: Agent }) => {
  const here = useHere();
  const mayManage = useMayHere("manageGrants");
  const grants = useRead("grants.list", { companyId });
  const rows = (grants.data ?? []).filter(({ agentId, revokedAt }) => agentId === id && revokedAt === null);
  return (
    <section aria-labelledby="agent-grants" className="stack">
      <h2 id="agent-grants">Delegated decisions</h2>
      {grants.error === null ? null : <Problem error={grants.error} />}
      {grants.isSuccess && rows.length === 0 ? (
        <p className="faint">None. This agent makes no decisions in your place.</p>
      ) : null}
      <ul className="plain-list">
        {rows.map((grant) => (
          <li key={grant.id} className="list-row">
            {name} {grantText(grant)}
          </li>
        ))}
      </ul>
      {mayManage ? <Link href={here("/settings#grants")}>Manage grants</Link> : null}
    </section>
  );
};

/** The variables of its environment that secrets fill. */
const Secrets = ({ agent }: { readonly agent: Agent }) => {
  const rows = environmentOf(agent.adapterConfig.env).filter(({ from }) => from === "secret");
  return (
    <section aria-labelledby="agent-secrets" className="stack">
      <h2 id="agent-secrets">Secrets</h2>
      {rows.length === 0 ? (
        <p className="faint">None. To add one, edit the environment variables in Configuration.</p>
      ) : null}
      <ul className="plain-list">
        {rows.map((row) => (
          <li key={row.name} className="list-row">
            <code>{row.name}</code> <Variable row={row} />
          </li>
        ))}
      </ul>
    </section>
  );
};
