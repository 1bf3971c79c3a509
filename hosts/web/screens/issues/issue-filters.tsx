import { useSearchParams } from "wouter";
import { doneKinds } from "../../../../core/model/issues/done-as.ts";
import { type IssueOrder, issueOrders } from "../../../../core/model/issues/issue-order.ts";
import { issueStatuses, priorities } from "../../../../core/model/issues/issue-status.ts";
import { type InputOf, useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany } from "../../nouns/companies/company.tsx";
import { LabelDot } from "../../nouns/issues/label-dot.tsx";
import { defaultIssueOrder, openIssuesIn } from "../../nouns/list-inputs.ts";
import { displayOf, priorityDisplays } from "../../nouns/status.tsx";
import type { MenuItem } from "../../widgets/menu.tsx";

type Query = Partial<InputOf<"issues.list">>;

/** The prefix of a person's id in the address. */
const ofPerson = "person:";

/** The known values that an address names, separated by commas. */
const chosenOf = <Value extends string>(known: readonly Value[], value: string): readonly Value[] =>
  known.filter((each) => value.split(",").includes(each));

/** One way to narrow the list: its part of the query, by its value in the address, which may say anything. */
interface Filter {
  readonly query: (value: string) => Query;
}

const filters = {
  q: { query: (q) => (q === "" ? {} : { q }) },
  status: {
    query: (value) => {
      const status = chosenOf(issueStatuses, value);
      return status.length === 0 ? {} : { status };
    },
  },
  assignee: {
    query: (assignee) =>
      assignee === ""
        ? {}
        : assignee === "me" || assignee.startsWith(ofPerson)
          ? { assigneeUserId: assignee.replace(ofPerson, "") }
          : { assigneeAgentId: assignee },
  },
  priority: {
    query: (value) => {
      const priority = chosenOf(priorities, value);
      return priority.length === 0 ? {} : { priority };
    },
  },
  label: { query: (value) => (value === "" ? {} : { labelIds: value.split(",") }) },
  project: { query: (projectId) => (projectId === "" ? {} : { projectId }) },
  goal: { query: (goalId) => (goalId === "" ? {} : { goalId }) },
  parent: { query: (parentId) => (parentId === "" ? {} : { parentId }) },
  creator: {
    query: (creator) =>
      creator === ""
        ? {}
        : creator === "me" || creator.startsWith(ofPerson)
          ? { createdByUserId: creator.replace(ofPerson, "") }
          : { createdByAgentId: creator },
  },
  done: {
    query: (done) => {
      const doneAs = doneKinds.find((kind) => kind === done);
      return doneAs === undefined ? {} : { doneAs, status: ["done"] };
    },
  },
} as const satisfies Readonly<Record<string, Filter>>;

export type FilterName = keyof typeof filters;
export const filterNames = Object.keys(filters) as readonly FilterName[];

export type FilterValues = Readonly<Record<FilterName, string>>;

/** The fields by which issues can be grouped; a board has columns always. */
export const issueGroupings = {
  list: ["none", "status", "assignee", "priority", "project"],
  board: ["status", "assignee", "priority", "project"],
} as const;
export type IssueGrouping = (typeof issueGroupings)["list"][number];

/** The fields of a row or a card next to title and status, unless the person leaves them out. */
export const issueColumns = ["priority", "identifier", "labels", "project", "assignee", "updated"] as const;
export type IssueColumn = (typeof issueColumns)[number];

/** Which issues are shown and how, as the address says it: a link shows the same list to somebody else. */
export interface IssueFilters {
  readonly values: FilterValues;
  /** Closed issues are shown, too, where no status is chosen. */
  readonly closed: boolean;
  readonly sort: IssueOrder;
  readonly view: "list" | "board";
  readonly group: IssueGrouping;
  readonly columns: ReadonlySet<IssueColumn>;
}

/** The names in the address of how the list is shown. */
const displayNames = ["closed", "sort", "view", "group", "columns"] as const;

export type FilterChanges = Partial<Readonly<Record<FilterName | (typeof displayNames)[number], string>>>;

const columnsOf = (value: string | null): ReadonlySet<IssueColumn> =>
  new Set(value === null ? issueColumns : chosenOf(issueColumns, value));

/** How the address names some columns; empty: it need not. */
export const columnsNamed = (columns: ReadonlySet<IssueColumn>): string =>
  columns.size === issueColumns.length ? "" : columns.size === 0 ? "none" : [...columns].join(",");

const filtersIn = (params: URLSearchParams): IssueFilters => {
  const view = params.get("view") === "board" ? "board" : "list";
  return {
    values: Object.fromEntries(
      filterNames.map((name) => [name, params.get(name) ?? ""]),
    ) as unknown as FilterValues,
    closed: params.has("closed"),
    sort: issueOrders.find((each) => each === params.get("sort")) ?? defaultIssueOrder,
    view,
    group: issueGroupings[view].find((each) => each === params.get("group")) ?? issueGroupings[view][0],
    columns: columnsOf(params.get("columns")),
  };
};

