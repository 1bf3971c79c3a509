import * as Effect from "effect/Effect";
import type { IssueId } from "../../../core/model/shared/ids.ts";
import { JsonText } from "../../../ports/views/page.ts";
import type { TextRow } from "../cursor.ts";
import type { Database, Statement } from "../database.ts";
import { doneAsOf } from "../facts.ts";
import { fixedText } from "../fixed-text.ts";

/** An issue, and what changes when its row, one of its labels or what its list shows of its gates does. */
export interface RowVersion {
  readonly id: IssueId;
  readonly version: string;
}

/**
 * A `RowVersion`, of `issues` with `xmin` and `ctid`. No two versions of a row have the same transaction and place in
 * one history of a database; a database that was restored, or lost its last commits, has another start or other times.
 */
export const rowVersion = fixedText(
  (sql) => sql`
  issues.id,
  concat_ws(
    ' ', issues.ctid, issues.xmin, issues.updated_at, pg_postmaster_start_time(),
    ${doneAsOf(sql, sql`issues`)},
    (
      select  string_agg(concat_ws(' ', l.ctid, l.xmin), ' ')
      from    issue_labels link
      join    labels l on l.id = link.label_id
      where   link.issue_id = issues.id
    )
  ) as version
`,
);

/** Reads rows of a list with their versions, by id. */
type ReadRows = (ids: readonly IssueId[]) => Statement<RowVersion & TextRow>;

/** Limit of the cached texts, in characters. */
const most = 4 * 1024 * 1024;

interface CachedRow {
  readonly version: string;
  readonly row: JsonText<unknown>;
}

/**
 * Keeps the JSON of rows, which takes the database longer to write than to find the rows. A list reads the versions of
 * its rows, and the JSON of those whose version is not cached: what it shows is what the database has.
 */
export class CachedRows {
  /** The oldest come first, and are dropped first. */
  readonly #rows = new Map<IssueId, CachedRow>();
  #length = 0;
  readonly #read: ReadRows;
  readonly #inAnswers: (text: string) => string;

  /** `inAnswers` writes a row as callers get it. */
  constructor(read: ReadRows, inAnswers: (text: string) => string) {
    this.#read = read;
    this.#inAnswers = inAnswers;
  }

  /** Returns the rows in the given versions; null where one has changed since. */
  find(database: Database, versions: readonly RowVersion[]): Effect.Effect<readonly TextRow[] | null> {
    const found = new Map<IssueId, TextRow>();
    const missing = new Map<IssueId, string>();
    for (const { id, version } of versions) {
      const cached = this.#rows.get(id);
      if (cached?.version === version) found.set(id, cached.row);
      else missing.set(id, version);
    }
    const inOrder = () => versions.map(({ id }) => found.get(id)!);
    if (missing.size === 0) return Effect.succeed(inOrder());
    return Effect.map(database.read(this.#read([...missing.keys()])), (rows) => {
      for (const { id, version, text } of rows) {
        const row = new JsonText(this.#inAnswers(text));
        this.#keep(id, { version, row });
        if (missing.get(id) === version) found.set(id, row);
      }
      return found.size === versions.length ? inOrder() : null;
    });
  }

  #keep(id: IssueId, cached: CachedRow): void {
    this.#drop(id);
    this.#rows.set(id, cached);
    this.#length += cached.row.text.length;
    for (const oldest of this.#rows.keys()) {
      if (this.#length <= most) return;
      this.#drop(oldest);
    }
  }

  #drop(id: IssueId): void {
    const cached = this.#rows.get(id);
    if (cached === undefined) return;
    this.#rows.delete(id);
    this.#length -= cached.row.text.length;
  }
}
