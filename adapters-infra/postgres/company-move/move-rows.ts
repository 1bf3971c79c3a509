import { createHash, randomBytes } from "node:crypto";
import { CompanyRefused, notAsWritten } from "./company-refused.ts";
import type { MovedColumn } from "./company-tables.ts";

/** The new ids, identifiers and keys of blobs in the copy of a company. */
export interface Move {
  id(id: string): string;
  blobKey(key: string): string;
  /** Whether a record of the company has the id. Only such ids are replaced within texts. */
  isKnown(id: string): boolean;
  readonly prefix: { readonly from: string; readonly to: string };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const uuids = /^\{(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:,(?!\})|(?=\})))*\}$/;
const uuidsWithin = /(?<![0-9a-zA-Z-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-zA-Z-])/g;
/** An escape of COPY, or of JSON within it, may stand before an id. */
const afterEscape = /(?<=\\[nrt])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-zA-Z-])/g;

/** Texts of people and agents, in which they name issues by identifiers. */
const namesIssues: Readonly<Record<string, readonly string[]>> = {
  comment_revisions: ["body"],
  comments: ["body"],
  document_revisions: ["body"],
  documents: ["body"],
  issues: ["title", "description"],
};

/**
 * New ids by changing the last 40 bits, by a number that only this move knows: an id keeps its time, and with it its place
 * in every list, and no file can aim at a record that exists.
 */
export const newMove = (
  prefix: Move["prefix"],
  isKnown: (id: string) => boolean,
  key: Buffer = randomBytes(21),
): Move => {
  const [high, low] = [key.readUIntBE(0, 3) & 0xfffff, key.readUIntBE(3, 3) & 0xfffff];
  const folder = `moved/${key.subarray(6).toString("hex")}`;
  const digits = (text: string, by: number) => (Number.parseInt(text, 16) ^ by).toString(16).padStart(5, "0");
  return {
    prefix,
    isKnown,
    id: (id) => id.slice(0, 26) + digits(id.slice(26, 31), high) + digits(id.slice(31), low),
    blobKey: (name) => `${folder}/${createHash("sha256").update(name).digest("hex")}`,
  };
};

/** Returns a function that moves rows of a table, in the text format of COPY. */
export const rowMover = (
  table: string,
  columns: readonly MovedColumn[],
  move: Move,
): ((rows: Buffer) => Buffer) => {
  const movers = columns.map((column) => fieldMover(table, column, move));
  return (rows) => {
    const lines = rows.toString("utf8").split("\n");
    if (lines.pop() !== "") throw notAsWritten();
    const moved = lines.map((line) => {
      const fields = line.split("\t");
      if (fields.length !== movers.length) throw notAsWritten();
      return fields.map((field, at) => (field === "\\N" ? field : movers[at]!(field))).join("\t");
    });
    return Buffer.from(`${moved.join("\n")}\n`);
  };
};

const fieldMover = (table: string, { name, type }: MovedColumn, move: Move): ((field: string) => string) => {
  if (name === "blob_key") return move.blobKey;
  if (table === "issues" && name === "identifier") return (field) => movedIdentifier(field, move);
  if (type === "uuid")
    return (field) => {
      if (!uuid.test(field)) throw notAsWritten();
      return move.id(field);
    };
  if (type === "uuid[]")
    return (field) => {
      if (!uuids.test(field)) throw notAsWritten();
      return field.replace(uuidsWithin, move.id);
    };
  if (type !== "text" && type !== "jsonb" && type !== "text[]") return (field) => field;
  const known = (id: string) => (move.isKnown(id) ? move.id(id) : id);
  const ids = (field: string) => field.replace(uuidsWithin, known).replace(afterEscape, known);
  if (!namesIssues[table]?.includes(name) || move.prefix.from === move.prefix.to) return ids;
  const identifiers = new RegExp(
    `(?<![0-9A-Za-z-])${move.prefix.from}-(?=[1-9][0-9]{0,8}(?![0-9A-Za-z]))`,
    "g",
  );
  return (field) => ids(field).replace(identifiers, `${move.prefix.to}-`);
};

const movedIdentifier = (field: string, { prefix }: Move): string => {
  const [, number] = /^[A-Z]{1,30}-([1-9][0-9]{0,8})$/.exec(field) ?? [];
  if (number === undefined)
    throw new CompanyRefused("The file names an issue in a form that no company has.");
  return `${prefix.to}-${number}`;
};
