import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { CompanyId, IssueId } from "../../../core/model/shared/ids.ts";
import { shownAs } from "../../../ports/views/page.ts";
import type { IssueHit, SearchViews } from "../../../ports/views/search-views.ts";
import { issueColumns } from "../columns.ts";
import { byRank, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { type HeldByMany, heldByMany, type Texts } from "./common-words.ts";

export const searchViews = (database: Database): SearchViews => ({
  issues: (companyId, words, page) =>
    heldByMany(database, words).pipe(
      Effect.flatMap((isHeldByMany) =>
        readPage(
          database,
          { kind: "search", of: { companyId, words } },
          byRank,
          page,
          hits({ companyId, words, isHeldByMany }),
        ),
      ),
      Effect.map(shownAs(({ rows, ...hit }) => ({ ...hit, excerpt: excerptOf(hit.excerpt, rows) }))),
    ),
});

/** A hit with what was sought of texts without spaces. */
type FoundHit = IssueHit & { readonly rows: readonly string[] };

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

/** One letter of a text without spaces that the database has marked. */
const markedLetter = new RegExp(`${matched}([^ -~])${matchEnded}`, "gu");

const headlineOptions = `StartSel=${matched}, StopSel=${matchEnded}, MaxFragments=2, MaxWords=30, MinWords=8, FragmentDelimiter=" … "`;

/** Where letters are words, an excerpt may begin with a short one. */
const optionsOf = (words: string): string =>
  isAscii(words) ? headlineOptions : `${headlineOptions}, ShortWord=0`;

/**
 * Returns one line of Markdown with the matched words in bold and all other text escaped. Of texts without spaces the
 * database marks each letter, also where it stands alone: instead of those the sought rows of letters are marked.
 */
const excerptOf = (headline: string, rows: readonly string[]): string =>
  (rows.length === 0
    ? headline
    : headline
        .replaceAll(nothing!, "")
        .replace(markedLetter, "$1")
        .replace(
          new RegExp(rows.toSorted((one, other) => other.length - one.length).join("|"), "g"),
          `${matched}$&${matchEnded}`,
        )
  )
    .replaceAll(nothing!, "")
    .replaceAll(lessThan!, "<")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\`*~[\]<&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replace(/[\u0001\u0002]/g, "**");

/** Parses search input; `words_sought` adds what is for texts without spaces, which are never ASCII alone. */
const meant = (sql: Sql, words: string, byLetter = false) =>
  isAscii(words) ? sql`words_meant(${negating(words)})` : sql`words_sought(${negating(words)}, ${byLetter})`;

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** A hyphen negates only before a word or a phrase; the database cannot parse a line of hyphens. */
const negating = (words: string): string => words.replace(/-(?![\p{L}\p{N}"])|(?<=[^\p{L}\p{N}\s])-/gu, " ");

/** Any of the words: to rank by how close all of them stand takes quadratic time in their number and their places. */
const anyOf = (sql: Sql, words: string) => sql`
  regexp_replace(${meant(sql, words)}::text, '&|<(-|\\d+)>', '|', 'g')::tsquery
`;

/** The same for texts whose words are indexed as they stand. */
export const plainlySearched = (sql: Sql, companyId: CompanyId, words: string) => sql`
  (${`'${companyId}'`}::tsquery && words_meant(${negating(words)}))
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

/** The input of a search. */
export interface Sought {
  readonly companyId: CompanyId;
  readonly words: string;
  readonly isHeldByMany: HeldByMany;
}

/** How many of the newest texts are passed without asking the index. */
const passed = 2_048;

/**
 * The newest matches of a table. Words of few texts come from the index, all of them. Words of many come from the newest
 * texts, and if those hold too few of them, from the index, for one time after the other.
 */
const newest = (sql: Sql, table: Texts, { companyId, words, isHeldByMany }: Sought, most: number) => {
  const columns = table === "issues" ? sql`id, id as issue_id, search` : sql`id, issue_id, search`;
  if (!isHeldByMany[table])
    return sql`
      (
        select    *
        from      (
                    select  ${columns}
                    from    ${sql(table)}
                    where   company_id = ${companyId}
                    and     search @@ ${searched(sql, companyId, words)}
                    and     ${saysSomething(sql, words)}
                    offset  0
                  ) as found
        order by  id desc
        limit     ${most}
      )
    `;
  return sql`
    (
      select  *
      from    (
                select    ${columns}
                from      ${sql(table)}
                where     company_id = ${companyId}
                order by  id desc
                limit     ${passed}
              ) as recent
      where   search @@ ${meant(sql, words)}
      union all
      select  *
      from    ${sql(`older_${table}_with`)}(${companyId}, ${meant(sql, words)}, ${passed}, ${most})
      where   ${saysSomething(sql, words)}
      limit   ${most}
    )
  `;
};

/** Returns the ids of the issues that match, up to so many of each kind; null: there may be more. */
export const fewIssuesWith = (sought: Sought) => (sql: Sql) =>
  sql<{ ids: readonly IssueId[] | null }[]>`
  with found as (
    ${newest(sql, "issues", sought, mostRanked + 1)}
    union all
    ${newest(sql, "comments", sought, mostRanked + 1)}
    union all
    ${newest(sql, "documents", sought, mostRanked + 1)}
  )
  select  case
            when (select count(*) from found) <= ${mostRanked} then
              array(
                select issue_id from found
                union
                select id from issues where ${identified(sql, sought.companyId, sought.words)}
              )
          end as ids
`;

/** The rows of letters that the query has of texts without spaces. */
const rowsOf = (sql: Sql, words: string) =>
  isAscii(words)
    ? sql`'{}'::text[]`
    : sql`array(select found[1] from regexp_matches(${words}, '[' || unspaced_letters() || ']+', 'g') as found)`;

/** Some of the words, without a backslash, which would need other quotes. */
const someOf = (sql: Sql, words: string) => sql`
  (
    select  row as word
    from    unnest(${rowsOf(sql, words)}) as row
    union all
    select  word
    from    unnest(tsvector_to_array(to_tsvector('english', searchable(${words})))) as word
    where   strpos(word, E'\\\\') = 0
    limit   8
  )
`;

/** Where one of the words begins in the text; null where only another form of it does. */
const firstMatch = (sql: Sql, words: string) => sql`
  (select min(nullif(strpos(lower(source.text collate "und-x-icu"), left(word, 16)), 0)) from ${someOf(sql, words)} as words)
`;

/** The words that an excerpt marks. */
const marked = (sql: Sql, words: string) => sql`
  case
    when numnode(${meant(sql, words)}) <= ${mostMarked} then ${meant(sql, words, true)}
    else (select string_agg(quote_literal(word), '|')::tsquery from ${someOf(sql, words)} as words)
  end
`;

/** Builds excerpts for one page only: that takes longer than the search. */
const hits =
  (sought: Sought) => (after: readonly [rank: number, id: string] | null, limit: number) => (sql: Sql) => {
    const { companyId, words } = sought;
    return sql<FoundHit[]>`
  with found as (
    select  issue_id, 'issue' as matched_in, id as source_id, ts_rank(search, ${anyOf(sql, words)}) as rank
    from    ${newest(sql, "issues", sought, mostRanked)} as i
    union all
    select  issue_id, 'comment', id, ts_rank(search, ${anyOf(sql, words)})
    from    ${newest(sql, "comments", sought, mostRanked)} as c
    union all
    select  issue_id, 'document', id, ts_rank(search, ${anyOf(sql, words)})
    from    ${newest(sql, "documents", sought, mostRanked)} as d
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
  select    ${issueColumns(sql)}, page.rank, page.matched_in, ${rowsOf(sql, words)} as rows,
            ts_headline(
              'english',
              apart(
                split_tokens(
                  translate(
                    substr(body.text, greatest(1, body.match - ${charsBeforeMatch}), ${excerptedChars}),
                    ${`<${matched}${matchEnded}${lessThan}${nothing}`},
                    ${lessThan!}
                  ),
                  ${nothing!}
                ),
                ${nothing!}
              ),
              ${marked(sql, words)},
              ${optionsOf(words)}
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
  };
