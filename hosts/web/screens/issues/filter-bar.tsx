import { type ReactNode, useState } from "react";
import { useRead } from "../../live/calls.ts";
import { PartOfDialog } from "../../nouns/issues/part-of-dialog.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { FindField } from "../../widgets/find-field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { locale } from "../../widgets/locale.ts";
import { Menu } from "../../widgets/menu.tsx";
import { DisplayPanel } from "./display-panel.tsx";
import { type FilterChanges, type IssueFilters, useFilterFields } from "./issue-filters.tsx";
import { filtersAdded } from "./issue-views.ts";
import { useShownView, ViewTabs } from "./saved-views.tsx";

interface FilterBarProps {
  readonly filters: IssueFilters;
  readonly onChange: (changes: FilterChanges) => void;
  readonly count: number | undefined;
}

/** The views, the search, what narrows the list further, and how it is shown. */
export const FilterBar = ({ filters, onChange, count }: FilterBarProps) => {
  const { values } = filters;
  const shown = useShownView(values);
  const fields = useFilterFields(values, onChange);
  const [asksParent, setAsksParent] = useState(false);
  const parent = { label: "Parent issue", icon: "circle-dot" as const, run: () => setAsksParent(true) };
  const added = filtersAdded(values, shown.builtIn);
  return (
    <search className="issues-bar">
      <div className="filters issues-filters">
        <ViewTabs {...shown} />
        <span className="issues-count muted" role="status">
          {count === undefined ? "" : `${count.toLocaleString(locale)} ${count === 1 ? "issue" : "issues"}`}
        </span>
        <div className="issues-tools">
          <FindField label="Search issues" value={values.q} onChange={(q) => onChange({ q })} />
          <Menu
            label="Filter"
            opensBy={{ keys: "f", does: "Filter the issues" }}
            className="button small"
            align="end"
            isSheet
            button={
              <>
                <Icon name="list-filter" /> Filter
              </>
            }
            items={[...fields.map(({ label, items }) => ({ label, items })), parent]}
          />
          <DisplayPanel filters={filters} onChange={onChange} />
        </div>
      </div>
      {added.length === 0 ? null : (
        <div className="filters issues-chips">
          {fields
            .filter(({ name }) => added.includes(name))
            .map(({ name, label, items, shown }) => (
              <Chip key={name} label={label} onRemove={() => onChange({ [name]: "" })}>
                <FilterMenu
                  label={`Filter by ${label.toLowerCase()}`}
                  shown={`${label}: ${shown}`}
                  isNarrowed
                  items={items}
                />
              </Chip>
            ))}
          {added.includes("parent") ? (
            <Chip label="Parent issue" onRemove={() => onChange({ parent: "" })}>
              <ParentChip issueId={values.parent} onOpen={() => setAsksParent(true)} />
            </Chip>
          ) : null}
          <Button
            kind="quiet"
            small
            onClick={() => onChange(Object.fromEntries(added.map((name) => [name, ""])))}
          >
            Clear filters
          </Button>
        </div>
      )}
      {asksParent ? (
        <PartOfDialog
          title="Show sub-issues of an issue"
          none={values.parent === "" ? null : "Any issue"}
          without={[values.parent]}
          onChoose={(parentId) => onChange({ parent: parentId ?? "" })}
          onClose={() => setAsksParent(false)}
        />
      ) : null}
    </search>
  );
};

interface ChipProps {
  readonly label: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

const Chip = ({ label, onRemove, children }: ChipProps) => (
  <span className="issues-chip">
    {children}
    <IconButton icon="x" label={`Remove the ${label.toLowerCase()} filter`} small onClick={onRemove} />
  </span>
);

const ParentChip = ({ issueId, onOpen }: { readonly issueId: string; readonly onOpen: () => void }) => {
  const { data } = useRead("issues.get", { issueId });
  return (
    <button
      type="button"
      className="button small filter-chosen"
      title="Filter by parent issue"
      onClick={onOpen}
    >
      <span className="only-read">Filter by parent issue </span>
      <span className="cut">Parent issue: {data?.identifier ?? "…"}</span>
    </button>
  );
};
