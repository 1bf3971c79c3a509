import type { RepositoryId } from "../../shared/ids.ts";

export const locationSides = ["new", "old"] as const;
/** new: the text in the work; old: the text that the work began from. */
export type LocationSide = (typeof locationSides)[number];

/** Lines of a file, counted from 1, both included. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** The lines of an issue's changes on which a comment was written; it stays as it was then. */
export interface CommentLocation extends LineRange {
  readonly repositoryId: RepositoryId;
  readonly path: string;
  readonly side: LocationSide;
  /** The commit that has them. */
  readonly commit: string;
  /** Their text; long ones are cut. */
  readonly lines: readonly string[];
}

/** The parts that a text about it needs. */
type ShownLocation = Omit<CommentLocation, "repositoryId">;

export const locationLimits = { lines: 100, lineLength: 300, fileBytes: 2 * 2 ** 20 } as const;

/** The text of lines as git counts them: each ends with a line feed, but for the last. */
export const linesOfText = (text: string): readonly string[] => {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
};

/** The lines as a comment stores them. */
export const quotedLines = (lines: readonly string[], { startLine, endLine }: LineRange): readonly string[] =>
  lines
    .slice(startLine - 1, endLine)
    .map((line) =>
      line.length > locationLimits.lineLength
        ? `${line.slice(0, locationLimits.lineLength).toWellFormed()} …`
        : line,
    );

/** Such as `line 3` or `lines 3 to 5`. */
export const describeLines = ({ startLine, endLine }: LineRange): string =>
  startLine === endLine ? `line ${startLine}` : `lines ${startLine} to ${endLine}`;

/** A path with invisible characters escaped. */
const shownPath = (path: string): string =>
  path.replace(/[\p{Cc}\p{Cf}]/gu, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`);

/** The quoted lines, in a text for programs. */
const shownLines = 20;

/** The location for readers of plain text: file, lines and commit, then the first of its lines. */
export const locationText = (location: ShownLocation): string =>
  [
    `On ${shownPath(location.path)}, ${describeLines(location)}${location.side === "old" ? " of the text before the changes" : ""}, at commit ${location.commit.slice(0, 12)}:`,
    ...location.lines.slice(0, shownLines).map((line) => `> ${line}`),
    ...(location.lines.length > shownLines ? ["> …"] : []),
  ].join("\n");

/** A comment's text below its location, if it has one. */
export const withLocation = (body: string, location: ShownLocation | null): string =>
  location === null ? body : `${locationText(location)}\n\n${body}`;
