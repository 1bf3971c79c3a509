import { type Queries, readBefore, readPagesBefore } from "../live/calls.ts";
import { readThingNamesBefore } from "./activity/thing-names.ts";
import {
  defaultIssueOrder,
  inboxEntries,
  issueRowsOf,
  mostCostlyIssues,
  openIssuesIn,
  runsIn,
} from "./list-inputs.ts";
import { monthNow, periodBefore } from "./spend/month.ts";

const readIssuesBefore = (queries: Queries, companyId: string): void => {
  const asked = openIssuesIn(companyId);
  const rows = issueRowsOf(asked, { sort: defaultIssueOrder, isGrouped: false });
  void readPagesBefore(queries, "issues.list", rows);
  void readBefore(queries, "issues.count", asked);
  void readBefore(queries, "projects.list", { companyId });
  void readBefore(queries, "goals.list", { companyId });
  void readBefore(queries, "labels.list", { companyId });
  void readBefore(queries, "savedViews.list", { companyId });
};

const readSpendBefore = async (queries: Queries, companyId: string): Promise<void> => {
  const { from, to } = periodBefore(monthNow());
  void readBefore(queries, "costs.usageWindows", { companyId });
  void readBefore(queries, "costs.summary", { companyId, from, to });
  const summary = await readBefore(queries, "costs.summary", { companyId });
  if (summary === undefined || summary.eventCount === 0) return;
  void readBefore(queries, "costs.byDay", { companyId });
  void readBefore(queries, "costs.byAgentAndDay", { companyId });
  void readBefore(queries, "costs.byAgent", { companyId });
  void readBefore(queries, "costs.byProject", { companyId });
  void readBefore(queries, "costs.byIssue", { companyId, count: mostCostlyIssues });
  void readBefore(queries, "costs.byProvider", { companyId });
};

const readActivityBefore = async (queries: Queries, companyId: string): Promise<void> => {
  const entries = await readPagesBefore(queries, "activity.list", { companyId });
  readThingNamesBefore(queries, companyId, entries);
};

type ReadList = (queries: Queries, companyId: string) => unknown;

/** The first reads of the lists in the sidebar, by their path in the company. */
const readsOfLists: ReadonlyMap<string, ReadList> = new Map<string, ReadList>([
  ["pulse", (queries, companyId) => readBefore(queries, "companies.pulse", { companyId })],
  ["issues", readIssuesBefore],
  ["agents", (queries, companyId) => readBefore(queries, "agents.list", { companyId })],
  ["runs", (queries, companyId) => readPagesBefore(queries, "runs.list", runsIn(companyId))],
  ["spend", readSpendBefore],
  ["activity", readActivityBefore],
]);

/** Begins the first reads of a list of a company, where they aren't kept yet; nothing for other paths. */
export const readListBefore = (queries: Queries, path: string, companyId: string): void =>
  void readsOfLists.get(path)?.(queries, companyId);

export const readInboxBefore = (queries: Queries): void =>
  void readPagesBefore(queries, "inbox.list", inboxEntries);
