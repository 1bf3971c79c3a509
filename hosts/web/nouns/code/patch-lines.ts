import { parsePatch } from "diff";

/** A line of a file's difference; its number is null on the side where it is not. */
export interface PatchLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly before: number | null;
  readonly after: number | null;
}

/** A part of it: the lines around a change. */
export interface PatchHunk {
  readonly heading: string;
  readonly lines: readonly PatchLine[];
}

/** Two lines next to each other; null: that side has no line. */
export interface PatchPair {
  readonly before: PatchLine | null;
  readonly after: PatchLine | null;
}

const kinds: Readonly<Record<string, PatchLine["kind"]>> = { " ": "same", "+": "added", "-": "removed" };

/** Reads the difference of one file as git prints it. null: it is none that can be read. */
export const readPatch = (patch: string): readonly PatchHunk[] | null => {
  try {
    return parsePatch(patch).flatMap(({ hunks }) =>
      hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
        let [before, after] = [oldStart, newStart];
        return {
          heading: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
          lines: lines.flatMap((line) => {
            const kind = kinds[line[0] ?? ""];
            // "\ No newline at end of file" is a remark.
            if (kind === undefined) return [];
            return {
              kind,
              text: line.slice(1),
              before: kind === "added" ? null : before++,
              after: kind === "removed" ? null : after++,
            };
          }),
        };
      }),
    );
  } catch {
    return null;
  }
};

/** Whether a line of one side is in it; the lines far from all changes are not. */
export const hasLine = (hunks: readonly PatchHunk[], side: "old" | "new", line: number): boolean =>
  hunks.some(({ lines }) => lines.some(({ before, after }) => (side === "old" ? before : after) === line));

/** Puts what was removed next to what was added in its place. */
export const sideBySide = (lines: readonly PatchLine[]): readonly PatchPair[] => {
  const pairs: PatchPair[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    if (line.kind === "same") {
      pairs.push({ before: line, after: line });
      at++;
      continue;
    }
    const run: PatchLine[] = [];
    for (; at < lines.length && lines[at]!.kind !== "same"; at++) run.push(lines[at]!);
    const removed = run.filter(({ kind }) => kind === "removed");
    const added = run.filter(({ kind }) => kind === "added");
    for (let nth = 0; nth < Math.max(removed.length, added.length); nth++)
      pairs.push({ before: removed[nth] ?? null, after: added[nth] ?? null });
  }
  return pairs;
};
