import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Database } from "../database.ts";

export type Texts = "issues" | "comments" | "documents";

/** Tells for each table of texts whether many of them may hold all the words that a search asks for. */
export type HeldByMany = Readonly<Record<Texts, boolean>>;

/** The words that more than this part of a table's texts hold are common: to read all those texts takes too long. */
const commonFrom = 0.02;
/** The server analyses tables now and then; a decision by older words costs time alone. */
const cachedMs = 10 * 60_000;

type CommonWords = ReadonlyMap<Texts, readonly string[]>;

const commonWords = (sql: Sql) => sql<{ texts: Texts; words: readonly string[] }[]>`
  select  tablename as texts,
          array(
            select  word
            from    unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (word, frequency)
            where   frequency > ${commonFrom}
          ) as words
  from    pg_stats
  where   schemaname = current_schema()
  and     tablename = any(${["issues", "comments", "documents"]}::text[])
  and     attname = 'search'
`;

const known = new WeakMap<Database, { readonly readAt: number; readonly words: CommonWords }>();

/** Looks the words of search input up in the statistics of the server. */
export const heldByMany = (database: Database, input: string): Effect.Effect<HeldByMany> =>
  Effect.gen(function* () {
    let cached = known.get(database);
    if (cached === undefined || performance.now() - cached.readAt > cachedMs) {
      const rows = yield* database.read(commonWords);
      cached = { readAt: performance.now(), words: new Map(rows.map(({ texts, words }) => [texts, words])) };
      known.set(database, cached);
    }
    const { words } = cached;
    const asked = positiveWords(input);
    const of = (texts: Texts) => {
      const common = words.get(texts) ?? [];
      return common.length > 0 && asked.length > 0 && asked.every((word) => isCommon(common, word));
    };
    return { issues: of("issues"), comments: of("comments"), documents: of("documents") };
  });

const positiveWords = (input: string): readonly string[] =>
  input
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !word.startsWith("-") && word !== "or")
    .flatMap((word) => word.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);

/** Whether the word is a form of a common one, whose stored form is mostly how its forms begin. */
const isCommon = (common: readonly string[], word: string): boolean =>
  common.some(
    (stem) =>
      word === stem ||
      (stem.length > 2 && word.startsWith(stem.slice(0, -1)) && word.length <= stem.length + 4),
  ) || pairsOf(word).every((pair) => common.includes(pair));

/** Of a text without spaces, pairs of letters are indexed. */
const pairsOf = (word: string): readonly string[] => {
  const letters = [...word];
  return letters.length < 2 ? [word] : letters.slice(1).map((letter, at) => letters[at] + letter);
};
