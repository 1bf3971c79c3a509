import { IconButton } from "../../parts/button.tsx";
import { FilterMenu } from "../../parts/filter-menu.tsx";
import { locale } from "../../parts/locale.ts";
import { FilterControls, isNarrowed, noFilters, type useIssueFilters } from "./issue-filters.tsx";

interface FilterBarProps {
  readonly filters: ReturnType<typeof useIssueFilters>[0];
  readonly onChange: ReturnType<typeof useIssueFilters>[1];
  readonly count: number | undefined;
}

const sortWords = { priority: "Most urgent first", activity: "Last active first" } as const;

export const FilterBar = ({ filters, onChange, count }: FilterBarProps) => (
  <search className="filters">
    <FilterControls values={filters.values} onChange={onChange} />
    <FilterMenu
      label="Sort"
      shown={sortWords[filters.sort]}
      isNarrowed={false}
      items={(["priority", "activity"] as const).map((sort) => ({
        label: sortWords[sort],
        isChosen: filters.sort === sort,
        run: () => onChange({ sort: sort === "priority" ? "" : sort }),
      }))}
    />
    {isNarrowed(filters) ? (
      <IconButton icon="x" label="Clear the filters" small onClick={() => onChange(noFilters)} />
    ) : null}
    <span className="issues-count muted" role="status">
      {count === undefined ? "" : `${count.toLocaleString(locale)} ${count === 1 ? "issue" : "issues"}`}
    </span>
  </search>
);
