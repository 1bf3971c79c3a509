import { IconButton } from "../../parts/button.tsx";
import { FilterMenu } from "../../parts/filter-menu.tsx";
import { locale } from "../../parts/locale.ts";
import {
  FilterControls,
  type IssueGrouping,
  isNarrowed,
  issueGroupings,
  noFilters,
  type useIssueFilters,
} from "./issue-filters.tsx";
import { SavedViews } from "./saved-views.tsx";

interface FilterBarProps {
  readonly filters: ReturnType<typeof useIssueFilters>[0];
  readonly onChange: ReturnType<typeof useIssueFilters>[1];
  readonly count: number | undefined;
}

const sortWords = { priority: "Most urgent first", activity: "Last active first" } as const;

const groupWords: Readonly<Record<IssueGrouping, string>> = {
  none: "Not grouped",
  status: "Grouped by status",
  assignee: "Grouped by assignee",
};

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
    {filters.view === "board" ? null : (
      <FilterMenu
        label="Group"
        shown={groupWords[filters.group]}
        isNarrowed={false}
        items={issueGroupings.map((group) => ({
          label: groupWords[group],
          isChosen: filters.group === group,
          run: () => onChange({ group: group === "none" ? "" : group }),
        }))}
      />
    )}
    <SavedViews />
    {isNarrowed(filters) ? (
      <IconButton icon="x" label="Clear the filters" small onClick={() => onChange(noFilters)} />
    ) : null}
    <span className="issues-count muted" role="status">
      {count === undefined ? "" : `${count.toLocaleString(locale)} ${count === 1 ? "issue" : "issues"}`}
    </span>
  </search>
);
