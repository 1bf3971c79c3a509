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
  const numberOf = numbering();
  const [m, n] = [Int32Array.from(a, numberOf), Int32Array.from(b, numberOf)];
  const most = Math.min(m.length + n.length, mostEdits);
  // How far down `a` each diagonal -most-1..most+1 reaches.
  const reach = new Int32Array(2 * most + 3);
  const zero = most + 1;
  const trail: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trail.push(reach.slice(zero - d - 1, zero + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const [above, below] = [reach[zero + k + 1]!, reach[zero + k - 1]!];
      let x = goesDown(k, d, below, above) ? above : below + 1;
      while (x < m.length && x - k < n.length && m[x] === n[x - k]) x++;
      reach[zero + k] = x;
      if (x >= m.length && x - k >= n.length) return walkBack(a, b, trail);
    }
  }
  return [...a.map((line): Edit => ["remove", line]), ...b.map((line): Edit => ["add", line])];
};

/** Equal lines get equal numbers, which are compared faster. */
const numbering = (): ((line: string) => number) => {
  const numbers = new Map<string, number>();
  return (line) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
};

const goesDown = (k: number, d: number, below: number, above: number): boolean =>
  k === -d || (k !== d && below < above);

const walkBack = (
  a: readonly string[],
  b: readonly string[],
  trail: readonly Int32Array[],
): readonly Edit[] => {
  const edits: Edit[] = [];
  let [x, y] = [a.length, b.length];
  for (let d = trail.length - 1; d >= 0; d--) {
    const reach = (k: number) => trail[d]![k + d + 1]!;
    const k = x - y;
    const down = goesDown(k, d, reach(k - 1), reach(k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = reach(fromK);
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
