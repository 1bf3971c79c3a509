import { Link } from "wouter";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { Status } from "../../nouns/status.tsx";
import { LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { Page } from "../../widgets/page.tsx";
import { Unread } from "../../widgets/unread.tsx";

type Nodes = AnswerOf<"agents.org">;

/** The chain of command: who reports to whom, and how each of them stands. */
export const OrgScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const org = useRead("agents.org", { companyId });
  return (
    <Page title="Organisation">
      {org.isPending || org.isError ? (
        <Unread read={org} />
      ) : org.data.length === 0 ? (
        <Empty
          icon="network"
          title="No agents yet"
          action={
            <LinkButton to={here("/agents")} kind="main">
              View agents
            </LinkButton>
          }
        >
          Agents appear below the agent they report to.
        </Empty>
      ) : (
        <div className="org">
          <Branch nodes={org.data} />
        </div>
      )}
    </Page>
  );
};

const Branch = ({ nodes }: { readonly nodes: Nodes }) => {
  const here = useHere();
  return (
    <ul className="org-branch">
      {nodes.map(({ id, name, role, title, status, reports }) => (
        <li key={id}>
          <div className="org-node">
            <Avatar kind="agent" name={name} status={status} />
            <Link href={here(`/agents/${id}`)} className="cut table-title">
              {name}
            </Link>
            <span className="muted cut grow">{title ?? role}</span>
            <Status of="agent" status={status} />
          </div>
          {reports.length === 0 ? null : <Branch nodes={reports} />}
        </li>
      ))}
    </ul>
  );
};
