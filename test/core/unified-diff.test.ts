import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unifiedDiff } from "../../core/model/issues/documents/unified-diff.ts";

const diff = (from: string, to: string) => unifiedDiff({ name: "a", text: from }, { name: "b", text: to });

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
    ["differ in every line", (n: number) => `a${n}`, (n: number) => `b${n}`, 60_000],
    [
      "have few lines to choose from",
      (n: number) => `${(n * n) % 7}`,
      (n: number) => `${(n * 3) % 5}`,
      250_000,
    ],
    ["differ in length alone", () => "a", (n: number) => (n < 4000 ? "" : "a"), 250_000],
  ])("of the longest allowed texts is fast, if they %s", (_, from, to, lines) => {
    const text = (line: (n: number) => string) =>
      Array.from({ length: lines }, (_, n) => `${line(n)}\n`).join("");
    const [a, b] = [text(from), text(to)];
    // Measures processor time, which other work does not affect; a comparison of all pairs of lines would take minutes.
    const before = process.cpuUsage();
    expect(diff(a, b)).toMatch(/^[+]/m);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3_000);
  });
});
