import { createContext, use } from "react";
import type { Company } from "../live/records.ts";
import { useMay } from "../live/session.ts";

/** The company shown; `CompanyPages` gives it. */
export const CompanyShown = createContext<Company | null>(null);

/** The company whose pages are shown. Only below `/:company`. */
export const useCompany = (): Company => {
  const company = use(CompanyShown);
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
