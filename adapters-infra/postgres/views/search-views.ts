import type { Sql } from "postgres";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { IssueHit, SearchViews } from "../../../ports/views/search-views.ts";
import { issueColumns } from "../columns.ts";
import { byRank, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";

export const searchViews = (database: Database): SearchViews => ({
  issues: (companyId, words, page) =>
    readPage(database, { kind: "search", of: { companyId, words } }, byRank, page, hits(companyId, words)),
});

/** What people type into a search box, as a query; the company is one of its words. */
const searched = (sql: Sql, companyId: CompanyId, words: string) => sql`
  (${`'${companyId}'`}::tsquery && websearch_to_tsquery('english', ${words}))
`;

/** Words that say nothing find nothing, instead of everything of the company. */
const saysSomething = (sql: Sql, words: string) => sql`
  numnode(websearch_to_tsquery('english', ${words})) > 0
`;

/** Ids of the issues in whose title, description, comments or documents the words are found. */
export const issuesWith = (sql: Sql, companyId: CompanyId, words: string) => sql`
  select  id
  from    issues
  where   search @@ ${searched(sql, companyId, words)}
  and     ${saysSomething(sql, words)}
  union
  select  issue_id
  from    comments
  where   search @@ ${searched(sql, companyId, words)}
  and     ${saysSomething(sql, words)}
  union
  select  issue_id
  from    documents
  where   search @@ ${searched(sql, companyId, words)}
  and     ${saysSomething(sql, words)}
  union
  select  id
  from    issues
  where   identifier = ${words.trim().toUpperCase()}
  and     company_id = ${companyId}
`;

/** Of a page alone the excerpts are made: that takes longer than finding. */
const hits =
  (companyId: CompanyId, words: string) =>
  (after: readonly [rank: number, id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<IssueHit[]>`
  with found as (
    select  id as issue_id, 'issue' as matched_in, id as source_id,
            ts_rank(search, websearch_to_tsquery('english', ${words})) as rank
    from    issues
    where   search @@ ${searched(sql, companyId, words)}
    and     ${saysSomething(sql, words)}
    union all
    select  issue_id, 'comment', id, ts_rank(search, websearch_to_tsquery('english', ${words}))
    from    comments
    where   search @@ ${searched(sql, companyId, words)}
    and     ${saysSomething(sql, words)}
    union all
    select  issue_id, 'document', id, ts_rank(search, websearch_to_tsquery('english', ${words}))
    from    documents
    where   search @@ ${searched(sql, companyId, words)}
    and     ${saysSomething(sql, words)}
    union all
    select  id, 'issue', id, 10
    from    issues
    where   identifier = ${words.trim().toUpperCase()}
    and     company_id = ${companyId}
  ),
  best as (
    select    distinct on (issue_id) issue_id, matched_in, source_id, round(rank::numeric, 6)::float8 as rank
    from      found
    order by  issue_id, rank desc, source_id
  ),
  page as (
    select    *
    from      best
    ${after === null ? sql`` : sql`where (rank, issue_id) < (${after[0]}::float8, ${after[1]}::uuid)`}
    order by  rank desc, issue_id desc
    limit     ${limit}
  )
  select    ${issueColumns(sql)}, page.rank, page.matched_in,
            ts_headline(
              'english',
              left(
                case page.matched_in
                  when 'comment' then (select body from comments where id = page.source_id)
                  when 'document' then (
                    select  concat_ws(E'\n', d.title, d.body)
                    from    documents d
                    where   d.id = page.source_id
                  )
                  else concat_ws(E'\n', title, description)
                end,
                100000
              ),
              websearch_to_tsquery('english', ${words}),
              'StartSel=**, StopSel=**, MaxFragments=2, MaxWords=30, MinWords=8, FragmentDelimiter=" … "'
            ) as excerpt
  from      page
  join      issues on issues.id = page.issue_id
  order by  page.rank desc, page.issue_id desc
`;
