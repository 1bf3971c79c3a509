import { createContext, type ReactNode, use } from "react";
import { useParams } from "wouter";
import { type AnswerOf, useRead } from "../live/calls.ts";
import { useMay } from "../live/session.ts";
import { LinkButton } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { ErrorView } from "../parts/error-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { Page } from "./page.tsx";

export type Company = AnswerOf<"companies.list">[number];

const Shown = createContext<Company | null>(null);

/** The company whose pages are shown. Only below `/:company`. */
export const useCompany = (): Company => {
  const company = use(Shown);
  if (company === null) throw new Error("This screen belongs to a company.");
  return company;
};

/** Whether this person may change things in the company shown: `operator` works, `owner` also decides on money. */
export const useMayHere = (needed: "operator" | "owner"): boolean => useMay(useCompany().id, needed);

/** A path inside of the company shown: `useHere()("/issues")`. */
export const useHere = (): ((path: string) => string) => {
  const { issuePrefix } = useCompany();
  return (path) => `/${issuePrefix}${path}`;
};

/** Finds the company that the address names by its issue prefix. */
export const CompanyPages = ({ children }: { readonly children: ReactNode }) => {
  const { company: prefix = "" } = useParams<{ company: string }>();
  const companies = useRead("companies.list", {});
  if (companies.isPending) return <Skeleton />;
  if (companies.isError) return <ErrorView error={companies.error} retry={() => void companies.refetch()} />;
  const company = companies.data.find(
    (each) => each.issuePrefix.toLowerCase() === prefix.toLowerCase() || each.id === prefix,
  );
  if (company === undefined)
    return (
      <Page title="Not found">
        <Empty
          icon="building"
          title="There is no such company"
          action={<LinkButton to="/inbox">Go to the inbox</LinkButton>}
        >
          Or it is one that you have no role in.
        </Empty>
      </Page>
    );
  return <Shown value={company}>{children}</Shown>;
};
