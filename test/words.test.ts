import { describe, expect, it } from "vitest";
import { productPaths, productTexts } from "./support/product-texts.ts";

const texts = await productTexts(await productPaths());

/** Patterns that no text of the product has, each with what to write instead. */
const forbidden: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bthere (is|are) no such\b/i, "“Issue not found.”"],
];

describe("Texts of the product", () => {
  it.each(forbidden)("do not have %s, but %s", (pattern) => {
    expect(texts.filter(({ text }) => pattern.test(text))).toEqual([]);
  });
});
