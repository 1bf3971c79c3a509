/** A range of bytes, `end` excluded. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Sorts the stretches and merges those that touch or overlap. */
export const united = (stretches: readonly Stretch[]): readonly Stretch[] => {
  if (stretches.length < 2) return stretches;
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || start > last.end) all.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return all;
};
