import { useState } from "react";
import { Button, IconButton } from "../../widgets/button.tsx";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { FindField } from "../../widgets/find-field.tsx";
import { locale } from "../../widgets/locale.ts";
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

const sortWords = { priority: "Priority", activity: "Last updated" } as const;

const groupWords: Readonly<Record<IssueGrouping, string>> = {
  none: "No grouping",
  status: "Status",
  assignee: "Assignee",
};

/** The ways to group: a board has columns always. */
const groupingsOf = {
  list: issueGroupings,
  board: ["status", "assignee"],
} as const satisfies Readonly<Record<string, readonly IssueGrouping[]>>;

/** The controls of the list. A narrow screen shows the search, and the others when they are opened. */
export const FilterBar = ({ filters, onChange, count }: FilterBarProps) => {
  const [isOpen, setOpen] = useState(false);
  const groupings = groupingsOf[filters.view];
  const group = groupings.find((each) => each === filters.group) ?? groupings[0];
  const { q, ...others } = filters.values;
  const narrowing = Object.values(others).filter(Boolean).length;
  return (
    <search className={isOpen ? "filters issues-filters open" : "filters issues-filters"}>
      <FindField label="Search issues" value={q} onChange={(next) => onChange({ q: next })} />
      <span className="issues-filters-fold">
        <Button small icon="list-filter" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {narrowing === 0 ? "Filters" : `Filters (${narrowing})`}
        </Button>
      </span>
      <div className="issues-filters-more">
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
        <FilterMenu
          label="Group"
          shown={groupWords[group]}
          isNarrowed={false}
          items={groupings.map((each) => ({
            label: groupWords[each],
            isChosen: group === each,
            run: () => onChange({ group: each === groupings[0] ? "" : each }),
          }))}
        />
        <SavedViews />
      </div>
      {isNarrowed(filters) ? (
        <IconButton icon="x" label="Clear filters" small onClick={() => onChange(noFilters)} />
      ) : null}
      <span className="issues-count muted" role="status">
        {count === undefined ? "" : `${count.toLocaleString(locale)} ${count === 1 ? "issue" : "issues"}`}
      </span>
    </search>
  );
};
