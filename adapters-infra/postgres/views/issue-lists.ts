import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { type IssueStatus, issueStatuses } from "../../../core/issues/issue-status.ts";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { Instant } from "../../../core/shared/instant.ts";
import type { IssueFilter, IssueListing, IssueViews, ListedIssue } from "../../../ports/views/issue-views.ts";
import {
  type CursorInvalid,
  JsonText,
  type Page,
  type PageRequest,
  shownAs,
} from "../../../ports/views/page.ts";
import { issueColumns, listedIssueColumns } from "../columns.ts";
import { byActivity, byId, byUrgency, inText, readPage, type TextRow } from "../cursor.ts";
import { type Database, plannedForItsValues } from "../database.ts";
import { withInstants } from "../json-rows.ts";
import { withLabels } from "./label-views.ts";
import { fewIssuesWith, issuesWith, matchesWords } from "./search-views.ts";

export const issueLists = (database: Database): Pick<IssueViews, "list" | "count"> => ({
  list: ({ sort, slim = false, ...filter }, page) =>
    withWords(database, filter).pipe(
      Effect.flatMap((having) => listIn(sort, database, filter, { having, slim }, page)),
      Effect.map(shownAs(({ text }) => new JsonText<ListedIssue>(withInstants(text)))),
    ),
  count: ({ companyId, statuses, ...narrower }) => {
    const isKept = Object.values(narrower).every((value) => value === undefined);
    return database
      .first(
        isKept
          ? keptCount(companyId, statuses ?? issueStatuses)
          : plannedForItsValues(countIssues({ companyId, statuses, ...narrower })),
      )
      .pipe(Effect.map((row) => row?.count ?? 0));
  },
});

const listIn = (
  sort: IssueListing["sort"],
  database: Database,
  filter: IssueFilter,
  rows: Rows,
  page: PageRequest,
): Effect.Effect<Page<TextRow>, CursorInvalid> => {
  const list = {
    kind: `issues.${sort}`,
    of: { ...filter },
    anyPlan: sort === "priority" && !isSearched(filter),
  } as const;
  switch (sort) {
    case "created":
      return readPage(database, list, inText(byId), page, issuesByCreation(filter, rows));
    case "activity":
      return readPage(database, list, inText(byActivity), page, issuesByActivity(filter, rows));
    case "priority":
      return readPage(database, list, inText(byUrgency), page, issuesByUrgency(filter, rows));
  }
};

/** These have a best plan for each value; the other filters are columns of one index. */
const isSearched = ({ labelIds, priorities, updatedSince, q }: IssueFilter): boolean =>
  [labelIds, priorities, updatedSince, q].some((value) => value !== undefined);

/** Restricts `issues` to those with the words of the filter. */
type Having = (sql: Sql) => Fragment;

/**
 * Looks first how many issues have the words. A few are found by the words, and then put in order; where many have
 * them, it is quicker to walk in order and test each issue.
 */
const withWords = (database: Database, { companyId, q }: IssueFilter): Effect.Effect<Having> => {
  if (q === undefined) return Effect.succeed((sql) => sql``);
  return database.first(plannedForItsValues(fewIssuesWith(companyId, q))).pipe(
    Effect.map((row) => {
      const ids = row?.ids ?? null;
      return (sql) =>
        ids === null ? sql`and ${matchesWords(sql, companyId, q)}` : sql`and id = any(${ids}::uuid[])`;
    }),
  );
};

/** Reads `issues`. */
const matches = (sql: Sql, filter: Omit<IssueFilter, "q">) => sql`
  company_id = ${filter.companyId}
  ${filter.statuses === undefined ? sql`` : sql`and status = any(${filter.statuses}::text[])`}
  ${
    filter.assigneeAgentId === undefined
      ? sql``
      : filter.assigneeAgentId === null
        ? sql`and assignee_agent_id is null and assignee_user_id is null`
        : sql`and assignee_agent_id = ${filter.assigneeAgentId}`
  }
  ${filter.assigneeUserId === undefined ? sql`` : sql`and assignee_user_id = ${filter.assigneeUserId}`}
  ${filter.projectId === undefined ? sql`` : sql`and project_id = ${filter.projectId}`}
  ${filter.goalId === undefined ? sql`` : sql`and goal_id = ${filter.goalId}`}
  ${filter.parentId === undefined ? sql`` : sql`and parent_id = ${filter.parentId}`}
  ${
    filter.labelIds === undefined
      ? sql``
      : filter.labelIds.map(
          (labelId) => sql`and id in (select issue_id from issue_labels where label_id = ${labelId})`,
        )
  }
  ${filter.priorities === undefined ? sql`` : sql`and priority = any(${filter.priorities}::text[])`}
  ${filter.updatedSince === undefined ? sql`` : sql`and last_activity_at >= ${filter.updatedSince}`}
`;

