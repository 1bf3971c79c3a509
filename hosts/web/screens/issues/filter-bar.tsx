import { useEffect, useState } from "react";
import { issueStatuses, priorities } from "../../../../core/issues/issue-status.ts";
import { useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { lookOf, priorityWord } from "../../parts/status.tsx";
import { useCompany } from "../../shell/company.tsx";
import { type IssueFilters, isNarrowed, noFilters, ofPerson } from "./issue-filters.ts";

interface FilterBarProps {
  readonly filters: IssueFilters;
  readonly onChange: (changes: Partial<IssueFilters>) => void;
  readonly count: number | undefined;
}

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
    <search className="issues-filters">
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
      <Menu
        label="Filter by status"
        className={statuses.length === 0 ? "button small" : "button small chosen"}
        button={
          <>
            {statuses.length === 0
              ? "Open"
              : statuses.length === 1
                ? lookOf("issue", statuses[0]!).word
                : `${statuses.length} statuses`}
            <Icon name="chevron-down" size={14} />
          </>
        }
        items={[
          {
            label: "All that are open",
            isChosen: statuses.length === 0,
            run: () => onChange({ statuses: [] }),
          },
          ...issueStatuses.map((status) => ({
            label: lookOf("issue", status).word,
            icon: lookOf("issue", status).icon,
            isChosen: statuses.includes(status),
            run: () =>
              onChange({
                statuses: statuses.includes(status)
                  ? statuses.filter((each) => each !== status)
                  : [...statuses, status],
              }),
          })),
        ]}
      />
      <Menu
        label="Filter by assignee"
        className={assignee === null ? "button small" : "button small chosen"}
        button={
          <>
            {assigneeName}
            <Icon name="chevron-down" size={14} />
          </>
        }
        items={owners.map(({ value, name, ...of }) => ({
          label: name,
          ...("kind" in of ? { mark: <Avatar kind={of.kind} name={name} /> } : {}),
          isChosen: assignee === value,
          run: () => onChange({ assignee: value }),
        }))}
      />
      {projects === undefined || projects.items.length === 0 ? null : (
        <Menu
          label="Filter by project"
          className={project === null ? "button small" : "button small chosen"}
          button={
            <>
              {projectName}
              <Icon name="chevron-down" size={14} />
            </>
          }
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
      <Menu
        label="Filter by priority"
        className={chosen.length === 0 ? "button small" : "button small chosen"}
        button={
          <>
            {chosen.length === 0
              ? "Any priority"
              : chosen.length === 1
                ? priorityWord(chosen[0]!)
                : `${chosen.length} priorities`}
            <Icon name="chevron-down" size={14} />
          </>
        }
        items={[
          { label: "Any priority", isChosen: chosen.length === 0, run: () => onChange({ priorities: [] }) },
          ...priorities.map((priority) => ({
            label: priorityWord(priority),
            isChosen: chosen.includes(priority),
            run: () =>
              onChange({
                priorities: chosen.includes(priority)
                  ? chosen.filter((each) => each !== priority)
                  : [...chosen, priority],
              }),
          })),
        ]}
      />
      <Menu
        label="Sort"
        className="button small quiet"
        button={
          <>
            {sortWords[filters.sort]}
            <Icon name="chevron-down" size={14} />
          </>
        }
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
