import { useSearchParams } from "wouter";
import {
  type IssueStatus,
  isClosed,
  issueStatuses,
  type Priority,
  priorities,
} from "../../../../core/issues/issue-status.ts";

/** Which issues are shown, as the address says it: a link shows the same list to somebody else. */
export interface IssueFilters {
  /** Empty: all that are open. */
  readonly statuses: readonly IssueStatus[];
  /** An agent's id, `person:` and a person's, `me`, or `null` for issues that nobody owns. */
  readonly assignee: string | null;
  readonly project: string | null;
  readonly priorities: readonly Priority[];
  readonly q: string;
  readonly sort: "priority" | "activity";
  readonly view: "list" | "board";
}

const openStatuses: readonly IssueStatus[] = issueStatuses.filter((status) => !isClosed(status));

/** The filters, and what changes some of them; what is not set is not in the address. */
export const useIssueFilters = (): readonly [IssueFilters, (changes: Partial<IssueFilters>) => void] => {
  const [params, setParams] = useSearchParams();
  const asked = (params.get("status") ?? "").split(",");
  const filters: IssueFilters = {
    statuses: issueStatuses.filter((status) => asked.includes(status)),
    assignee: params.get("assignee"),
    project: params.get("project"),
    priorities: priorities.filter((each) => (params.get("priority") ?? "").split(",").includes(each)),
    q: params.get("q") ?? "",
    sort: params.get("sort") === "activity" ? "activity" : "priority",
    view: params.get("view") === "board" ? "board" : "list",
  };
  const change = (changes: Partial<IssueFilters>) => {
    const next = { ...filters, ...changes };
    const set = (before: URLSearchParams) => {
      const after = new URLSearchParams(before);
      const put = (name: string, value: string | null) =>
        value === null || value === "" ? after.delete(name) : after.set(name, value);
      put("status", next.statuses.join(","));
      put("assignee", next.assignee);
      put("project", next.project);
      put("priority", next.priorities.join(","));
      put("q", next.q);
      put("sort", next.sort === "priority" ? null : next.sort);
      put("view", next.view === "list" ? null : next.view);
      return after;
    };
    setParams(set, { replace: true });
  };
  return [filters, change];
};

/** The prefix of a person's id in the address. */
export const ofPerson = "person:";

/** The query of the list of issues. */
export const inputOf = (companyId: string, { statuses, assignee, project, priorities, q }: IssueFilters) => ({
  companyId,
  ...(priorities.length === 0 ? {} : { priority: priorities }),
  status: statuses.length === 0 ? openStatuses : statuses,
  ...(assignee === null
    ? {}
    : assignee === "me" || assignee.startsWith(ofPerson)
      ? { assigneeUserId: assignee.replace(ofPerson, "") }
      : { assigneeAgentId: assignee }),
  ...(project === null ? {} : { projectId: project }),
  ...(q === "" ? {} : { q }),
});

/** Whether the list shows less than all open issues. */
export const isNarrowed = ({ statuses, assignee, project, priorities, q }: IssueFilters): boolean =>
  statuses.length > 0 || priorities.length > 0 || assignee !== null || project !== null || q !== "";

/** The filter that shows all open issues. */
export const noFilters = { statuses: [], priorities: [], assignee: null, project: null, q: "" } as const;