/** The filters, and what changes some of them; an empty value leaves the address. */
export const useIssueFilters = (): readonly [IssueFilters, (changes: FilterChanges) => void] => {
  const [params, setParams] = useSearchParams();
  const change = (changes: FilterChanges) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes))
          if (value === "") after.delete(name);
          else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return [filtersIn(params), change];
};

/** The query of the list of issues. */
export const inputOf = (companyId: string, { values, closed }: IssueFilters): InputOf<"issues.list"> =>
  Object.assign(
    closed ? { companyId } : openIssuesIn(companyId),
    ...filterNames.map((name) => filters[name].query(values[name])),
  );

/** Whether the list shows less than all open issues. */
export const isNarrowed = ({ values }: IssueFilters): boolean => Object.values(values).some(Boolean);

/** Shows all open issues. */
export const noFilters: FilterChanges = Object.fromEntries(filterNames.map((name) => [name, ""]));

/** One way to narrow the list, with the values to choose. */
export interface FilterField {
  readonly name: FilterName;
  /** "Status" */
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The chosen values in words; null: none is chosen. */
  readonly shown: string | null;
}

interface Choice extends Pick<MenuItem, "icon" | "mark"> {
  /** As the address says it. */
  readonly to: string;
  readonly name: string;
}

/** Agents and people of the company shown. */
const useActors = (): readonly Choice[] => {
  const { id: companyId } = useCompany();
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const { data: people = [] } = useRead("members.people", { companyId });
  const self = useSession();
  const mark = (kind: "person" | "agent", name: string) => <Avatar kind={kind} name={name} />;
  return [
    { to: "me", name: "Me", mark: mark("person", self.name) },
    ...people
      .filter(({ userId }) => userId !== self.userId)
      .map(({ userId, name }) => ({ to: `${ofPerson}${userId}`, name, mark: mark("person", name) })),
    ...agents.map(({ id, name }) => ({ to: id, name, mark: mark("agent", name) })),
  ];
};

const statusChoices = issueStatuses.map((to): Choice => {
  const { label, icon } = displayOf("issue", to);
  return { to, name: label, icon };
});
const priorityChoices = priorities.map((to): Choice => {
  const { label, icon } = priorityDisplays[to];
  return { to, name: label, icon };
});
const doneChoices = doneKinds.map((to): Choice => {
  const { label, icon } = displayOf("issue", to);
  return { to, name: label, icon };
});

/** The values of each filter; those of things that the company does not have are left out. */
const useFilterChoices = (): readonly (Pick<FilterField, "name" | "label"> & {
  readonly choices: readonly Choice[];
  /** More than one value can be chosen. */
  readonly isSeveral?: boolean;
})[] => {
  const { id: companyId } = useCompany();
  const { data: projects } = useRead("projects.list", { companyId });
  const { data: goals } = useRead("goals.list", { companyId });
  const { data: labels = [] } = useRead("labels.list", { companyId });
  const actors = useActors();
  return [
    { name: "status", label: "Status", choices: statusChoices, isSeveral: true },
    {
      name: "assignee",
      label: "Assignee",
      choices: [{ to: "null", name: "Unassigned", icon: "user" }, ...actors],
    },
    { name: "priority", label: "Priority", choices: priorityChoices, isSeveral: true },
    {
      name: "label",
      label: "Label",
      choices: labels.map(({ id, name, color }) => ({ to: id, name, mark: <LabelDot color={color} /> })),
      isSeveral: true,
    },
    {
      name: "project",
      label: "Project",
      choices: (projects?.items ?? []).map(({ id, name }) => ({ to: id, name, icon: "folder" })),
    },
    {
      name: "goal",
      label: "Goal",
      choices: (goals?.items ?? []).map(({ id, title }) => ({ to: id, name: title, icon: "target" })),
    },
    { name: "creator", label: "Creator", choices: actors },
    { name: "done", label: "Completion", choices: doneChoices },
  ];
};

/** The filters whose values are chosen from a menu; the parent is found by its words, and the search has a field. */
export const useFilterFields = (
  values: FilterValues,
  onChange: (changes: FilterChanges) => void,
): readonly FilterField[] =>
  useFilterChoices().flatMap(({ name, label, choices, isSeveral = false }): FilterField[] => {
    if (choices.length === 0) return [];
    const chosen = values[name] === "" ? [] : values[name].split(",");
    const toggled = (to: string) =>
      !isSeveral
        ? chosen.includes(to)
          ? []
          : [to]
        : chosen.includes(to)
          ? chosen.filter((each) => each !== to)
          : [...chosen, to];
    const names = choices.filter(({ to }) => chosen.includes(to)).map((each) => each.name);
    return [
      {
        name,
        label,
        items: choices.map(({ to, name: choice, ...mark }) => ({
          label: choice,
          ...mark,
          isChosen: chosen.includes(to),
          run: () => onChange({ [name]: toggled(to).join(",") }),
        })),
        shown: chosen.length === 0 ? null : names.join(", ") || "…",
      },
    ];
  });
