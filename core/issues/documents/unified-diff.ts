/** Lines around a change that are shown with it. */
const contextLines = 3;
/** Texts that differ in more lines than this are shown as one replaced by the other. */
const mostEdits = 2_000;

type Edit = readonly ["keep" | "remove" | "add", string];

/** What turns one text into the other, as people read it: a unified diff, empty where they are the same. */
export const unifiedDiff = (
  from: { readonly name: string; readonly text: string },
  to: { readonly name: string; readonly text: string },
): string => {
  if (from.text === to.text) return "";
  const edits = editsBetween(linesOf(from.text), linesOf(to.text));
  return [`--- ${from.name}\n`, `+++ ${to.name}\n`, ...hunksOf(edits).map(hunkText)].join("");
};

/** Lines with their ends, so that a last line without one differs from one with. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const editsBetween = (a: readonly string[], b: readonly string[]): readonly Edit[] => {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++;
  const keep = (line: string): Edit => ["keep", line];
  return [
    ...a.slice(0, head).map(keep),
    ...shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(keep),
  ];
};

/** Myers' greedy search for the fewest edits. */
const shortest = (a: readonly string[], b: readonly string[]): readonly Edit[] => {
  const most = Math.min(a.length + b.length, mostEdits);
  let reach = new Map<number, number>([[1, 0]]);
  const trail: ReadonlyMap<number, number>[] = [];
  for (let d = 0; d <= most; d++) {
    trail.push(reach);
    reach = new Map(reach);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trail);
    }
  }
  return [...a.map((line): Edit => ["remove", line]), ...b.map((line): Edit => ["add", line])];
};

const walkBack = (
  a: readonly string[],
  b: readonly string[],
  trail: readonly ReadonlyMap<number, number>[],
): readonly Edit[] => {
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trail.length - 1; d >= 0; d--) {
    const reach = trail[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
    const fromK = down ? k + 1 : k - 1;
    const fromX = reach.get(fromK) ?? 0;
    const fromY = fromX - fromK;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      edits.push(["keep", a[--x]!]);
      y--;
    }
    if (d === 0) break;
    if (down) edits.push(["add", b[--y]!]);
    else edits.push(["remove", a[--x]!]);
  }
  return edits.reverse();
};

interface Hunk {
  readonly fromLine: number;
  readonly toLine: number;
  readonly edits: readonly Edit[];
}

const hunksOf = (edits: readonly Edit[]): readonly Hunk[] => {
  const changed = edits.flatMap(([kind], at) => (kind === "keep" ? [] : [at]));
  const spans: [number, number][] = [];
  for (const at of changed) {
    const last = spans.at(-1);
    if (last !== undefined && at - last[1] <= 2 * contextLines) last[1] = at;
    else spans.push([at, at]);
  }
  const hunks: Hunk[] = [];
  let [fromLine, toLine, at] = [1, 1, 0];
  for (const [first, last] of spans) {
    const start = Math.max(0, first - contextLines);
    for (; at < start; at++) {
      fromLine++;
      toLine++;
    }
    const inside = edits.slice(start, last + 1 + contextLines);
    hunks.push({ fromLine, toLine, edits: inside });
    for (const [kind] of inside) {
      if (kind !== "add") fromLine++;
      if (kind !== "remove") toLine++;
    }
    at = start + inside.length;
  }
  return hunks;
};

const marks = { keep: " ", remove: "-", add: "+" } as const;

const hunkText = ({ fromLine, toLine, edits }: Hunk): string => {
  const count = (without: Edit[0]) => edits.filter(([kind]) => kind !== without).length;
  const range = (line: number, lines: number) => `${lines === 0 ? line - 1 : line},${lines}`;
  const body = edits.map(
    ([kind, line]) =>
      `${marks[kind]}${line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`}`,
  );
  return `@@ -${range(fromLine, count("add"))} +${range(toLine, count("remove"))} @@\n${body.join("")}`;
};
