import type { AgentStatus } from "../../../core/model/agents/agent-status.ts";
import { useRead } from "../live/calls.ts";
import { useSession } from "../live/session.ts";
import { useCompany } from "./companies/company.tsx";

export interface Named {
  readonly kind: "person" | "agent" | "system";
  readonly name: string;
  readonly status?: AgentStatus;
}

/** Names agents and people of the company shown by their ids. */
export const useNames = (): ((id: string | null | undefined) => Named) => {
  const { id: companyId } = useCompany();
  const self = useSession();
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const { data: members = [] } = useRead("members.list", { companyId });
  const { data: people = [] } = useRead("members.people", { companyId });
  return (id) => {
    if (id === null || id === undefined) return { kind: "system", name: "Boardroom" };
    const agent = agents.find((each) => each.id === id);
    if (agent !== undefined) return { kind: "agent", name: agent.name, status: agent.status };
    if (id === self.userId) return { kind: "person", name: self.name };
    // Viewers are only among the members, instance admins only among the people to whom work can be assigned.
    const person = [...members, ...people].find((each) => each.userId === id);
    return { kind: "person", name: person?.name ?? "Board" };
  };
};
