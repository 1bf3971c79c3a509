import { describe, expect, it } from "vitest";
import { productPaths, productTexts, wordsPage } from "./support/product-texts.ts";

const texts = await productTexts(await productPaths());

const header = `# Words

All texts of the product that people may read, in the order of the source: the page, messages, reasons, help. Values stand in
braces. \`npm run words\` writes this page from the source: change a text where it is written.

`;

/** Patterns that no text of the product has, each with what to write instead. */
const forbidden: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bthere (is|are) no such\b/i, "“Issue not found.”"],
  [/\bso that (nobody|no one|you)\b/i, "two sentences, or “so you can …”"],
  [
    /\b(nobody|somebody|anybody) (has|is) (said|written|changed)\b/i,
    "“No comments yet”, “… was edited while you were”",
  ],
  [/\bby itself\b.*\b(again|fires)\b/i, "“No retries left.”"],
  [/\bput(ting)? aside\b/i, "“Snooze”"],
  [/\bsaid last\b/i, "“Latest comments”"],
  [/\bis like that\b/i, "“No issues match your filters”"],
  [/\bon disk, of which\b/i, "“188 KB, can be cleaned up”"],
  [/\ball the same\b/i, "“Merge without passing gates (logged)”"],
  [/\bmay not do that\b/i, "“You don't have permission to do this.”"],
  [/\bgiven up\b/i, "“abandoned”"],
  [/^Make (key|token)\b/, "“Create key”"],
];

describe("Texts of the product", () => {
  it.each(forbidden)("do not have %s, but %s", (pattern) => {
    expect(texts.filter(({ text }) => pattern.test(text))).toEqual([]);
  });

  it("are found in elements, attributes, templates and sums", () => {
    const found = texts.map(({ text }) => text);
    expect(found).toContain("Issue not found.");
    expect(found.length).toBeGreaterThan(4_000);
  });

  it("stand side by side in test/words.md, which `npm run words` writes", async () => {
    await expect(header + wordsPage(texts)).toMatchFileSnapshot("words.md");
  });
});
