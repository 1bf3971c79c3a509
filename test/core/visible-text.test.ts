import { describe, expect, it } from "vitest";
import { visibleRecord, visibleText } from "../../core/model/shared/visible-text.ts";
import { presented } from "../../core/runs/permission-request.ts";

const permission = (command: string) =>
  presented({ tool: "Bash", title: "Run", command, path: command, diff: command, reason: command } as never);

/** A sample of each kind; the four in the first line were shown as nothing before. */
const unseen = [
  "\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180e", "\u2800", "\u3164", "\uffa0", "\ufe00", "\ufe0f", "\u{e0100}", "\u{1d173}",
  "\ufff9", "\ufffb", "\u00a0", "\u2003", "\u202f", "\u3000", "\u1680", "\u205f", "\u{1bca0}", "\u{e0041}",
  "\u200b", "\u200e", "\u202e", "\u2066", "\u2028", "\ufeff", "\u00ad", "\u0000", "\u001b", "\u0085", "\ud800",
]; // biome-ignore format: a table

describe("Text that a person decides about", () => {
  it.each(unseen.map((character) => [character.codePointAt(0)!.toString(16), character]))(
    "spells out U+%s",
    (code, character) => {
      expect(visibleText(`a${character}b`)).toBe(`a\\u{${code}}b`);
      const asked = permission(`rm${character}-rf /`);
      for (const field of ["command", "path", "diff", "reason"])
        expect(asked).toHaveProperty(`payload.${field}`, `rm\\u{${code}}-rf /`);
    },
  );

  it("leaves every other text as it is, with lines, tabs and indentation", () => {
    for (const text of ["if (a) {\n\t\tb\n\n  c\n}", "Grüße 日本 мир עברית", `a${" ".repeat(40)}b`, "😀 a"])
      expect(visibleText(text)).toBe(text);
    expect(visibleText("a\r\nb")).toBe("a\nb");
  });

  it("leaves pictures whole that several characters make", () => {
    for (const picture of ["⚠\ufe0f", "❤\ufe0f\u200d🔥", "👩🏽\u200d🚀", "👨\u200d👩\u200d👧"])
      expect(visibleText(picture)).toBe(picture);
    expect(visibleText("a\ufe0f b\u200dc ⚠\ufe0f\ufe0f 🚀\u200d rm")).toBe(
      "a\\u{fe0f} b\\u{200d}c ⚠\ufe0f\\u{fe0f} 🚀\\u{200d} rm",
    );
  });

  it("is seen in every field of a record but those that are not read, and in the names of fields", () => {
    const record = { "na\u200bme": ["a\u202eb", { inner: "c\u3164" }], id: "d\u200b", count: 2, none: null };
    expect(visibleRecord(record, (field) => field === "id")).toEqual({
      "na\\u{200b}me": ["a\\u{202e}b", { inner: "c\\u{3164}" }],
      id: "d\u200b",
      count: 2,
      none: null,
    });
  });

  it.each([
    ["blanks", `ls${" ".repeat(3_000)}; rm -rf /`, "ls [… 3000 spaces …] ; rm -rf /"],
    ["tabs", `ls${"\t".repeat(500)}; rm`, "ls [… 500 spaces …] ; rm"],
    ["empty lines", `ls${"\n".repeat(400)}rm -rf /`, "ls\n[… 399 empty lines …]\nrm -rf /"],
    ["blank lines", `ls\n${"  \n".repeat(400)}rm`, "ls\n[… 400 empty lines …]\nrm"],
  ])("has no end out of sight behind %s", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(permission(text)).toHaveProperty("payload.command", shown);
  });
});
