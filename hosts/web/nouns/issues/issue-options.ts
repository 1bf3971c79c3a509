import { useState } from "react";
import { useRead } from "../../live/calls.ts";
import { useCompany } from "../companies/company.tsx";

/**
 * Issues of the company to choose from, found by their words; `without` are not offered. `isLate`: they are read once the list opens,
 * which calls `onType`.
 */
export const useIssueOptions = (without: readonly string[], isLate = false) => {
  const { id: companyId } = useCompany();
  const [search, setSearch] = useState(isLate ? null : "");
  const q = search?.trim() ?? "";
  const { data } = useRead(
    "issues.list",
    { companyId, slim: true, limit: 30, sort: "activity", ...(q === "" ? {} : { q }) },
    { placeholderData: (before) => before, enabled: search !== null },
  );
  const options = (data?.items ?? [])
    .filter(({ id }) => !without.includes(id))
    .map(({ id, identifier, title }) => ({ value: id, label: `${identifier} ${title}` }));
  return { options, onType: setSearch };
};
