import { describe, expect, it } from "vitest";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";
import { frontMatter } from "../../adapters-infra/local/skill-catalogue.ts";
import { svgProblem } from "../../adapters-infra/local/svg-inspector.ts";
import { readResult } from "../../adapters-infra/plugins/execute-result.ts";
import { mentionedAgents } from "../../core/model/issues/comments/mentions.ts";
import { unifiedDiff } from "../../core/model/issues/documents/unified-diff.ts";
import { fillDescription, fillTitle } from "../../core/model/routines/routine-template.ts";
import { payloadOf } from "../../core/model/routines/trigger-payload.ts";
import { Masking } from "../../core/model/runs/masking/masking.ts";
import { partsOf } from "../../core/model/runs/masking/secret-parts.ts";
import type { AgentId } from "../../core/model/shared/ids.ts";
import { FreeObject } from "../../hosts/api/endpoint/values.ts";
import { markdownTokens } from "../../hosts/web/nouns/markdown-tokens.ts";
import { readTexts } from "../../plugins/adapter-b-local/src/detect-model.ts";
import { hostileUnits, repeated } from "../support/hostile-texts.ts";
import { now } from "../support/nouns.ts";
import { processorTime } from "../support/processor-time.ts";
import { sampled } from "../support/sample.ts";

const agents = [{ id: "a" as AgentId, name: "A a a a a", urlKey: "a-a" }];
const masking = new Masking([
  "correct horse battery staple",
  "-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA\n",
  '{"a":"<secret>"}',
]);
const calendar = cronerCalendar();
const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`;
const facts = { payload: { a: "b" }, at: now, timezone: "UTC" };

/** Readers of texts that agents and unknown senders write. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  mentions: (text) => mentionedAgents(text, agents),
  masking: (text) => masking.text(text),
  "filling a title": (text) => fillTitle(text, facts),
  "filling a description": (text) => fillDescription(text, facts),
  "the difference of two texts": (text) =>
    unifiedDiff({ name: "a", text }, { name: "b", text: `${text.slice(9)}x` }),
  "laying out Markdown": markdownTokens,
  "inspecting an SVG": (text) => [text, svg(text)].map(svgProblem),
  "inspecting an attribute of an SVG": (text) => svgProblem(svg(`<path d="${text}"/>`)),
  "inspecting a style of an SVG": (text) => svgProblem(svg(`<style>${text}</style>`)),
  "reading a cron expression": (text) => calendar.refuse({ cronExpression: text, timezone: "UTC" }),
  "reading a time zone": (text) => calendar.refuse({ cronExpression: "@daily", timezone: text }),
  "reading the front matter of a skill": (text) =>
    [`---\nname: ${text}\n---\n`, `---\n${text}`].map(frontMatter),
  "reading settings in TOML": (text) => [text, `a = "${text}`].map(readTexts),
  "reading the body of a webhook": (text) => payloadOf(Buffer.from(text)),
  "finding the parts of a secret": (text) => [text, JSON.stringify({ text })].map(partsOf),
  // Values of secrets are shorter than texts.
  "preparing the masks of a secret": (text) => new Masking([text.slice(text.length / 8)]),
};

/** The processor time of one call in milliseconds. */
const costMs = (work: () => unknown): number => {
  const took = processorTime();
  work();
  return took();
};
const leastCostMs = (work: () => unknown): number => Math.min(...[1, 2, 3].map(() => costMs(work)));

const short = 8 * 1024;
const times = 16;
/** Of quadratic growth it would be `times ** 2`. */
const bound = times ** 2 / 3;
/** Below this, the cost of a long text says nothing about growth. */
const leastMs = 80;
const tries = 10;

describe.each(Object.entries(readers))("The cost of %s", (name, read) => {
  it.each(sampled(hostileUnits, 3, Object.keys(readers).indexOf(name)))(
    "of %j grows with the text, and not with its square",
    (unit) => {
      const readLong = () => read(`x${repeated(unit, short * times)}!`);
      let long = costMs(readLong);
      if (long < leastMs) return;
      const least = Math.max(
        leastMs / times,
        leastCostMs(() => read(`x${repeated(unit, short)}!`)),
      );
      // A collection of garbage, a compilation or another load of the machine makes one call longer, not every one.
      for (let n = 1; n < tries && long >= bound * least; n++) long = Math.min(long, costMs(readLong));
      expect(long / least).toBeLessThan(bound);
    },
  );
});

describe("JSON that is nested 200,000 levels deep", () => {
  const nested = (open: string, close: string) =>
    JSON.parse(`${open.repeat(200_000)}1${close.repeat(200_000)}`) as unknown;
  const deep = [nested("[", "]"), nested('{"a":', "}")];

  it("is refused in a request, with the limit", () => {
    for (const value of deep)
      expect(FreeObject.safeParse({ value }).error?.issues).toMatchObject([
        { message: "must not be nested deeper than 100 levels" },
      ]);
  });

  it("is text in the body of a webhook", () => {
    const text = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(payloadOf(Buffer.from(text))).toEqual({ body: text });
  });

  it("is left out of the result of an adapter", () => {
    for (const value of deep) {
      const answer = { exitCode: 0, timedOut: false, resultJson: { value } };
      expect(readResult(answer)).toEqual({ exitCode: 0, timedOut: false });
    }
  });
});

describe("A long text on the page", () => {
  const kinds = (text: string) =>
    markdownTokens(text).flatMap(({ type }) => (type === "space" ? [] : [type]));

  it("is laid out as any other, but for paragraphs of more than 4,000 characters", () => {
    const long = "_a_ ".repeat(2_000);
    expect(kinds(`# Head\n\n${long}\n\n- _one_`)).toEqual(["heading", "paragraph", "list"]);
    expect(JSON.stringify(markdownTokens("_one_"))).toContain('"em"');
    expect(JSON.stringify(markdownTokens(long))).not.toContain('"em"');
  });

  it("keeps its blanks, but for rows of more than 200", () => {
    const code = (blanks: number) => markdownTokens(`\`\`\`\n${" ".repeat(blanks)}x\n\`\`\``)[0];
    expect(code(200)).toMatchObject({ type: "code", text: `${" ".repeat(200)}x` });
    expect(code(900)).toMatchObject({ type: "code", text: `${" ".repeat(200)}x` });
  });
});
