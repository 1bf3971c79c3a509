import * as Result from "effect/Result";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../core/model/issues/documents/unified-diff.ts";
import { processorTime } from "../support/processor-time.ts";

const compared = (from: string, to: string) =>
  unifiedDiff({ name: "a", text: from }, { name: "b", text: to });
const diff = (from: string, to: string) => Result.getOrThrow(compared(from, to));

/** Applies the diff to a text, as `patch` does. */
const applied = (text: string, patch: string): string => {
  if (patch === "") return text;
  const source = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let at = 0;
  const lines = patch.split("\n").slice(2, -1);
  for (const [n, line] of lines.entries()) {
    const [, start, count] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    if (start !== undefined) {
      const first = count === "0" ? Number(start) : Number(start) - 1;
      result.push(...source.slice(at, first));
      at = first;
      continue;
    }
    if (line.startsWith("\\")) continue;
    const content = line.slice(1) + (lines[n + 1]?.startsWith("\\") ? "" : "\n");
    if (line[0] !== "+") expect(source[at++]).toBe(content);
    if (line[0] !== "-") result.push(content);
  }
  return [...result, ...source.slice(at)].join("");
};

describe("A unified diff", () => {
  it.each([
    ["a\nb\nc\n", "a\nB\nc\n", "--- a\n+++ b\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"],
    ["", "a\n", "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+a\n"],
    ["a\n", "", "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-a\n"],
    ["a", "a\n", "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"],
    ["same", "same", ""],
  ])("from %j to %j is %j", (from, to, text) => {
    expect(diff(from, to)).toBe(text);
  });

  it("turns the one text into the other, for any texts", () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom("a", "b", "c", "", "dd"), { maxLength: 30 }), fc.boolean())
      .map(([lines, ended]) => lines.join("\n") + (ended ? "\n" : ""));
    fc.assert(
      fc.property(text, text, (from, to) => {
        expect(applied(from, diff(from, to))).toBe(to);
      }),
    );
  });

  it.each([
    ["differ in every line", (n: number) => `a${n}`, (n: number) => `b${n}`],
    ["have few lines to choose from", (n: number) => `${(n * n) % 7}`, (n: number) => `${(n * 3) % 5}`],
    ["differ in length alone", () => "a", (n: number) => (n < 4000 ? "" : "a")],
  ])("of the longest texts that are compared costs as little as reading them, if they %s", (_, from, to) => {
    const text = (line: (n: number) => string) =>
      Array.from({ length: 9_990 }, (_, n) => `${line(n)}\n`).join("");
    const [a, b] = [text(from), text(to)];
    expect(diff(a, b)).toMatch(/^[+]/m);
    // A search without a bound takes many times as long.
    const [least, reference] = [leastOf(() => diff(a, b)), leastOf(readLines(a + b))];
    expect(least).toBeLessThan(5 * reference);
  });

  it("of more lines is refused, because everybody would wait for it", () => {
    const lines = (n: number) => "a\n".repeat(n);
    expect(compared(lines(10_000), lines(10_001))).toEqual(
      Result.fail(expect.objectContaining({ code: "too_many_lines" })),
    );
    expect(diff(lines(200_000), lines(200_000))).toBe("");
  });
});

const readLines = (text: string) => () => {
  for (let n = 0; n < 60; n++) text.split("\n").join("\r");
};

const leastOf = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const took = processorTime();
      work();
      return took();
    }),
  );
