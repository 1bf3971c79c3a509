import { createHash } from "node:crypto";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { documentKey } from "../../core/model/issues/documents/document.ts";
import { type Priority, priorities } from "../../core/model/issues/issue-status.ts";
import { isUuid } from "../../core/model/shared/ids.ts";
import { type Instant, toInstant } from "../../core/model/shared/instant.ts";
import { CursorInvalid, type Page, type PageRequest } from "../../ports/views/page.ts";
import { batchRows, type Database, plannedForItsValues, type Statement } from "./database.ts";

/** The list that a cursor belongs to, with its filters; a cursor of another list is invalid. */
interface List {
  /** Its plan is the right one for any values: `list-plans.test.ts` reads it so. */
  readonly anyPlan?: boolean;
  readonly kind:
    | "issues.priority"
    | "issues.activity"
    | "issues.created"
    | "issues.newest"
    | "comments.asc"
    | "comments.desc"
    | "comment revisions"
    | "line comments"
    | "runs"
    | "run events"
    | "run messages"
    | "activity"
    | "activity of a time"
    | "routine runs"
    | "routine revisions"
    | "config revisions"
    | "event deliveries"
    | "costs"
    | "approvals"
    | "approvals of issue"
    | "approval comments"
    | "secret access"
    | "secret versions"
    | "interactions"
    | "documents"
    | "document revisions"
    | "house rules"
    | "projects"
    | "goals"
    | "attachments"
    | "inbox"
    | "workspace commands"
    | "workspaces"
    | "search";
  readonly of: Readonly<Record<string, unknown>>;
}

/** The sort keys of a row, the id last. They are the position after it. */
type SortKeys = readonly (string | number)[];

