import { useEffect } from "react";
import { useLocation } from "wouter";
import { useRead } from "../../live/calls.ts";
import { useCompany } from "./company.tsx";

/** Corrects the address of a record that was asked for below another company than its own. */
export const useOwnCompany = (record: { readonly companyId: string } | undefined): void => {
  const shown = useCompany();
  const { data: companies = [] } = useRead("companies.list", {});
  const [path, go] = useLocation();
  const own = companies.find(({ id }) => id === record?.companyId);
  useEffect(() => {
    if (own === undefined || own.id === shown.id) return;
    const inOwn = path.replace(/^\/[^/]*/, `/${own.issuePrefix}`);
    go(`${inOwn}${location.search}${location.hash}`, { replace: true });
  }, [own, shown.id, path, go]);
};
