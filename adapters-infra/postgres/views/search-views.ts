import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { CompanyId, IssueId } from "../../../core/shared/ids.ts";
import { shownAs } from "../../../ports/views/page.ts";
import type { IssueHit, SearchViews } from "../../../ports/views/search-views.ts";
import { issueColumns } from "../columns.ts";
import { byRank, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";

export const searchViews = (database: Database): SearchViews => ({
  issues: (companyId, words, page) =>
    readPage(
      database,
      { kind: "search", of: { companyId, words } },
      byRank,
      page,
      hits(companyId, words),
    ).pipe(Effect.map(shownAs((hit) => ({ ...hit, excerpt: excerptOf(hit.excerpt) })))),
});

/** Stand in an excerpt for the start and the end of a matched word, for `<`, and for nothing, until all text is escaped. */
const [matched, matchEnded, lessThan, nothing] = "\u0001\u0002\u0003\u0004";

/**
 * The length of the text that an excerpt is taken from, in characters: the database takes quadratic time in the number of
 * matches, and as many times more as the query has words.
 */
const excerptedChars = 2_000;
/** How many of them stand before the first match. */
const charsBeforeMatch = 200;
/** An excerpt marks no more than this many words, operators included. */
const mostMarked = 20;

const headlineOptions = `StartSel=${matched}, StopSel=${matchEnded}, MaxFragments=2, MaxWords=30, MinWords=8, FragmentDelimiter=" … "`;

/** Returns one line of Markdown with the matched words in bold and all other text escaped. */
const excerptOf = (headline: string): string =>
  headline
    .replaceAll(nothing!, "")
    .replaceAll(lessThan!, "<")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*~[\]<&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/[\u0001\u0002]/g, "**");

/**
 * Parses search input. A hyphen negates only before a word or a phrase; the database cannot parse a line of hyphens.
 */
const meant = (sql: Sql, words: string) => sql`
  words_meant(${words.replace(/-(?![\p{L}\p{N}"])|(?<=[^\p{L}\p{N}\s])-/gu, " ")})
`;

/** Any of the words: to rank by how close all of them stand takes quadratic time in their number and their places. */
const anyOf = (sql: Sql, words: string) => sql`
  regexp_replace(${meant(sql, words)}::text, '&|<(-|\\d+)>', '|', 'g')::tsquery
`;

/** Restricts the search to one company, which is one of its words. */
export const searched = (sql: Sql, companyId: CompanyId, words: string) => sql`
  (${`'${companyId}'`}::tsquery && ${meant(sql, words)})
`;

/** A search without positive words finds nothing, instead of nearly everything of the company. */
export const saysSomething = (sql: Sql, words: string) => sql`
  querytree(${meant(sql, words)}) not in ('', 'T')
`;

/** The issue of that identifier. */
const identified = (sql: Sql, companyId: CompanyId, words: string) => sql`
  identifier = ${words.trim().toUpperCase()} and company_id = ${companyId}
`;

/** Returns ids of the issues whose title, description, comments or documents match. */
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
  where   ${identified(sql, companyId, words)}
`;

/**
 * Tests one issue of `issues`, where most match: the same as `id in (issuesWith)`. With `exists` the planner would read
 * all comments and documents first.
 */
export const matchesWords = (sql: Sql, companyId: CompanyId, words: string) => sql`
  (
    ${saysSomething(sql, words)}
    and (
      search @@ ${searched(sql, companyId, words)}
      or (
        select true from comments c where c.issue_id = issues.id and c.search @@ ${searched(sql, companyId, words)} limit 1
      )
      or (
        select true from documents d where d.issue_id = issues.id and d.search @@ ${searched(sql, companyId, words)} limit 1
      )
    )
    or (${identified(sql, companyId, words)})
  )
