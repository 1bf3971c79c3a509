import type { LineRange } from "./comment-location.ts";

const heading = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Neighbouring lines that both versions have; `to` is not one of them. */
interface SameLines {
  readonly from: number;
  readonly to: number;
  /** Their numbers grow by it. */
  readonly shift: number;
}

/**
 * Finds lines of a file in another version of it, by the difference of the two in the format of `git diff`. null: one of
 * them is changed or gone, or something stands between them now.
 */
export const linesNow = (patch: string, { startLine, endLine }: LineRange): LineRange | null => {
  if (/^Binary files .* differ$/m.test(patch)) return null;
  for (const { from, to, shift } of sameLines(patch))
    if (from <= startLine && startLine < to)
      return endLine < to ? { startLine: startLine + shift, endLine: endLine + shift } : null;
  return null;
};

/** In order. The last one is open-ended. */
function* sameLines(patch: string): Generator<SameLines> {
  let from = 1;
  let shift = 0;
  const rows = patch.split("\n");
  for (let at = 0; at < rows.length; ) {
    const [, oldStart, oldCount = "1", , newCount = "1"] = heading.exec(rows[at++]!) ?? [];
    if (oldStart === undefined) continue;
    // A side without lines gives the number of the line before it.
    let line = Number(oldStart) + (oldCount === "0" ? 1 : 0);
    let [before, after] = [Number(oldCount), Number(newCount)];
    for (; (before > 0 || after > 0) && at < rows.length; at++) {
      const mark = rows[at]![0];
      if (mark === "\\") continue;
      if (mark === "+" || mark === "-") {
        if (from < line) yield { from, to: line, shift };
        from = mark === "-" ? line + 1 : line;
        shift += mark === "-" ? -1 : 1;
      }
      if (mark !== "+") {
        line++;
        before--;
      }
      if (mark !== "-") after--;
    }
  }
  yield { from, to: Number.POSITIVE_INFINITY, shift };
}
