import type { ReactNode } from "react";
import { useParams } from "wouter";
import { useRead } from "../live/calls.ts";
import { LinkButton } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { ErrorView } from "../parts/error-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { CompanyShown, companyNamed } from "./company.tsx";
import { Page } from "./page.tsx";

/** Finds the company that the address names by its issue prefix. */
export const CompanyPages = ({ children }: { readonly children: ReactNode }) => {
  const { company: prefix = "" } = useParams<{ company: string }>();
  const companies = useRead("companies.list", {});
  if (companies.isPending) return <Skeleton />;
  if (companies.isError) return <ErrorView error={companies.error} retry={() => void companies.refetch()} />;
  const company = companyNamed(companies.data, prefix);
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
  return <CompanyShown value={company}>{children}</CompanyShown>;
};
