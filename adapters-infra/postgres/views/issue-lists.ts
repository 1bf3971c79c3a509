import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import type { DoneAs } from "../../../core/model/issues/done-as.ts";
import { type IssueStatus, issueStatuses } from "../../../core/model/issues/issue-status.ts";
import type { CompanyId, GoalId, IssueId, ProjectId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  AskedProgress,
  IssueFilter,
  IssueListing,
  IssueViews,
  ListedIssue,
  Progress,
} from "../../../ports/views/issue-views.ts";
import {
  type CursorInvalid,
  JsonText,
  type Page,
  type PageRequest,
  shownAs,
} from "../../../ports/views/page.ts";
import { issueColumns } from "../columns.ts";
import {
  byActivity,
  byId,
  byUrgency,
  inText,
  type Order,
  type ReadFew,
  readPage,
  type TextRow,
} from "../cursor.ts";
import { type Database, plannedForItsValues, type Statement } from "../database.ts";
import { doneAsOf, hasGates } from "../facts.ts";
import { fixedText } from "../fixed-text.ts";
import { fromJsonText, type InstantsOf, withInstants } from "../json-rows.ts";
import { CachedRows, type RowVersion, rowVersion } from "./cached-rows.ts";
import { heldByMany } from "./common-words.ts";
import { withLabels } from "./label-views.ts";
import { fewIssuesWith, issuesWith, matchesWords } from "./search-views.ts";

export const issueLists = (database: Database): Pick<IssueViews, "list" | "count" | "progress"> => {
  const cached = {
    whole: new CachedRows(issuesByIds(wholeIssue), inAnswers),
    slim: new CachedRows(issuesByIds(slimIssue), inAnswers),
  };
  return {
    list: ({ sort, slim = false, ...asked }, page) => {
      const filter = narrowed(asked);
      return withWords(database, filter).pipe(
        Effect.flatMap((having) => {
          const rows = { having, slim, cached: slim ? cached.slim : cached.whole };
          return listIn(sort, database, filter, rows, page);
        }),
        Effect.map(shownAs(asJson)),
      );
    },
    progress: (asked) => {
      const counting = progress(asked);
      // Planned for any project, it would read all issues of the company for those of a small one.
      return database
        .read(asked.id === undefined ? counting : plannedForItsValues<StatusCount>(counting))
        .pipe(Effect.map(countsById));
    },
    count: (asked) => {
      const { companyId, statuses, ...narrower } = narrowed(asked);
      const isCounted = Object.values(narrower).every((value) => value === undefined);
      return database
        .first(
          isCounted
            ? storedCount(companyId, statuses ?? issueStatuses)
            : plannedForItsValues(countIssues({ companyId, statuses, ...narrower })),
        )
        .pipe(Effect.map((row) => row?.count ?? 0));
    },
  };
};

const none = fixedText((sql) => sql``);

/** Only done issues are done in some way. */
const narrowed = (filter: IssueFilter): IssueFilter =>
  filter.doneAs === undefined
    ? filter
    : { ...filter, statuses: (filter.statuses ?? issueStatuses).filter((status) => status === "done") };

const listedInstants: InstantsOf<ListedIssue> = {
  heldSince: true,
  startedAt: true,
  started_at: true,
  completedAt: true,
  verifiedAt: true,
  completed_at: true,
  cancelledAt: true,
  lastActivityAt: true,
  createdAt: true,
  updatedAt: true,
  labels: { createdAt: true },
};
const inAnswers = withInstants<ListedIssue>(listedInstants);
const listedOf = fromJsonText<ListedIssue>(listedInstants);

/** Kept rows are JSON of callers already. */
const asJson = (row: TextRow): JsonText<ListedIssue> =>
  row instanceof JsonText ? row : new JsonText(inAnswers(row.text));

const listIn = (
  sort: IssueListing["sort"],
  database: Database,
  filter: IssueFilter,
  { having, slim, cached }: { having: Having; slim: boolean; cached: CachedRows },
  page: PageRequest,
): Effect.Effect<Page<TextRow>, CursorInvalid> => {
  const list = {
    kind: `issues.${sort}`,
    of: { ...filter },
    anyPlan: sort === "priority" && !isSearched(filter),
  } as const;
  const read = <P extends readonly (string | number)[]>(
    order: Order<TextRow, P>,
    issues: (filter: IssueFilter, having: Having, shown: Shown) => Asked<P>,
  ) => {
    const whole = issues(filter, having, slim ? slimIssue : wholeIssue) as Asked<P, TextRow>;
    const versions = issues(filter, having, rowVersion) as Asked<P, RowVersion>;
    const readFew: ReadFew<TextRow, P> = (asSent, after, limit) =>
      database.read(asSent(versions(after, limit))).pipe(
        Effect.flatMap((found) => cached.find(database, found)),
        Effect.flatMap((rows) =>
          rows === null ? database.read(asSent(whole(after, limit))) : Effect.succeed(rows),
        ),
      );
    return readPage(database, { ...list, readFew }, order, page, whole);
  };
  switch (sort) {
    case "created":
      return read(inText(byId, listedOf), issuesByCreation("oldest"));
    case "newest":
      return read(inText(byId, listedOf), issuesByCreation("newest"));
    case "activity":
      return read(inText(byActivity, listedOf), issuesByActivity);
    case "priority":
      return read(inText(byUrgency, listedOf), issuesByUrgency);
  }
};

