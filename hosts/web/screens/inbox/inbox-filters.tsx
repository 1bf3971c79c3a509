import { useSearchParams } from "wouter";
import type { Company } from "../../live/records.ts";
import { useAddressFilter } from "../../widgets/address-filter.ts";
import { FilterChoice, FilterMenu } from "../../widgets/filter-menu.tsx";
import { displays, kinds } from "./entry-display.ts";
import { type Grouping, groupings } from "./groups.ts";

const groupingLabels: Readonly<Record<Grouping, string>> = {
  kind: "By type",
  issue: "By issue",
  age: "Oldest first",
};

/** The filters that the address names: a link shows the same list again. */
export const useInboxFilters = (companies: readonly Company[]) => {
  const [params, setParams] = useSearchParams();
  const [kind, setKind] = useAddressFilter("kind", kinds);
  const set = (name: string, value: string | null) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const prefix = params.get("company");
  const grouping = groupings.find((each) => each === params.get("group")) ?? "kind";
  const dismissed = params.get("aside") === "1";
  const company = companies.find(({ issuePrefix }) => issuePrefix === prefix) ?? null;
  return {
    kind,
    grouping,
    dismissed,
    company,
    isNarrowed: kind.length > 0 || company !== null || dismissed,
    setKind,
    setGrouping: (to: Grouping) => set("group", to === "kind" ? null : to),
    setDismissed: (to: boolean) => set("aside", to ? "1" : null),
    setCompany: (to: Company | null) => set("company", to?.issuePrefix ?? null),
    clear: () => setParams({}, { replace: true }),
  };
};

export type InboxFilters = ReturnType<typeof useInboxFilters>;

interface InboxFilterBarProps {
  readonly filters: InboxFilters;
  readonly companies: readonly Company[];
}

export const InboxFilterBar = ({ filters, companies }: InboxFilterBarProps) => {
  const { kind, grouping, dismissed, company } = filters;
  return (
    <search className="filters inbox-filters">
      <FilterMenu
        label="Show"
        shown={dismissed ? "Snoozed" : "Waiting"}
        isNarrowed={dismissed}
        items={[
          { label: "Waiting", isChosen: !dismissed, run: () => filters.setDismissed(false) },
          { label: "Snoozed", isChosen: dismissed, run: () => filters.setDismissed(true) },
        ]}
      />
      {companies.length < 2 ? null : (
        <FilterMenu
          label="Filter by company"
          shown={company?.name ?? "Any company"}
          isNarrowed={company !== null}
          items={[
            { label: "Any company", isChosen: company === null, run: () => filters.setCompany(null) },
            ...companies.map((each) => ({
              label: each.name,
              hint: each.issuePrefix,
              isChosen: each.id === company?.id,
              run: () => filters.setCompany(each),
            })),
          ]}
        />
      )}
      <FilterChoice
        label="Filter by kind"
        all="Any kind"
        several="kinds"
        options={kinds.map((value) => ({ value, label: displays[value].label, icon: displays[value].icon }))}
        chosen={kind}
        onChange={filters.setKind}
      />
      <FilterMenu
        label="Group"
        shown={groupingLabels[grouping]}
        isNarrowed={false}
        items={groupings.map((each) => ({
          label: groupingLabels[each],
          isChosen: each === grouping,
          run: () => filters.setGrouping(each),
        }))}
      />
    </search>
  );
};