/** Of all issues of some statuses, without reading them. */
const keptCount = (companyId: CompanyId, statuses: readonly IssueStatus[]) => (sql: Sql) =>
  sql<{ count: number }[]>`
  select  coalesce(sum(issues), 0)::bigint as count
  from    issue_counts
  where   company_id = ${companyId}
  and     status = any(${statuses}::text[])
`;

const countIssues = (filter: IssueFilter) => (sql: Sql) =>
  sql<{ count: number }[]>`
  select  count(*) as count
  from    issues
  where   ${matches(sql, filter)}
  ${filter.q === undefined ? sql`` : sql`and id in (${issuesWith(sql, filter.companyId, filter.q)})`}
`;

/** How the rows of a list are read. */
interface Rows {
  readonly having: Having;
  readonly slim: boolean;
}

/** A `ListedIssue`, of `issues`. */
const listedIssue = (sql: Sql, slim: boolean) => sql`
  (
    select  row_to_json(listed)
    from    (select ${listedIssueColumns(sql, slim)}, ${withLabels(sql)}) as listed
  ) as text
`;

/** Ids ascend in order of creation. */
const issuesByCreation =
  (filter: IssueFilter, { having, slim }: Rows) =>
  (after: readonly [id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<TextRow[]>`
  select    ${listedIssue(sql, slim)}
  from      issues
  where     ${matches(sql, filter)}
  ${having(sql)}
  ${after === null ? sql`` : sql`and id > ${after[0]}`}
  order by  id
  limit     ${limit}
`;

/** A part of a list in an order. */
interface Part extends Rows {
  readonly after: Fragment;
  readonly order: Fragment;
  readonly limit: number;
}

/**
 * Reads the first issues of each status in an order, then the first of those: each status uses an index in order, and a
 * few open issues are not searched among many closed ones.
 */
const issuesOfStatuses = (sql: Sql, { statuses, ...filter }: IssueFilter, part: Part) => {
  const { having, slim, after, order, limit } = part;
  return sql<TextRow[]>`
  select      ${listedIssue(sql, slim)}
  from        unnest(${[...new Set(statuses ?? issueStatuses)]}::text[]) as asked (status)
  cross join  lateral (
                select    ${issueColumns(sql)}, priority_rank
                from      issues
                where     ${matches(sql, filter)}
                and       status = asked.status
                ${having(sql)}
                ${after}
                order by  ${order}
                limit     ${limit}
              ) as issues
  order by    ${order}
  limit       ${limit}
`;
};

/** Reads the first issues of all statuses in an order. */
const issuesOfAnyStatus = (sql: Sql, filter: IssueFilter, { having, slim, after, order, limit }: Part) =>
  sql<TextRow[]>`
  select    ${listedIssue(sql, slim)}
  from      issues
  where     ${matches(sql, filter)}
  ${having(sql)}
  ${after}
  order by  ${order}
  limit     ${limit}
`;

type UrgencyPlace = readonly [rank: number, lastActivityAt: Instant, id: string];

/** Inverts the rank, so that one comparison finds the rows after a position. */
const issuesByUrgency =
  (filter: IssueFilter, rows: Rows) => (place: UrgencyPlace | null, limit: number) => (sql: Sql) => {
    const order = sql`-issues.priority_rank desc, issues.last_activity_at desc, issues.id desc`;
    const after =
      place === null
        ? sql``
        : sql`and (-priority_rank, last_activity_at, id) < (${-place[0]}::smallint, ${place[1]}, ${place[2]})`;
    const isNarrow = [
      filter.assigneeAgentId,
      filter.assigneeUserId,
      filter.projectId,
      filter.goalId,
      filter.parentId,
    ].some(Boolean);
    const read = filter.statuses !== undefined || isNarrow ? issuesOfStatuses : issuesOfAnyStatus;
    return read(sql, filter, { ...rows, after, order, limit });
  };

const issuesByActivity =
  (filter: IssueFilter, rows: Rows) =>
  (place: readonly [lastActivityAt: Instant, id: string] | null, limit: number) =>
  (sql: Sql) => {
    const order = sql`issues.last_activity_at desc, issues.id desc`;
    const after = place === null ? sql`` : sql`and (last_activity_at, id) < (${place[0]}, ${place[1]})`;
    return issuesOfStatuses(sql, filter, { ...rows, after, order, limit });
  };
