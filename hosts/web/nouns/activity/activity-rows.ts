import type { RowOf } from "../../live/calls.ts";

type Entry = RowOf<"activity.list">;

/** A row of the list: an entry, which may stand for earlier ones of the same actor about the same thing. */
export interface ActivityRow {
  /** The one of the oldest entry below it, so that neither news nor another page takes the focus away. */
  readonly key: string;
  readonly entry: Entry;
  /** The entries that follow it and are not shown, or are shown below it where it is open; of an entry alone: none. */
  readonly earlier: readonly Entry[];
  readonly isOpen: boolean;
  /** An entry below an open row. */
  readonly isEarlier: boolean;
  /** Whether a day begins with the row: the list is newest first, so it is the last of its day. */
  readonly beginsDay: boolean;
}

/** Days begin at midnight where the reader is. */
const dayOf = ({ createdAt }: Entry): string => new Date(createdAt).toDateString();

const isOneDoing = (entry: Entry, other: Entry): boolean =>
  entry.actorType === other.actorType &&
  entry.actorId === other.actorId &&
  entry.assistant === other.assistant &&
  entry.entityType === other.entityType &&
  entry.entityId === other.entityId &&
  dayOf(entry) === dayOf(other);

/** Consecutive entries of one day, one actor and one thing belong together. */
const foldedOf = (entries: readonly Entry[]): readonly (readonly Entry[])[] => {
  const folded: Entry[][] = [];
  for (const entry of entries) {
    const last = folded.at(-1);
    if (last !== undefined && isOneDoing(last[0]!, entry)) last.push(entry);
    else folded.push([entry]);
  }
  return folded;
};

/** One row for each entry, in order. */
export const singleRows = (entries: readonly Entry[]): readonly ActivityRow[] =>
  entries.map((entry) => ({
    key: entry.id,
    entry,
    earlier: [],
    isOpen: false,
    isEarlier: false,
    beginsDay: false,
  }));

/** The rows of entries by days, newest first. `opened` has the id of an entry of each row that is open. */
export const rowsByDay = (entries: readonly Entry[], opened: ReadonlySet<string>): readonly ActivityRow[] => {
  let day: string | null = null;
  return foldedOf(entries).flatMap((folded) => {
    const [entry, ...earlier] = folded as [Entry, ...Entry[]];
    const beginsDay = dayOf(entry) !== day;
    day = dayOf(entry);
    const isOpen = earlier.length > 0 && folded.some(({ id }) => opened.has(id));
    const head = { key: folded.at(-1)!.id, entry, earlier, isOpen, isEarlier: false, beginsDay };
    if (!isOpen) return [head];
    const below = singleRows(earlier).map((row) => ({ ...row, key: `below ${row.key}`, isEarlier: true }));
    return [head, ...below];
  });
};
