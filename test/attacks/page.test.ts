import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/imports.ts";
import { type Attempt, type Environment, environments } from "./attempts/attempt.ts";
import { areas, testOf } from "./attempts/index.ts";
import { notPromised } from "./attempts/not-promised.ts";

const all: readonly (readonly [string, { readonly title: string; readonly attempts: readonly Attempt[] }])[] =
  Object.entries(areas);
const order = Object.keys(environments) as Environment[];

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const tried = (where: readonly Environment[]) =>
  order.filter((environment) => where.includes(environment)).join(", ");

const printed = [
  ...all.map(
    ([area, { title, attempts }]) =>
      `### ${title}\n\n${table(
        ["promise", "attempt", "where", "test"],
        attempts.map(({ id, promise, who, attempt, environments: where }) => [
          promise,
          `${who} ${attempt}`,
          tried(where),
          `\`${area}/${id}\``,
        ]),
      )}`,
  ),
  `### Not promised\n\n${table(
    ["what", "where"],
    notPromised.map(({ what, environments: where }) => [what, tried(where)]),
  )}`,
].join("\n\n");

const page = join(root, "docs/security.md");
const section = /(<!-- printed: attempts -->\n)([\s\S]*?)(<!-- end -->)/;
if (process.env.UPDATE_ATTEMPTS)
  writeFileSync(
    page,
    readFileSync(page, "utf8").replace(section, (_, begin, __, end) => `${begin}\n${printed}\n\n${end}`),
  );

describe("the attempts", () => {
  it("are printed in docs/security.md (UPDATE_ATTEMPTS=1 prints them anew)", () => {
    expect(section.exec(readFileSync(page, "utf8"))?.[2]).toBe(`\n${printed}\n\n`);
  });

  it.each(all)("of %s have ids of their own, and a test where they are tried", (area, { attempts }) => {
    const ids = attempts.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const environment of new Set(attempts.flatMap(({ environments: where }) => where))) {
      const file = join(root, testOf(area, environment));
      expect(existsSync(file), file).toBe(true);
      expect(readFileSync(file, "utf8")).toContain(`attempts/${area}.ts"`);
    }
  });
});
