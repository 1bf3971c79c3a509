import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import type { Goal } from "../../../core/goals/goal.ts";
import { type Document, planKey } from "../../../core/issues/documents/document.ts";
import { IssueNotFound } from "../../../core/issues/issue.ts";
import { type IssueStatus, issueStatuses } from "../../../core/issues/issue-status.ts";
import { type Label, LabelNotFound } from "../../../core/labels/label.ts";
import type { CompanyId, IssueId, LabelId } from "../../../core/shared/ids.ts";
import type { Instant } from "../../../core/shared/instant.ts";
import type {
  IssueAncestor,
  IssueDetailView,
  IssueFilter,
  IssueListing,
  IssueReference,
  IssueView,
  IssueViews,
  ListedIssue,
} from "../../../ports/views/issue-views.ts";
import {
  type CursorInvalid,
  JsonText,
  type Page,
  type PageRequest,
  shownAs,
} from "../../../ports/views/page.ts";
import type { ProjectFacts } from "../../../ports/views/planning-views.ts";
import type { DocumentSummary } from "../../../ports/views/thread-views.ts";
import { issueColumns, listedIssueColumns } from "../columns.ts";
import { byActivity, byId, byUrgency, inText, readPage, type TextRow } from "../cursor.ts";
import { type Database, plannedForItsValues } from "../database.ts";
import { fromJsonRow, type JsonRow, withInstants } from "../json-rows.ts";
import { orFail } from "../rows.ts";
import { commentViews } from "./comment-views.ts";
import { fewIssuesWith, issuesWith, matchesWords } from "./search-views.ts";

export const issueViews = (database: Database): IssueViews => ({
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
  labels: (companyId) => database.read(labels(companyId)),
  label: (id) => database.first(label(id)).pipe(orFail(() => new LabelNotFound())),
  get: (id) =>
    database.lookUp(getIssue(id)).pipe(
      orFail(() => new IssueNotFound()),
      Effect.map(({ projectRow, goalRow, ancestorRows, planRow, summaryRows, ...issue }) => ({
        ...issue,
        project: projectRow === null ? null : fromJsonRow<ProjectFacts>(projectRow),
        goal: goalRow === null ? null : fromJsonRow<Goal>(goalRow),
        ancestors: ancestorRows.map(ancestorOf),
        planDocument: planRow === null ? null : fromJsonRow<Document>(planRow),
        documentSummaries: summaryRows.map((row) => fromJsonRow<DocumentSummary>(row)),
      })),
    ),
  ...commentViews(database),
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

/** Reads `issues`. */
const withLabels = (sql: Sql) => sql`
  (
    select  coalesce(jsonb_agg(${labelObject(sql)} order by lower(l.name)), '[]')
    from    issue_labels link
    join    labels l on l.id = link.label_id
    where   link.issue_id = issues.id
  ) as labels
`;

/** A `Label`, of `labels l`. */
const labelObject = (sql: Sql) => sql`
  jsonb_build_object(
    'id', l.id, 'companyId', l.company_id, 'name', l.name, 'color', l.color,
    'createdAt', to_char(l.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
`;

const labels = (companyId: CompanyId) => (sql: Sql) =>
  sql<Label[]>`
  select    id, company_id, name, color, created_at
  from      labels
  where     company_id = ${companyId}
  order by  lower(name)
`;

const label = (id: LabelId) => (sql: Sql) =>
  sql<Label[]>`
  select  id, company_id, name, color, created_at
  from    labels
  where   id = ${id}
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

interface DetailRow extends IssueView {
  readonly projectRow: JsonRow | null;
  readonly goalRow: JsonRow | null;
  readonly ancestorRows: readonly AncestorRow[];
  readonly blockedBy: readonly IssueReference[];
  readonly blocks: readonly IssueReference[];
  readonly assigneeUser: IssueDetailView["assigneeUser"];
  readonly planRow: JsonRow | null;
  readonly summaryRows: readonly JsonRow[];
}

interface AncestorRow {
  readonly issue: Omit<IssueAncestor, "project" | "goal">;
  readonly project: JsonRow | null;
  readonly goal: JsonRow | null;
}

const ancestorOf = ({ issue, project, goal }: AncestorRow): IssueDetailView["ancestors"][number] => ({
  ...issue,
  project: project === null ? null : fromJsonRow<ProjectFacts>(project),
  goal: goal === null ? null : fromJsonRow<Goal>(goal),
});

/** A `ProjectFacts` of `projects`, as JSON. */
const projectFacts = (sql: Sql) =>
  sql`to_jsonb(projects) - array['budget_monthly_cents', 'held_by_budget_at']`;

const getIssue = (id: IssueId) => (sql: Sql) =>
  sql<DetailRow[]>`
  select  ${issueColumns(sql)}, ${withLabels(sql)},
          (
            select  jsonb_build_object('id', id, 'name', name)
            from    board_users
            where   id = issues.assignee_user_id
          ) as assignee_user,
          (select ${projectFacts(sql)} from projects where id = issues.project_id) as project_row,
          (select to_jsonb(goals) from goals where id = issues.goal_id)          as goal_row,
          (
            with recursive ancestors as (
              select  parent.*, 1 as distance
              from    issues parent
              where   parent.id = issues.parent_id
              union all
              select  parent.*, ancestors.distance + 1
              from    ancestors
              join    issues parent on parent.id = ancestors.parent_id
              where   ancestors.distance < 50
            )
            select  coalesce(
                      jsonb_agg(
                        jsonb_build_object(
                          'issue', jsonb_build_object(
                            'id', a.id, 'identifier', a.identifier, 'title', a.title,
                            'description', a.description, 'status', a.status, 'priority', a.priority,
                            'assigneeAgentId', a.assignee_agent_id, 'assigneeUserId', a.assignee_user_id,
                            'projectId', a.project_id, 'goalId', a.goal_id
                          ),
                          'project', (select ${projectFacts(sql)} from projects where id = a.project_id),
                          'goal', (select to_jsonb(goals) from goals where id = a.goal_id)
                        )
                        order by a.distance
                      ),
                      '[]'
                    )
            from    ancestors a
          ) as ancestor_rows,
          (
            select  coalesce(jsonb_agg(${reference(sql)} order by other.id), '[]')
            from    issue_blockers link
            join    issues other on other.id = link.blocked_by_id
            where   link.issue_id = issues.id
          ) as blocked_by,
          (
            select  coalesce(jsonb_agg(${reference(sql)} order by other.id), '[]')
            from    issue_blockers link
            join    issues other on other.id = link.issue_id
            where   link.blocked_by_id = issues.id
          ) as blocks,
          (
            select  to_jsonb(documents) - 'search'
            from    documents
            where   issue_id = issues.id
            and     key = ${planKey}
          ) as plan_row,
          (
            select  coalesce(jsonb_agg(to_jsonb(documents) - 'search' - 'body' order by key), '[]')
            from    documents
            where   issue_id = issues.id
          ) as summary_rows
  from    issues
  where   id = ${id}
`;

/** An `IssueReference`, of `issues other`. */
const reference = (sql: Sql) => sql`
  jsonb_build_object(
    'id', other.id, 'identifier', other.identifier, 'title', other.title, 'status', other.status
  )
`;
