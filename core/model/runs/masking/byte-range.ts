/** A range of bytes, `end` excluded. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Sorts the ranges and merges those that touch or overlap. */
export const united = (ranges: readonly ByteRange[]): readonly ByteRange[] => {
  if (ranges.length < 2) return ranges;
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || start > last.end) all.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return all;
};
