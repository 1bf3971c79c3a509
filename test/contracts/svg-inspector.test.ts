import { describe, expect, it } from "vitest";
import { svgProblem } from "../../adapters-infra/local/svg-inspector.ts";

const svg = (inside: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`;

/** Close to the limit of one upload. */
const size = 10_000_000;

describe("An SVG made to overload the service is refused quickly", () => {
  it.each([
    ["elements within elements", svg("<g>".repeat(size / 7) + "</g>".repeat(size / 7)), /deeper than 100/],
    ["elements next to elements", svg("<g/>".repeat(size / 4)), /more than 50000 elements/],
    [
      "attributes",
      svg("", Array.from({ length: size / 12 }, (_, n) => `a${n}="1"`).join(" ")),
      /more than 200 attributes/,
    ],
    ["an address that never begins", svg(`<style>url(${" ".repeat(size)}x</style>`), /style/],
    ["an address of a fragment, far away", svg(`<style>a{fill:url(${" ".repeat(size)}#a)}</style>`), null],
    [
      "a font that never ends",
      svg(`<style>url(data:font/woff2;base64,${" ".repeat(size)}x</style>`),
      /style/,
    ],
    [
      "fonts that never end",
      svg(`<style>${"url(data:font/woff2;base64,A".repeat(size / 28)}</style>`),
      /style/,
    ],
    [
      "a picture that never ends",
      svg(`<image href="data:image/png;base64,${" ".repeat(size)}!"/>`),
      /embedded/,
    ],
    ["nothing but entities", svg("&amp;".repeat(size / 5)), null],
    ["what goes wrong at once, and much more", svg(`<script/>${"<g/>".repeat(size / 4)}`), /script/],
  ])("%s", (_, text, problem) => {
    const before = process.cpuUsage();
    const found = svgProblem(text);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toMatch(problem);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(4_000);
  });
});
