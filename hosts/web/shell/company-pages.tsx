import type { ReactNode } from "react";
import { useParams } from "wouter";
import { useRead } from "../live/calls.ts";
import { CompanyShown, companyNamed } from "../nouns/companies/company.tsx";
import { NamesOfCompany } from "../nouns/names-of-company.tsx";
import { LinkButton } from "../widgets/button.tsx";
import { Empty } from "../widgets/empty.tsx";
import { ErrorView } from "../widgets/error-view.tsx";
import { Page } from "../widgets/page.tsx";
import { Skeleton } from "../widgets/skeleton.tsx";

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
          title="Company not found"
          action={<LinkButton to="/inbox">Go to the inbox</LinkButton>}
        >
          Or you don't have access to it.
        </Empty>
      </Page>
    );
  return (
    <CompanyShown value={company}>
      <NamesOfCompany>{children}</NamesOfCompany>
    </CompanyShown>
  );
};
