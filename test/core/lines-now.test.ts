import * as Result from "effect/Result";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  describeLines,
  linesOfText,
  locationText,
  quotedLines,
} from "../../core/model/issues/comments/comment-location.ts";
import { linesNow } from "../../core/model/issues/comments/lines-now.ts";
import { unifiedDiff } from "../../core/model/issues/documents/unified-diff.ts";
import type { RepositoryId } from "../../core/model/shared/ids.ts";
import { id } from "../support/nouns.ts";

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
const patchOf = (before: readonly string[], after: readonly string[]) =>
  Result.getOrThrow(unifiedDiff({ name: "a", text: textOf(before) }, { name: "b", text: textOf(after) }));

/** Few different lines, so that the same text stands in several places. */
const alike = fc.array(fc.constantFrom("a", "b", "c", "", "}"), { minLength: 1, maxLength: 30 });
const rangeIn = (count: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: count }), fc.integer({ min: 1, max: count }))
    .map(([one, other]) => ({ startLine: Math.min(one, other), endLine: Math.max(one, other) }));

describe("The lines of a comment, in a later version of the file", () => {
  it("say the same wherever they are found, for any two texts", () => {
    const cases = alike.chain((before) => fc.tuple(fc.constant(before), alike, rangeIn(before.length)));
    fc.assert(
      fc.property(cases, ([before, after, range]) => {
        const now = linesNow(patchOf(before, after), range);
        if (now === null) return;
        expect(after.slice(now.startLine - 1, now.endLine)).toEqual(
          before.slice(range.startLine - 1, range.endLine),
        );
      }),
    );
  });

  /** Lines that are all different, cut before and after some of them. */
  const around = fc
    .tuple(fc.nat(20), fc.integer({ min: 1, max: 8 }), fc.nat(20))
    .chain(([above, within, below]) =>
      fc.record({
        above: fc.constant(Array.from({ length: above }, (_, n) => `above ${n}`)),
        within: fc.constant(Array.from({ length: within }, (_, n) => `within ${n}`)),
        below: fc.constant(Array.from({ length: below }, (_, n) => `below ${n}`)),
        newAbove: fc.array(fc.constantFrom("x", "above 1", "above 3", "y"), { maxLength: 20 }),
        newBelow: fc.array(fc.constantFrom("x", "below 0", "below 3", "y"), { maxLength: 20 }),
      }),
    );

  it("move by what is written and removed above them, and by nothing below", () => {
    fc.assert(
      fc.property(around, ({ above, within, below, newAbove, newBelow }) => {
        const range = { startLine: above.length + 1, endLine: above.length + within.length };
        const patch = patchOf([...above, ...within, ...below], [...newAbove, ...within, ...newBelow]);
        expect(linesNow(patch, range)).toEqual({
          startLine: newAbove.length + 1,
          endLine: newAbove.length + within.length,
        });
      }),
    );
  });

  it("are not there once one of them is changed, is gone, or has another between them", () => {
    const changes = around.chain((texts) =>
      fc.tuple(
        fc.constant(texts),
        fc.nat(texts.within.length - 1),
        fc.constantFrom("changed", "gone", "split"),
      ),
    );
    fc.assert(
      fc.property(changes, ([{ above, within, below }, at, how]) => {
        fc.pre(how !== "split" || at > 0);
        const range = { startLine: above.length + 1, endLine: above.length + within.length };
        const unchanged = how === "split" ? [within[at]!] : [];
        const after = [
          ...within.slice(0, at),
          ...(how === "gone" ? [] : ["another"]),
          ...unchanged,
          ...within.slice(at + 1),
        ];
        expect(
          linesNow(patchOf([...above, ...within, ...below], [...above, ...after, ...below]), range),
        ).toBeNull();
      }),
    );
  });

  it("are where they were if nothing but the mode of the file differs, and nowhere in a binary file", () => {
    const range = { startLine: 2, endLine: 3 };
    expect(linesNow("diff --git a/a b/a\nold mode 100644\nnew mode 100755\n", range)).toEqual(range);
    expect(linesNow("diff --git a/a b/a\nindex 1..2\nBinary files a/a and b/a differ\n", range)).toBeNull();
  });
});

describe("A comment's location", () => {
  const lines = ["one", "x".repeat(1_000), ...Array.from({ length: 40 }, (_, n) => `${n}`)];
  const range = { startLine: 1, endLine: 42 };
  const location = {
    ...range,
    path: "src/a\u202Eb.ts",
    side: "new",
    commit: "a".repeat(40),
    lines: quotedLines(lines, range),
    repositoryId: id<RepositoryId>(1),
  } as const;

  it("quotes its lines, long ones cut, and an agent reads the first of them", () => {
    expect(location.lines).toHaveLength(42);
    expect(location.lines[1]!.length).toBeLessThan(310);
    const text = locationText(location);
    expect(text.split("\n")).toHaveLength(22);
    expect(text).toContain("> one\n");
    expect(text).toContain("On src/a\\u{202e}b.ts, lines 1 to 42, at commit aaaaaaaaaaaa:\n");
    expect(locationText({ ...location, path: "a.ts", side: "old", startLine: 3, endLine: 3 })).toContain(
      "On a.ts, line 3 of the text before the changes, at commit",
    );
  });

  it("counts lines as git does", () => {
    expect(linesOfText("a\nb\n")).toEqual(["a", "b"]);
    expect(linesOfText("a\nb")).toEqual(["a", "b"]);
    expect(linesOfText("")).toEqual([]);
    expect(linesOfText("\n")).toEqual([""]);
    expect(describeLines({ startLine: 2, endLine: 4 })).toBe("lines 2 to 4");
  });
});
