import { type ReactNode, useMemo } from "react";
import { useRead } from "../live/calls.ts";
import { useSession } from "../live/session.ts";
import { useCompany } from "./companies/company.tsx";
import { type Named, NamesShown } from "./names.ts";

/** Reads the agents and people of the company shown once, for all rows and sentences that name one of them. */
export const NamesOfCompany = ({ children }: { readonly children: ReactNode }) => {
  const { id: companyId } = useCompany();
  const self = useSession();
  const agents = useRead("agents.list", { companyId });
  const members = useRead("members.list", { companyId });
  const people = useRead("members.people", { companyId });
  const named = useMemo(() => {
    const byId = new Map<string, Named>();
    // Viewers are only among the members, instance admins only among the people to whom work can be assigned.
    for (const { userId, name } of [...(members.data ?? []), ...(people.data ?? [])])
      byId.set(userId, { kind: "person", name });
    byId.set(self.userId, { kind: "person", name: self.name });
    for (const { id, name, status } of agents.data ?? []) byId.set(id, { kind: "agent", name, status });
    return byId;
  }, [agents.data, members.data, people.data, self.userId, self.name]);
  const isLoading = agents.isLoading || members.isLoading || people.isLoading;
  const names = useMemo(() => ({ nameOf: nameIn(named), isLoading }), [named, isLoading]);
  return <NamesShown value={names}>{children}</NamesShown>;
};

const nameIn =
  (named: ReadonlyMap<string, Named>) =>
  (id: string | null | undefined): Named =>
    id === null || id === undefined
      ? { kind: "system", name: "Boardroom" }
      : (named.get(id) ?? { kind: "person", name: "Board" });
