import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";

/** Lines around a change that are shown with it. */
const contextLines = 3;
/** Texts that differ in more lines than this are shown as one replaced by the other: the search would take too long. */
const mostEdits = 2_000;

interface Side {
  readonly name: string;
  readonly text: string;
}

/** What turns one text into the other, as people read it: a unified diff, empty where they are the same. */
export const unifiedDiff = (from: Side, to: Side): string => {
  if (from.text === to.text) return "";
  const options = { context: contextLines, maxEditLength: mostEdits };
  const patch =
    structuredPatch(from.name, to.name, from.text, to.text, undefined, undefined, options) ??
    replacement(from, to);
  return formatPatch(patch, FILE_HEADERS_ONLY);
};

const replacement = (from: Side, to: Side): StructuredPatch => {
  const [removed, added] = [linesOf(from.text), linesOf(to.text)];
  const hunk = {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...marked("-", removed), ...marked("+", added)],
  };
  return {
    oldFileName: from.name,
    newFileName: to.name,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
};

/** Lines with their ends, so that a last line without one differs from one with. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const marked = (mark: "-" | "+", lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"],
  );
