import { type ReactNode, useState } from "react";
import { useSearchParams } from "wouter";
import { doneKinds } from "../../../../core/model/issues/done-as.ts";
import { issueStatuses, openStatuses, priorities } from "../../../../core/model/issues/issue-status.ts";
import { type InputOf, useRead } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany } from "../../nouns/companies/company.tsx";
import { priorityOptions } from "../../nouns/issues/priority-options.ts";
import { displayOf } from "../../nouns/status.tsx";
import { FilterChoice, FilterMenu } from "../../widgets/filter-menu.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { PartOfDialog } from "./part-of-dialog.tsx";

interface ControlProps {
  /** As the address says it; empty: all. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One way to narrow the list: its control, and its part of the query. Its name is that in the address. */
interface Filter {
  /** null: it stands before the others. */
  readonly Control: ((props: ControlProps) => ReactNode) | null;
  /** Of a value from an address, which may say anything. */
  readonly query: (value: string) => Partial<InputOf<"issues.list">>;
}

/** Some of a few known values, separated by commas. */
const several = <Value extends string>(
  known: readonly Value[],
  words: Omit<Parameters<typeof FilterChoice<Value>>[0], "chosen" | "onChange">,
  query: (chosen: readonly Value[]) => Partial<InputOf<"issues.list">>,
): Filter => {
  const chosenIn = (value: string) => known.filter((each) => value.split(",").includes(each));
  return {
    Control: ({ value, onChange }) => (
      <FilterChoice {...words} chosen={chosenIn(value)} onChange={(next) => onChange(next.join(","))} />
    ),
    query: (value) => query(chosenIn(value)),
  };
};

/** The prefix of a person's id in the address. */
const ofPerson = "person:";

interface ActorChoice {
  /** As the address says it. */
  readonly to: string;
  readonly name: string;
  readonly kind?: "person" | "agent";
}

/** Agents and people of the company shown, to choose one of them. */
const useActors = (): readonly ActorChoice[] => {
  const { id: companyId } = useCompany();
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const { data: people = [] } = useRead("members.people", { companyId });
  const self = useSession();
  return [
    { to: "me", name: "Me" },
    ...people
      .filter(({ userId }) => userId !== self.userId)
      .map(({ userId, name }) => ({ to: `${ofPerson}${userId}`, name, kind: "person" as const })),
    ...agents.map(({ id, name }) => ({ to: id, name, kind: "agent" as const })),
  ];
};

interface ActorControlProps extends ControlProps {
  readonly label: string;
  /** The other choices; the first is the empty value. */
  readonly others: readonly ActorChoice[];
  /** "By Ada" */
  readonly before?: string;
}

const ActorControl = ({ label, others, before = "", value, onChange }: ActorControlProps) => {
  const actors = useActors();
  const chosen = actors.find(({ to }) => to === value);
  return (
    <FilterMenu
      label={label}
      shown={
        chosen === undefined
          ? (others.find(({ to }) => to === value) ?? others[0])?.name
          : `${before}${chosen.name}`
      }
      isNarrowed={value !== ""}
      items={[...others, ...actors].map(({ to, name, kind }) => ({
        label: name,
        ...(kind === undefined ? {} : { mark: <Avatar kind={kind} name={name} /> }),
        isChosen: to === value,
        run: () => onChange(to),
      }))}
    />
  );
};

const AssigneeControl = (control: ControlProps) => (
  <ActorControl
    {...control}
    label="Filter by assignee"
    others={[
      { to: "", name: "Assignee" },
      { to: "null", name: "Unassigned" },
    ]}
  />
);

const CreatorControl = (control: ControlProps) => (
  <ActorControl
    {...control}
    label="Filter by creator"
    before="Created by "
    others={[{ to: "", name: "Anyone" }]}
  />
);

interface OneOfProps extends ControlProps {
  readonly label: string;
  readonly all: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
}

/** One of the company's things, or all. */
const OneOf = ({ label, all, options, value, onChange }: OneOfProps) =>
  options.length === 0 ? null : (
    <FilterMenu
      label={label}
      shown={options.find(({ id }) => id === value)?.name ?? all}
      isNarrowed={value !== ""}
      items={[{ id: "", name: all }, ...options].map(({ id, name }) => ({
        label: name,
        isChosen: id === value,
        run: () => onChange(id),
      }))}
    />
  );

const ProjectControl = (control: ControlProps) => {
  const { id: companyId } = useCompany();
  const { data } = useRead("projects.list", { companyId });
  return <OneOf {...control} label="Filter by project" all="Any project" options={data?.items ?? []} />;
};

const GoalControl = (control: ControlProps) => {
  const { id: companyId } = useCompany();
  const { data } = useRead("goals.list", { companyId });
  const options = (data?.items ?? []).map(({ id, title }) => ({ id, name: title }));
  return <OneOf {...control} label="Filter by goal" all="Any goal" options={options} />;
};

const LabelControl = (control: ControlProps) => {
  const { id: companyId } = useCompany();
  const { data = [] } = useRead("labels.list", { companyId });
  return <OneOf {...control} label="Filter by label" all="Any label" options={data} />;
};

/** Issues are many: the parent is found by its words. */
const ParentControl = ({ value, onChange }: ControlProps) => {
  const [isOpen, setOpen] = useState(false);
  const { data } = useRead("issues.get", { issueId: value }, { enabled: value !== "" });
  return (
    <>
      <button
        type="button"
        className={value === "" ? "button small" : "button small filter-chosen"}
        title="Filter by parent"
        onClick={() => setOpen(true)}
      >
        <span className="only-read">Filter by parent </span>
        <span className="cut">{value === "" ? "Parent" : `Parent: ${data?.identifier ?? "an issue"}`}</span>
        <Icon name="chevron-down" size={14} />
      </button>
      {isOpen ? (
        <PartOfDialog
          title="Show sub-issues of an issue"
          none={value === "" ? null : "Any issue"}
          without={[value]}
          onChoose={(parentId) => onChange(parentId ?? "")}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
};

const statusOptions = issueStatuses.map((value) => {
  const { word, icon } = displayOf("issue", value);
  return { value, label: word, icon };
});

const doneOptions = doneKinds.map((id) => ({ id, name: displayOf("issue", id).word }));

/** Every way to narrow the list, in the order of the controls. */
const filters = {
  q: { Control: null, query: (q) => (q === "" ? {} : { q }) },
  status: several(
    issueStatuses,
    { label: "Filter by status", all: "Open", several: "statuses", options: statusOptions },
    (chosen) => ({ status: chosen.length === 0 ? openStatuses : chosen }),
  ),
  done: {
    Control: (control) => (
      <OneOf {...control} label="Filter by completion" all="Any completion" options={doneOptions} />
    ),
    query: (done) => {
      const doneAs = doneKinds.find((kind) => kind === done);
      return doneAs === undefined ? {} : { doneAs, status: ["done"] };
    },
  },
  assignee: {
    Control: AssigneeControl,
    query: (assignee) =>
      assignee === ""
        ? {}
        : assignee === "me" || assignee.startsWith(ofPerson)
          ? { assigneeUserId: assignee.replace(ofPerson, "") }
          : { assigneeAgentId: assignee },
  },
  creator: {
    Control: CreatorControl,
    query: (creator) =>
      creator === ""
        ? {}
        : creator === "me" || creator.startsWith(ofPerson)
          ? { createdByUserId: creator.replace(ofPerson, "") }
          : { createdByAgentId: creator },
  },
  project: { Control: ProjectControl, query: (projectId) => (projectId === "" ? {} : { projectId }) },
  goal: { Control: GoalControl, query: (goalId) => (goalId === "" ? {} : { goalId }) },
  label: { Control: LabelControl, query: (labelId) => (labelId === "" ? {} : { labelIds: [labelId] }) },
  parent: { Control: ParentControl, query: (parentId) => (parentId === "" ? {} : { parentId }) },
  priority: several(
    priorities,
    { label: "Filter by priority", all: "Any priority", several: "priorities", options: priorityOptions },
    (chosen) => (chosen.length === 0 ? {} : { priority: chosen }),
  ),
} as const satisfies Readonly<Record<string, Filter>>;

type FilterName = keyof typeof filters;
const filterNames = Object.keys(filters) as readonly FilterName[];

/** Which issues are shown, as the address says it: a link shows the same list to somebody else. */
export interface IssueFilters {
  readonly values: Readonly<Record<FilterName, string>>;
  readonly sort: "priority" | "activity";
  readonly view: "list" | "board";
  readonly group: IssueGrouping;
}

/** The fields by which the list can be grouped. */
export const issueGroupings = ["none", "status", "assignee"] as const;
export type IssueGrouping = (typeof issueGroupings)[number];

type Changes = Partial<Readonly<Record<FilterName | "sort" | "view" | "group", string>>>;

/** The filters, and what changes some of them; an empty value leaves the address. */
export const useIssueFilters = (): readonly [IssueFilters, (changes: Changes) => void] => {
  const [params, setParams] = useSearchParams();
  const values = Object.fromEntries(filterNames.map((name) => [name, params.get(name) ?? ""]));
  const change = (changes: Changes) =>
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
  return [
    {
      values: values as IssueFilters["values"],
      sort: params.get("sort") === "activity" ? "activity" : "priority",
      view: params.get("view") === "board" ? "board" : "list",
      group: issueGroupings.find((each) => each === params.get("group")) ?? "none",
    },
    change,
  ];
};

/** The query of the list of issues. */
export const inputOf = (companyId: string, { values }: IssueFilters): InputOf<"issues.list"> =>
  Object.assign({ companyId }, ...filterNames.map((name) => filters[name].query(values[name])));

/** Whether the list shows less than all open issues. */
export const isNarrowed = ({ values }: IssueFilters): boolean => Object.values(values).some(Boolean);

/** Shows all open issues. */
export const noFilters: Changes = Object.fromEntries(filterNames.map((name) => [name, ""]));

/** The controls of the filters but the search. */
export const FilterControls = ({
  values,
  onChange,
}: {
  readonly values: IssueFilters["values"];
  readonly onChange: (changes: Changes) => void;
}) =>
  filterNames.map((name) => {
    const { Control } = filters[name];
    return Control === null ? null : (
      <Control key={name} value={values[name]} onChange={(value) => onChange({ [name]: value })} />
    );
  });
