import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configProblems } from "../../core/model/adapters/config-schema.ts";
import * as acp from "../../plugins/acp/src/configuration.ts";
import * as claude from "../../plugins/adapter-a-local/src/configuration.ts";
import * as codex from "../../plugins/adapter-b-local/src/configuration.ts";
import * as opencode from "../../plugins/adapter-c-local/src/configuration.ts";
import * as http from "../../plugins/http/src/configuration.ts";
import { ConfigRefusal } from "../../plugins/kit/config.ts";
import * as program from "../../plugins/process/src/configuration.ts";

const adapters = {
  process: { ...program, usable: { command: "/bin/true" } },
  http: { ...http, usable: { url: "https://example.org/hook" } },
  acp: { ...acp, usable: { agent: "gemini" } },
  adapter_a_local: { ...claude, usable: {} },
  adapter_b_local: { ...codex, usable: {} },
  adapter_c_local: { ...opencode, usable: { model: "acme/large" } },
};

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, -1, 1, 0.5, 604_800, 604_801, 1e300, true, false, null, "") },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "POST",
      "delete",
      "http://a.example/x",
      "https://u:p@a.example",
      "ftp://a",
      "http://",
      "http://[::1]:3/x?y#z",
      "http://a b/",
      "acme/large",
      "/x",
      "none",
      " ",
    ),
  },
  { weight: 2, arbitrary: fc.webUrl() },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")) },
  { weight: 2, arbitrary: fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxLength: 3 }) },
  { weight: 2, arbitrary: fc.dictionary(fc.constantFrom("x-a", "b"), fc.oneof(fc.string(), fc.integer())) },
);

const reads = (readConfig: (config: Readonly<Record<string, unknown>>) => unknown, config: object) => {
  try {
    readConfig(config as Readonly<Record<string, unknown>>);
    return null;
  } catch (refusal) {
    if (!(refusal instanceof ConfigRefusal)) throw refusal;
    return refusal.message;
  }
};

describe.each(Object.entries(adapters))(
  "The configSchema of %s",
  (_, { configSchema, readConfig, usable }) => {
    const keys = Object.keys(configSchema.properties ?? {});

    it("accepts a usable configuration, and an empty one", () => {
      expect(configProblems(configSchema, usable)).toEqual([]);
      expect(configProblems(configSchema, {})).toEqual([]);
      expect(reads(readConfig, usable)).toBeNull();
    });

    it("accepts nothing that a run would refuse", () => {
      fc.assert(
        fc.property(fc.constantFrom(...keys), value, (key, set) => {
          const config = { ...usable, [key]: set };
          fc.pre(!(set === null || set === "" || (typeof set === "string" && set.trim() === "")));
          if (configProblems(configSchema, config).length > 0) return;
          expect([key, set, reads(readConfig, config)]).toEqual([key, set, null]);
        }),
        { numRuns: 3_000 },
      );
    });

    it.each([0, -5, 604_801, "none", true])("refuses a timeout of %s, as a run does", (timeoutSec) => {
      expect(configProblems(configSchema, { ...usable, timeoutSec })).toMatchObject([
        { path: ["timeoutSec"] },
      ]);
      expect(reads(readConfig, { ...usable, timeoutSec })).toContain("adapterConfig.timeoutSec");
    });
  },
);

describe("What a configSchema refuses", () => {
  it.each([
    ["a text", { type: "string" }, 3, "must be a text"],
    ["one of several types", { type: ["string", "number"] }, true, "must be a text or a number"],
    ["a choice", { enum: ["a", "b"] }, "c", "must be one of a, b"],
    ["a whole number", { type: "integer" }, 1.5, "must be a whole number"],
    ["a minimum", { minimum: 2 }, 1, "must be at least 2"],
    ["a maximum", { maximum: 2 }, 3, "must be at most 2"],
    ["a length", { maxLength: 1 }, "ab", "must have at most 1 characters"],
    ["a form", { pattern: "^a", description: "It begins with a." }, "b", "is not valid: It begins with a."],
  ] as const)("%s", (_, schema, set, rule) => {
    expect(configProblems({ properties: { key: schema } }, { key: set })).toEqual([{ path: ["key"], rule }]);
  });

  it("is named by its place in lists and objects", () => {
    const schema = {
      properties: {
        list: { type: "array", items: { type: "string" } },
        map: { type: "object", properties: { a: { type: "number" } }, additionalProperties: false },
      },
    } as const;
    expect(configProblems(schema, { list: ["x", 1], map: { a: "n", b: 1 }, other: 1 })).toEqual([
      { path: ["list", 1], rule: "must be a text" },
      { path: ["map", "a"], rule: "must be a number" },
      { path: ["map", "b"], rule: "is not known" },
    ]);
  });
});