/** These have a best plan for each value; the other filters are columns of one index. */
const isSearched = ({ labelIds, priorities, doneAs, updatedSince, q }: IssueFilter): boolean =>
  [labelIds, priorities, doneAs, updatedSince, q].some((value) => value !== undefined);

/** Restricts `issues` to those with the words of the filter. */
type Having = (sql: Sql) => Fragment;

/**
 * Looks first how many issues have the words. A few are found by the words, and then put in order; where many have
 * them, it is quicker to walk in order and test each issue.
 */
const withWords = (database: Database, { companyId, q }: IssueFilter): Effect.Effect<Having> => {
  if (q === undefined) return Effect.succeed((sql) => none(sql));
  return heldByMany(database, q).pipe(
    Effect.flatMap((isHeldByMany) =>
      database.first(plannedForItsValues(fewIssuesWith({ companyId, words: q, isHeldByMany }))),
    ),
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
  ${filter.statuses === undefined ? none(sql) : sql`and status = any(${filter.statuses}::text[])`}
  ${
    filter.assigneeAgentId === undefined
      ? none(sql)
      : filter.assigneeAgentId === null
        ? sql`and assignee_agent_id is null and assignee_user_id is null`
        : sql`and assignee_agent_id = ${filter.assigneeAgentId}`
  }
  ${filter.assigneeUserId === undefined ? none(sql) : sql`and assignee_user_id = ${filter.assigneeUserId}`}
  ${filter.createdByAgentId === undefined ? none(sql) : sql`and created_by_agent_id = ${filter.createdByAgentId}`}
  ${filter.createdByUserId === undefined ? none(sql) : sql`and created_by_user_id = ${filter.createdByUserId}`}
  ${filter.projectId === undefined ? none(sql) : sql`and project_id = ${filter.projectId}`}
  ${filter.goalId === undefined ? none(sql) : sql`and goal_id = ${filter.goalId}`}
  ${filter.parentId === undefined ? none(sql) : sql`and parent_id = ${filter.parentId}`}
  ${
    filter.labelIds === undefined
      ? none(sql)
      : filter.labelIds.map(
          (labelId) => sql`and id in (select issue_id from issue_labels where label_id = ${labelId})`,
        )
  }
  ${filter.priorities === undefined ? none(sql) : sql`and priority = any(${filter.priorities}::text[])`}
  ${filter.doneAs === undefined ? none(sql) : sql`and ${isDoneAs(sql, filter.doneAs)}`}
  ${filter.updatedSince === undefined ? none(sql) : sql`and last_activity_at >= ${filter.updatedSince}`}
`;

/** `doneAsOf` of done `issues`, as conditions whose matches the planner can estimate. */
const isDoneAs = (sql: Sql, as: DoneAs) =>
  as === "verified"
    ? sql`verified_at is not null`
    : sql`verified_at is null and ${hasGates(sql, sql`issues`)}`;

/** Of all issues of some statuses, without reading them. */
const storedCount = (companyId: CompanyId, statuses: readonly IssueStatus[]) => (sql: Sql) =>
  sql<{ count: number }[]>`
  select  coalesce(sum(issues), 0)::bigint as count
  from    issue_counts
  where   company_id = ${companyId}
  and     status = any(${statuses}::text[])
`;

interface StatusCount {
  readonly id: ProjectId | GoalId;
  readonly status: IssueStatus;
  readonly doneAs: DoneAs | null;
  readonly count: number;
}

const progress =
  ({ companyId, by, id, limit }: AskedProgress) =>
  (sql: Sql) => {
    const group = by === "project" ? sql`project_id` : sql`goal_id`;
    const isGated = sql`coalesce(is_gated, ${hasGates(sql, sql`alike`)})`;
    // Ids rise with time.
    return sql<StatusCount[]>`
  select    id, status, ${doneAsOf(sql, sql`alike`, isGated)} as done_as, sum(count)::bigint as count
  from      (
              select    ${group} as id, project_id, false as has_own_gates, status, max(verified_at) as verified_at,
                        -- null: as its project is
                        case when has_own_gates then ${hasGates(sql, sql`issues`)} end as is_gated,
                        count(*) as count, dense_rank() over (order by ${group} desc) as age
              from      issues
              where     company_id = ${companyId}
              and       ${id === undefined ? sql`${group} is not null` : sql`${group} = ${id}`}
              group by  ${group}, project_id, status, verified_at is null, is_gated
            ) as alike
  where     age <= ${limit}
  group by  id, status, done_as
  order by  id
`;
  };

const countsById = (rows: readonly StatusCount[]): readonly Progress[] => {
  const none = Object.fromEntries(issueStatuses.map((status) => [status, 0])) as Progress["counts"];
  const found = new Map<string, Progress>();
  for (const { id, status, doneAs, count } of rows) {
    const { counts, done } = found.get(id) ?? { counts: none, done: { verified: 0, reported: 0 } };
    found.set(id, {
      id,
      counts: { ...counts, [status]: counts[status] + count },
      done: doneAs === null ? done : { ...done, [doneAs]: count },
    });
  }
  return [...found.values()];
};

const countIssues = (filter: IssueFilter) => (sql: Sql) =>
  sql<{ count: number }[]>`
  select  count(*) as count
  from    issues
  where   ${matches(sql, filter)}
  ${filter.q === undefined ? none(sql) : sql`and id in (${issuesWith(sql, filter.companyId, filter.q)})`}
`;

/** Columns of `issues` that a list reads. */
type Shown = (sql: Sql) => Fragment;

/** The statement of a list, for the rows after a position. */
type Asked<P, Row extends object = object> = (after: P | null, limit: number) => Statement<Row>;

const slimIssueColumns = issueColumns.without("description");

/** A `ListedIssue`, of `issues`. */
const listedIssue = (slim: boolean): Shown =>
  fixedText(
    (sql) => sql`
  (
    select  row_to_json(listed)
    from    (
              select  ${(slim ? slimIssueColumns : issueColumns).asFields(sql, "issues")}, issues.started_at,
                      issues.completed_at, ${doneAsOf(sql, sql`issues`)} as "doneAs", ${withLabels(sql)}
            ) as listed
  ) as text
`,
  );

const wholeIssue = listedIssue(false);
const slimIssue = listedIssue(true);

const issuesByIds = (shown: Shown) => (ids: readonly IssueId[]) => (sql: Sql) =>
  sql<(RowVersion & TextRow)[]>`
  select  ${rowVersion(sql)}, ${shown(sql)}
  from    issues
  where   id = any(${ids}::uuid[])
`;

/** Ids ascend in order of creation. */
const issuesByCreation =
  (first: "oldest" | "newest") =>
  (filter: IssueFilter, having: Having, shown: Shown): Asked<readonly [id: string]> =>
  (cursor, limit) =>
  (sql) => {
    const isNewest = first === "newest";
    const order = isNewest ? sql`issues.id desc` : sql`issues.id`;
    const after = cursor === null ? none(sql) : sql`and id ${isNewest ? sql`<` : sql`>`} ${cursor[0]}`;
    return issuesOfAnyStatus(sql, filter, { having, shown, after, order, limit });
  };

/** A part of a list in an order. */
interface Part {
  readonly having: Having;
  readonly shown: Shown;
  readonly after: Fragment;
  readonly order: Fragment;
  readonly limit: number;
}

/**
 * Reads the first issues of each status in an order, then the first of those: each status uses an index in order, and a
 * few open issues are not searched among many closed ones.
 */
const issuesOfStatuses = (sql: Sql, { statuses, ...filter }: IssueFilter, part: Part) => {
  const { having, shown, after, order, limit } = part;
  return sql`
  select      ${shown(sql)}
  from        unnest(${[...new Set(statuses ?? issueStatuses)]}::text[]) as asked (status)
  cross join  lateral (
                select    ${issueColumns(sql)}, has_own_gates, priority_rank, xmin, ctid
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
const issuesOfAnyStatus = (sql: Sql, filter: IssueFilter, { having, shown, after, order, limit }: Part) =>
  sql`
  select    ${shown(sql)}
  from      issues
  where     ${matches(sql, filter)}
  ${having(sql)}
  ${after}
  order by  ${order}
  limit     ${limit}
`;

type UrgencyCursor = readonly [rank: number, lastActivityAt: Instant, id: string];

/** Inverts the rank, so that one comparison finds the rows after a position. */
const issuesByUrgency =
  (filter: IssueFilter, having: Having, shown: Shown): Asked<UrgencyCursor> =>
  (cursor, limit) =>
  (sql) => {
    const order = sql`-issues.priority_rank desc, issues.last_activity_at desc, issues.id desc`;
    const after =
      cursor === null
        ? none(sql)
        : sql`and (-priority_rank, last_activity_at, id) < (${-cursor[0]}::smallint, ${cursor[1]}, ${cursor[2]})`;
    const isNarrow = [
      filter.assigneeAgentId,
      filter.assigneeUserId,
      filter.createdByAgentId,
      filter.createdByUserId,
      filter.projectId,
      filter.goalId,
      filter.parentId,
    ].some(Boolean);
    const read = filter.statuses !== undefined || isNarrow ? issuesOfStatuses : issuesOfAnyStatus;
    return read(sql, filter, { having, shown, after, order, limit });
  };

const issuesByActivity =
  (
    filter: IssueFilter,
    having: Having,
    shown: Shown,
  ): Asked<readonly [lastActivityAt: Instant, id: string]> =>
  (cursor, limit) =>
  (sql) => {
    const order = sql`issues.last_activity_at desc, issues.id desc`;
    const after =
      cursor === null ? none(sql) : sql`and (last_activity_at, id) < (${cursor[0]}, ${cursor[1]})`;
    return issuesOfStatuses(sql, filter, { having, shown, after, order, limit });
  };
