import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff";
import * as Result from "effect/Result";
import { refusal } from "../../shared/failure.ts";

/** The context lines around a change. */
const contextLines = 3;
/**
 * Texts that differ in more lines than this are shown as a complete replacement: the search takes quadratic time, during which
 * the service answers nobody else.
 */
const mostEdits = 300;
/** Of both texts together. */
const mostLines = 20_000;

export class TooManyLines extends refusal(
  "too_many_lines",
  "unprocessable",
  `These revisions are too large to compare: more than ${mostLines} lines in total.`,
) {}

interface Side {
  readonly name: string;
  readonly text: string;
}

/** Returns the unified diff of two texts; empty where they are equal. */
export const unifiedDiff = (from: Side, to: Side): Result.Result<string, TooManyLines> => {
  if (from.text === to.text) return Result.succeed("");
  if (countLines(from.text) + countLines(to.text) > mostLines) return Result.fail(new TooManyLines());
  const options = { context: contextLines, maxEditLength: mostEdits };
  const patch =
    structuredPatch(from.name, to.name, from.text, to.text, undefined, undefined, options) ??
    replacement(from, to);
  return Result.succeed(formatPatch(patch, FILE_HEADERS_ONLY));
};

const countLines = (text: string): number => {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
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
