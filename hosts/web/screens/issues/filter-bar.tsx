import { useEffect, useState } from "react";
import { issueStatuses } from "../../../../core/issues/issue-status.ts";
import { useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { IconButton } from "../../parts/button.tsx";
import { FilterChoice, FilterMenu } from "../../parts/filter-menu.tsx";
import { Icon } from "../../parts/icon.tsx";
import { priorityOptions } from "../../parts/priority-options.ts";
import { displayOf } from "../../parts/status.tsx";
import { useCompany } from "../../shell/company.tsx";
import { type IssueFilters, isNarrowed, noFilters, ofPerson } from "./issue-filters.ts";

interface FilterBarProps {
  readonly filters: IssueFilters;
  readonly onChange: (changes: Partial<IssueFilters>) => void;
  readonly count: number | undefined;
}

const statusOptions = issueStatuses.map((value) => {
  const { word, icon } = displayOf("issue", value);
  return { value, label: word, icon };
});

const sortWords = { priority: "Most urgent first", activity: "Last active first" } as const;

/** How long typing pauses before the list is read again, in milliseconds. */
const restMs = 200;

export const FilterBar = ({ filters, onChange, count }: FilterBarProps) => {
  const { id: companyId } = useCompany();
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const { data: people = [] } = useRead("members.people", { companyId });
  const self = useSession();
  const { data: projects } = useRead("projects.list", { companyId });
  const [q, setQ] = useState(filters.q);
  useEffect(() => {
    if (q.trim() === filters.q) return;
    const timer = setTimeout(() => onChange({ q: q.trim() }), restMs);
    return () => clearTimeout(timer);
  }, [q]);
  useEffect(() => setQ(filters.q), [filters.q]);
  const { statuses, assignee, project, priorities: chosen } = filters;
  const owners = [
    { value: null, name: "Anybody" },
    { value: "null", name: "Nobody" },
    { value: "me", name: "Me" },
    ...people
      .filter(({ userId }) => userId !== self.userId)
      .map(({ userId, name }) => ({ value: `${ofPerson}${userId}`, name, kind: "person" as const })),
    ...agents.map(({ id, name }) => ({ value: id, name, kind: "agent" as const })),
  ];
  const assigneeName = owners.find(({ value }) => value === assignee)?.name ?? "Anybody";
  const projectName = projects?.items.find(({ id }) => id === project)?.name ?? "Any project";
  return (
    <search className="filters">
      <div className="issues-find">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Find in issues"
          placeholder="Find in issues"
          value={q}
          onChange={(event) => setQ(event.target.value)}
        />
      </div>
      <FilterChoice
        label="Filter by status"
        all="Open"
        several="statuses"
        options={statusOptions}
        chosen={statuses}
        onChange={(next) => onChange({ statuses: next })}
      />
      <FilterMenu
        label="Filter by assignee"
        shown={assigneeName}
        isNarrowed={assignee !== null}
        items={owners.map(({ value, name, ...of }) => ({
          label: name,
          ...("kind" in of ? { mark: <Avatar kind={of.kind} name={name} /> } : {}),
          isChosen: assignee === value,
          run: () => onChange({ assignee: value }),
        }))}
      />
      {projects === undefined || projects.items.length === 0 ? null : (
        <FilterMenu
          label="Filter by project"
          shown={projectName}
          isNarrowed={project !== null}
          items={[
            { label: "Any project", isChosen: project === null, run: () => onChange({ project: null }) },
            ...projects.items.map(({ id, name }) => ({
              label: name,
              isChosen: project === id,
              run: () => onChange({ project: id }),
            })),
          ]}
        />
      )}
      <FilterChoice
        label="Filter by priority"
        all="Any priority"
        several="priorities"
        options={priorityOptions}
        chosen={chosen}
        onChange={(next) => onChange({ priorities: next })}
      />
      <FilterMenu
        label="Sort"
        shown={sortWords[filters.sort]}
        isNarrowed={false}
        items={(["priority", "activity"] as const).map((sort) => ({
          label: sortWords[sort],
          isChosen: filters.sort === sort,
          run: () => onChange({ sort }),
        }))}
      />
      {isNarrowed(filters) ? (
        <IconButton icon="x" label="Clear the filters" small onClick={() => onChange(noFilters)} />
      ) : null}
      <span className="issues-count muted" role="status">
        {count === undefined ? "" : `${count.toLocaleString()} ${count === 1 ? "issue" : "issues"}`}
      </span>
    </search>
  );
};
