import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";

/** The context lines around a change. */
const contextLines = 3;
/**
 * Texts that differ in more lines than this are shown as a complete replacement, because the search would take too
 * long.
 */
const mostEdits = 2_000;

interface Side {
  readonly name: string;
  readonly text: string;
}

/** Returns the unified diff of two texts; empty where they are equal. */
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

/** Splits lines with their ends, so that a last line without a line end differs from one with it. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const marked = (mark: "-" | "+", lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) =>
    line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, "\\ No newline at end of file"],
  );