/** The sort order of a list. */
export interface Order<Row, P extends SortKeys> {
  readonly keysOf: (row: Row) => P;
  readonly areKeys: (parts: readonly unknown[]) => boolean;
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether the instant is in the calendar: JavaScript accepts a 30th of February, and PostgreSQL has no year 0. */
const isInstant = (value: unknown): value is Instant =>
  typeof value === "string" &&
  instant.test(value) &&
  !value.startsWith("0000") &&
  !Number.isNaN(Date.parse(value)) &&
  toInstant(new Date(value)) === value;

const isId = (value: unknown): value is string => typeof value === "string" && isUuid(value);

/** Ids ascend in order of creation. */
export const byId: Order<{ readonly id: string }, readonly [id: string]> = {
  keysOf: ({ id }) => [id],
  areKeys: ([id, ...more]) => isId(id) && more.length === 0,
};

/** Orders by a row's number within its parent, such as a revision's. */
export const byNumber = <Row>(numberOf: (row: Row) => number): Order<Row, readonly [number: number]> => ({
  keysOf: (row) => [numberOf(row)],
  areKeys: ([number, ...more]) => isInt32(number) && more.length === 0,
});

/** Orders by a document's key within its issue. */
export const byKey: Order<{ readonly key: string }, readonly [key: string]> = {
  keysOf: ({ key }) => [key],
  areKeys: ([key, ...more]) =>
    typeof key === "string" && Result.getOrNull(documentKey(key)) === key && more.length === 0,
};

const isInt32 = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;

interface Urgent {
  readonly priority: Priority;
  readonly lastActivityAt: Instant;
  readonly id: string;
}

export const byUrgency: Order<Urgent, readonly [rank: number, lastActivityAt: Instant, id: string]> = {
  keysOf: ({ priority, lastActivityAt, id }) => [priorities.indexOf(priority), lastActivityAt, id],
  areKeys: ([rank, at, id, ...more]) =>
    isInt32(rank) && (rank as number) < priorities.length && isInstant(at) && isId(id) && more.length === 0,
};

export const byActivity: Order<
  { readonly lastActivityAt: Instant; readonly id: string },
  readonly [lastActivityAt: Instant, id: string]
> = {
  keysOf: ({ lastActivityAt, id }) => [lastActivityAt, id],
  areKeys: ([at, id, ...more]) => isInstant(at) && isId(id) && more.length === 0,
};

export const byOccurrence: Order<
  { readonly occurredAt: Instant; readonly id: string },
  readonly [occurredAt: Instant, id: string]
> = {
  keysOf: ({ occurredAt, id }) => [occurredAt, id],
  areKeys: ([at, id, ...more]) => isInstant(at) && isId(id) && more.length === 0,
};

export const byCreation: Order<
  { readonly createdAt: Instant; readonly id: string },
  readonly [createdAt: Instant, id: string]
> = {
  keysOf: ({ createdAt, id }) => [createdAt, id],
  areKeys: ([at, id, ...more]) => isInstant(at) && isId(id) && more.length === 0,
};

/** A row that is read as JSON, its instants as PostgreSQL writes them. */
export interface TextRow {
  readonly text: string;
}

/** The order of rows that are read as JSON. */
export const inText = <Row, P extends SortKeys>(
  { keysOf, areKeys }: Order<NoInfer<Row>, P>,
  rowOf: (text: string) => Row,
): Order<TextRow, P> => ({
  keysOf: ({ text }) => keysOf(rowOf(text)),
  areKeys,
});

const isEntryId = (value: unknown): value is string => {
  const [kind = "", id = "", ...more] = typeof value === "string" ? value.split(":") : [];
  return /^[a-z_]+$/.test(kind) && isUuid(id) && more.length === 0;
};

/** Orders the inbox by waiting time; the id of an entry has the form `kind:id`. */
export const byAge: Order<
  { readonly waitingSince: Instant; readonly id: string },
  readonly [waitingSince: Instant, id: string]
> = {
  keysOf: ({ waitingSince, id }) => [waitingSince, id],
  areKeys: ([at, id, ...more]) => isInstant(at) && isEntryId(id) && more.length === 0,
};

/** Orders search results. */
export const byRank: Order<
  { readonly rank: number; readonly id: string },
  readonly [rank: number, id: string]
> = {
  keysOf: ({ rank, id }) => [rank, id],
  areKeys: ([rank, id, ...more]) => typeof rank === "number" && isId(id) && more.length === 0,
};

/**
 * Limit of the text in a page, in characters, unless one row alone is longer: a page of the longest texts would exhaust
 * memory and block other requests while it is serialised.
 */
const fullPage = 8 * 1024 * 1024;

/** Decides how the server plans a statement of a list. */
export type AsSent = <Row extends object>(asked: Statement<Row>) => Statement<Row>;

export type ReadFew<Row, P> = (
  asSent: AsSent,
  after: P | null,
  limit: number,
) => Effect.Effect<readonly Row[]>;

interface ReadList<Row, P> extends List {
  /** Reads the rows of a short page in another way, and sends its statements as `asSent` makes them. */
  readonly readFew?: ReadFew<Row, P>;
}

/**
 * Reads one page of a list. The statement reads up to `limit` rows after a position, null on the first page; one extra
 * row tells that there is a next page. Long rows can fill a page before the limit does.
 */
export const readPage = <Row extends object, P extends SortKeys>(
  database: Database,
  list: ReadList<NoInfer<Row>, NoInfer<P>>,
  order: Order<NoInfer<Row>, P>,
  { limit, cursor }: PageRequest,
  statement: (after: P | null, limit: number) => Statement<Row>,
): Effect.Effect<Page<Row>, CursorInvalid> => {
  const name = nameOf(list);
  const after = decode(name, order, cursor);
  const { readFew = (asSent, from, most) => database.read(asSent(statement(from, most))) } = list;
  return after instanceof CursorInvalid
    ? Effect.fail(after)
    : Effect.suspend(() => {
        let length = 0;
        let fitting = 0;
        const fill = (batch: readonly Row[]): boolean => {
          for (const row of batch) {
            length += lengthOf(row);
            if (length <= fullPage || fitting === 0) fitting++;
            // An extra row is known by now.
            else return true;
          }
          return false;
        };
        const asSent: AsSent = list.anyPlan || !isFiltered(list) ? (asked) => asked : plannedForItsValues;
        const found =
          limit < batchRows
            ? Effect.tap(readFew(asSent, after, limit + 1), (rows) => Effect.sync(() => fill(rows)))
            : database.readBatches(asSent(statement(after, limit + 1)), fill);
        return found.pipe(
          Effect.map((rows) => {
            const items = rows.slice(0, Math.min(limit, fitting));
            const last = items.at(-1);
            const more = rows.length > items.length && last !== undefined;
            return { items, next: more ? encode(name, order.keysOf(last)) : null };
          }),
        );
      });
};

/** A list of one parent has one plan for all parents; each filter has its own best plan. */
const isFiltered = ({ of }: List): boolean =>
  Object.values(of).filter((value) => value !== undefined).length > 1;

/** Sums the lengths of all texts in a value. */
const lengthOf = (value: unknown): number => {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let length = 0;
  for (const key in value) length += lengthOf((value as Readonly<Record<string, unknown>>)[key]);
  return length;
};

/** The order of filters and of their values does not matter. */
const nameOf = ({ kind, of }: List): string => {
  const filters = Object.entries(of)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)].sort() : value])
    .sort();
  return `${kind} ${createHash("sha256").update(JSON.stringify(filters)).digest("base64url").slice(0, 12)}`;
};

const encode = (name: string, keys: SortKeys): string =>
  Buffer.from(JSON.stringify([name, ...keys])).toString("base64url");

/**
 * Returns the position of a cursor, null without a cursor. Accepts only the exact output of `encode`: a cursor of
 * another list, another spelling of the position and wrong parts are invalid.
 */
const decode = <Row, P extends SortKeys>(
  name: string,
  { areKeys }: Order<Row, P>,
  cursor: string | undefined,
): P | null | CursorInvalid => {
  if (cursor === undefined) return null;
  try {
    const [found, ...keys] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (found === name && areKeys(keys) && encode(name, keys as unknown as P) === cursor)
      return keys as unknown as P;
  } catch {
    // Not JSON, or JSON other than an array.
  }
  return new CursorInvalid();
};
