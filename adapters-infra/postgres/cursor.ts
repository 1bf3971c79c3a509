import { isUuid } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";
import { CursorInvalid, type Page } from "../../ports/views/page.ts";

/** Which list and order a cursor belongs to; one of another list is none. */
type CursorKind =
  | "issues.priority"
  | "issues.created"
  | "comments.asc"
  | "comments.desc"
  | "runs"
  | "activity"
  | "routine runs"
  | "costs"
  | "approvals"
  | "approval comments"
  | "secret access"
  | "interactions"
  | "revisions"
  | "attachments"
  | "search";

/** The place after a row: what the list is ordered by, the id last. */
type Place = readonly (string | number)[];

const encode = (kind: CursorKind, place: Place): string =>
  Buffer.from(JSON.stringify([kind, ...place])).toString("base64url");

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const isInstant = (value: unknown): value is Instant =>
  typeof value === "string" && instant.test(value) && !Number.isNaN(Date.parse(value));

/**
 * The place that a cursor marks, null without a cursor. Only what `pageOf` has written is read: another list's cursor,
 * another spelling of the same place and a place of wrong parts are all invalid.
 */
const decode = <P extends Place>(
  kind: CursorKind,
  cursor: string | undefined,
  isPlace: (place: readonly unknown[]) => boolean,
): P | null | CursorInvalid => {
  if (cursor === undefined) return null;
  try {
    const [found, ...place] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (found === kind && isPlace(place) && encode(kind, place as unknown as P) === cursor)
      return place as unknown as P;
  } catch {
    // Not JSON, or JSON that is no list.
  }
  return new CursorInvalid();
};

/** A cursor of a list that is ordered by id alone. */
export const idCursor = (
  kind: CursorKind,
  cursor: string | undefined,
): { id: string } | null | CursorInvalid => {
  const place = decode<readonly [string]>(
    kind,
    cursor,
    ([id, ...more]) => typeof id === "string" && isUuid(id) && more.length === 0,
  );
  return place === null || place instanceof CursorInvalid ? place : { id: place[0] };
};

export interface UrgencyPlace {
  readonly priorityRank: number;
  readonly lastActivityAt: Instant;
  readonly id: string;
}

/** A cursor of issues in order of urgency. */
export const urgencyCursor = (cursor: string | undefined): UrgencyPlace | null | CursorInvalid => {
  const place = decode<readonly [number, string, string]>(
    "issues.priority",
    cursor,
    ([rank, at, id, ...more]) =>
      (rank === 0 || rank === 1 || rank === 2 || rank === 3) &&
      isInstant(at) &&
      typeof id === "string" &&
      isUuid(id) &&
      more.length === 0,
  );
  return place === null || place instanceof CursorInvalid
    ? place
    : { priorityRank: place[0], lastActivityAt: place[1], id: place[2] };
};

export interface RankPlace {
  readonly rank: number;
  readonly id: string;
}

/** A cursor of what was searched for, best first. */
export const rankCursor = (cursor: string | undefined): RankPlace | null | CursorInvalid => {
  const place = decode<readonly [number, string]>(
    "search",
    cursor,
    ([rank, id, ...more]) =>
      typeof rank === "number" && typeof id === "string" && isUuid(id) && more.length === 0,
  );
  return place === null || place instanceof CursorInvalid ? place : { rank: place[0], id: place[1] };
};

/** Of one row more than asked for, the page: the row too many says only that there is a next one. */
export const pageOf = <Row>(
  rows: readonly Row[],
  limit: number,
  kind: CursorKind,
  placeOf: (row: Row) => Place,
): Page<Row> => {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? encode(kind, placeOf(last)) : null };
};
