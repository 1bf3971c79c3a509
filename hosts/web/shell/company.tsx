import { createContext, use } from "react";
import type { Company } from "../live/records.ts";

/** The company shown; `CompanyPages` gives it. */
export const CompanyShown = createContext<Company | null>(null);

/** The company whose pages are shown. Only below `/:company`. */
export const useCompany = (): Company => {
  const company = use(CompanyShown);
  if (company === null) throw new Error("This screen belongs to a company.");
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