`;

/**
 * How many of the newest matches are ranked, of issues, of comments and of documents: a word that most issues hold
 * tells nothing about them, and ranking all of them takes as long as reading all of them.
 */
const mostRanked = 1_000;

/** The matches of a table, newest first. */
const newest = (
  sql: Sql,
  table: "issues" | "comments" | "documents",
  companyId: CompanyId,
  words: string,
) => sql`
  select    id, ${table === "issues" ? sql`id as issue_id` : sql`issue_id`}, search
  from      ${sql(table)}
  where     company_id = ${companyId}
  and       search @@ ${searched(sql, companyId, words)}
  and       ${saysSomething(sql, words)}
  order by  id desc
`;

/** Returns the ids of the issues that match, up to so many of each kind; null: there may be more. */
export const fewIssuesWith = (companyId: CompanyId, words: string) => (sql: Sql) =>
  sql<{ ids: readonly IssueId[] | null }[]>`
  with found as (
    (${newest(sql, "issues", companyId, words)} limit ${mostRanked + 1})
    union all
    (${newest(sql, "comments", companyId, words)} limit ${mostRanked + 1})
    union all
    (${newest(sql, "documents", companyId, words)} limit ${mostRanked + 1})
  )
  select  case
            when (select count(*) from found) <= ${mostRanked} then
              array(
                select issue_id from found
                union
                select id from issues where ${identified(sql, companyId, words)}
              )
          end as ids
`;

/** Some of the words, without a backslash, which would need other quotes. */
const someOf = (sql: Sql, words: string) => sql`
  (
    select  word
    from    unnest(tsvector_to_array(to_tsvector('english', searchable(${words})))) as word
    where   strpos(word, E'\\\\') = 0
    limit   8
  )
`;

/** Where one of the words begins in the text; null where only another form of it does. */
const firstMatch = (sql: Sql, words: string) => sql`
  (select min(nullif(strpos(lower(source.text), left(word, 16)), 0)) from ${someOf(sql, words)} as words)
`;

/** The words that an excerpt marks. */
const marked = (sql: Sql, words: string) => sql`
  case
    when numnode(${meant(sql, words)}) <= ${mostMarked} then ${meant(sql, words)}
    else (select string_agg(quote_literal(word), '|')::tsquery from ${someOf(sql, words)} as words)
  end
`;

/** Builds excerpts for one page only: that takes longer than the search. */
const hits =
  (companyId: CompanyId, words: string) =>
  (after: readonly [rank: number, id: string] | null, limit: number) =>
  (sql: Sql) =>
    sql<IssueHit[]>`
  with found as (
    select  issue_id, 'issue' as matched_in, id as source_id, ts_rank(search, ${anyOf(sql, words)}) as rank
    from    (${newest(sql, "issues", companyId, words)} limit ${mostRanked}) as i
    union all
    select  issue_id, 'comment', id, ts_rank(search, ${anyOf(sql, words)})
    from    (${newest(sql, "comments", companyId, words)} limit ${mostRanked}) as c
    union all
    select  issue_id, 'document', id, ts_rank(search, ${anyOf(sql, words)})
    from    (${newest(sql, "documents", companyId, words)} limit ${mostRanked}) as d
    union all
    select  id, 'issue', id, 10
    from    issues
    where   ${identified(sql, companyId, words)}
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
              split_tokens(
                translate(
                  substr(body.text, greatest(1, body.match - ${charsBeforeMatch}), ${excerptedChars}),
                  ${`<${matched}${matchEnded}${lessThan}${nothing}`},
                  ${lessThan!}
                ),
                ${nothing!}
              ),
              ${marked(sql, words)},
              ${headlineOptions}
            ) as excerpt
  from      page
  join      issues on issues.id = page.issue_id
  cross join lateral (
    select  left(
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
            ) as text
  ) as source
  cross join lateral (
    select  source.text, coalesce(${firstMatch(sql, words)}, 1) as match
  ) as body
  order by  page.rank desc, page.issue_id desc
`;
