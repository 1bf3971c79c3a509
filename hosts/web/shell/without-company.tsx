import { useQuery } from "@tanstack/react-query";
import { Redirect } from "wouter";
import { BoardroomError } from "../../library/client-error.ts";
import { call } from "../live/calls.ts";
import type { Company } from "../live/records.ts";
import { ErrorView } from "../parts/error-view.tsx";
import { Waiting } from "./waiting.tsx";

interface Props {
  /** Such as `/issues/HAR-2`. */
  readonly path: string;
  /** In which company to look first. */
  readonly current: Company;
  readonly companies: readonly Company[];
}

/**
 * Completes an address without a company, as people type it. Below the current company, a record's screen finds the
 * record's own; a urlKey is unique in a company only, so that the company is looked for here.
 */
export const WithoutCompany = ({ path, current, companies }: Props) => {
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
