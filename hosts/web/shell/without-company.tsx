import { useQuery } from "@tanstack/react-query";
import { Redirect, useLocation } from "wouter";
import { BoardroomError } from "../../library/client-error.ts";
import { call, useRead } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { useCurrentCompany } from "../nouns/companies/company.tsx";
import { ErrorView } from "../widgets/error-view.tsx";
import { Waiting } from "./waiting.tsx";

/**
 * Completes an address without a company, as people type it, such as `/issues/HAR-2`. Below the current company, a record's
 * screen finds the record's own; a urlKey is unique in a company only, so the company is searched for here.
 */
export const WithoutCompany = () => {
  const { data: companies = [] } = useRead("companies.list", {});
  const { company: current } = useCurrentCompany(companies);
  return current === null ? <Waiting /> : <Completed current={current} companies={companies} />;
};

interface CompletedProps {
  /** The company to search first. */
  readonly current: Company;
  readonly companies: readonly Company[];
}

const Completed = ({ current, companies }: CompletedProps) => {
  const [path] = useLocation();
  const urlKey = /^\/agents\/([^/]+)/.exec(path)?.[1] ?? null;
  const owner = useQuery({
    queryKey: ["company of an agent", urlKey, current.id],
    enabled: urlKey !== null,
    queryFn: async () => {
      for (const company of [current, ...companies.filter(({ id }) => id !== current.id)])
        if (await hasAgent(company, decodeURIComponent(urlKey!))) return company;
      return current;
    },
  });
  if (urlKey === null) return <Redirect to={below(current, path)} replace />;
  if (owner.isError) return <ErrorView error={owner.error} retry={() => void owner.refetch()} />;
  return owner.data === undefined ? <Waiting /> : <Redirect to={below(owner.data, path)} replace />;
};

const below = ({ issuePrefix }: Company, path: string): string =>
  `/${issuePrefix}${path}${location.search}${location.hash}`;

const hasAgent = ({ id: companyId }: Company, agentId: string): Promise<boolean> =>
  call("agents.get", { agentId, companyId }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof BoardroomError && error.status === 404) return false;
      throw error;
    },
  );
