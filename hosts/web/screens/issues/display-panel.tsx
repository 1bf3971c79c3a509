import type { IssueOrder } from "../../../../core/model/issues/issue-order.ts";
import { defaultIssueOrder } from "../../nouns/list-inputs.ts";
import { Button } from "../../widgets/button.tsx";
import { CheckField, SelectField } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Panel } from "../../widgets/panel.tsx";
import {
  columnsNamed,
  type FilterChanges,
  type IssueColumn,
  type IssueFilters,
  type IssueGrouping,
  issueColumns,
  issueGroupings,
} from "./issue-filters.tsx";

const orderLabels: Readonly<Record<IssueOrder, string>> = {
  priority: "Priority",
  activity: "Last updated",
  newest: "Newest first",
  created: "Oldest first",
};

const groupLabels: Readonly<Record<IssueGrouping, string>> = {
  none: "No grouping",
  status: "Status",
  assignee: "Assignee",
  priority: "Priority",
  project: "Project",
};

const columnLabels: Readonly<Record<IssueColumn, string>> = {
  priority: "Priority",
  identifier: "ID",
  labels: "Labels",
  project: "Project",
  assignee: "Assignee",
  updated: "Updated",
};

const optionsIn = <Value extends string>(labels: Readonly<Record<Value, string>>, values: readonly Value[]) =>
  values.map((value) => ({ value, label: labels[value] }));

interface DisplayPanelProps {
  readonly filters: IssueFilters;
  readonly onChange: (changes: FilterChanges) => void;
}

/** How the issues are shown: as a list or a board, grouped, in which order, with which columns. */
export const DisplayPanel = ({ filters, onChange }: DisplayPanelProps) => {
  const { view, group, sort, columns, closed } = filters;
  const groupings: readonly IssueGrouping[] = issueGroupings[view];
  const toggle = (column: IssueColumn) => {
    const next = new Set(issueColumns.filter((each) => columns.has(each) !== (each === column)));
    onChange({ columns: columnsNamed(next) });
  };
  return (
    <Panel
      label="Display"
      opensBy={{ keys: "V", does: "Change how issues are shown" }}
      button={
        <>
          <Icon name="sliders-horizontal" /> Display
        </>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together */}
      <div role="group" aria-label="Layout" className="choice-row">
        <Button small icon="list" aria-pressed={view === "list"} onClick={() => onChange({ view: "" })}>
          List
        </Button>
        <Button
          small
          icon="columns-3"
          aria-pressed={view === "board"}
          onClick={() => onChange({ view: "board" })}
        >
          Board
        </Button>
      </div>
      <SelectField
        label={view === "board" ? "Columns" : "Grouping"}
        name="group"
        options={optionsIn(groupLabels, groupings)}
        value={group}
        onChange={(next) => onChange({ group: next === groupings[0] ? "" : next })}
      />
      <SelectField
        label="Ordering"
        name="sort"
        options={optionsIn(orderLabels, Object.keys(orderLabels) as IssueOrder[])}
        value={sort}
        onChange={(next) => onChange({ sort: next === defaultIssueOrder ? "" : next })}
      />
      <CheckField
        label="Show closed issues"
        name="closed"
        checked={closed}
        onChange={(next) => onChange({ closed: next ? "1" : "" })}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that stand together */}
      <div role="group" aria-label="Shown fields" className="choice-row">
        {issueColumns.map((column) => (
          <Button key={column} small aria-pressed={columns.has(column)} onClick={() => toggle(column)}>
            {columnLabels[column]}
          </Button>
        ))}
      </div>
    </Panel>
  );
};
