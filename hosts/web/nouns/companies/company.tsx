import { createContext, use, useCallback, useEffect } from "react";
import { useLocation } from "wouter";
import type { Company } from "../../live/records.ts";

/** The company shown; `CompanyPages` gives it. */
export const CompanyShown = createContext<Company | null>(null);

/** The company whose pages are shown. Only below `/:company`. */
export const useCompany = (): Company => {
  const company = use(CompanyShown);
  if (company === null) throw new Error("This page belongs to a company.");
  return company;
};

/** Whether this person may do that in the company shown. */
export const useMayHere = (action: keyof Company["callerMay"]): boolean =>
  useCompany().callerMay[action].allowed;

/** A path inside of the company shown: `useHere()("/issues")`. */
export const useHere = (): ((path: string) => string) => {
  const { issuePrefix } = useCompany();
  return (path) => `/${issuePrefix}${path}`;
};

/** The path of an issue of the company shown, by its identifier: `useIssuePath()("ACM-12")`; the same function each time. */
export const useIssuePath = (): ((identifier: string) => string) => {
  const { issuePrefix } = useCompany();
  return useCallback((identifier) => `/${issuePrefix}/issues/${identifier}`, [issuePrefix]);
};

/** The company that an address names by its issue prefix or id. */
export const companyNamed = (companies: readonly Company[], name: string): Company | undefined =>
  companies.find(
    ({ id, issuePrefix }) => issuePrefix.toLowerCase() === name.toLowerCase() || id === name.toLowerCase(),
  );

/** A preference: where the page begins next time. */
const lastCompanyKey = "boardroom.company";

/** The company the address names, else the one shown last, else the first. */
export const useCurrentCompany = (companies: readonly Company[] | undefined) => {
  const [location] = useLocation();
  const [, first = ""] = location.split("/");
  const named = companyNamed(companies ?? [], first);
  const id = named?.id;
  useEffect(() => {
    if (id !== undefined) localStorage.setItem(lastCompanyKey, id);
  }, [id]);
  const last = localStorage.getItem(lastCompanyKey);
  const company = named ?? companies?.find((each) => each.id === last) ?? companies?.[0] ?? null;
  return { company, isNamed: named !== undefined };
};
