import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./support/imports.ts";

const folder = join(root, "docs/decisions");
const pages = (await readdir(folder)).filter((name) => name.endsWith(".md") && name !== "README.md").sort();
const text = (path: string) => readFile(path, "utf8");

/** The decisions of a page: its sections. */
const decisions = (
  await Promise.all(
    pages.map(async (page) =>
      (
        await text(join(folder, page))
      )
        .split(/^## /m)
        .slice(1)
        .map((section) => ({ page, title: section.split("\n", 1)[0] ?? "", section })),
    ),
  )
).flat();

test("README names the agents that are tried, with their versions, and no others", async () => {
  const pinned = await Promise.all(
    ["real-clis", "acp"].map(async (name) => {
      const { dependencies } = JSON.parse(await text(join(root, "test", name, "package.json")));
      return Object.entries(dependencies).map((pin) => pin.join(" "));
    }),
  );
  const readme = await text(join(root, "README.md"));
  const [, table = ""] = /## Which agents it runs\n([\s\S]*?)\n## /.exec(readme) ?? [];
  const named = [...table.matchAll(/`([^`\s]+)` (\d[\w.]*)/g)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  expect(named.sort()).toEqual(pinned.flat().sort());
});

describe("A decision in docs/decisions", () => {
  test("is on a page of the index, and every page of the index exists", async () => {
    const linked = [...(await text(join(folder, "README.md"))).matchAll(/\]\(([\w-]+\.md)\)/g)].map(
      (found) => found[1],
    );
    expect(linked.sort()).toEqual(pages);
  });

  test.each(decisions)("has a reason, and tests that exist: $page, $title", async ({ section }) => {
    expect(section).toMatch(/^- Why: \S/m);
    const tests = /^- Tests: (.+)$/m.exec(section)?.[1] ?? "";
    const cited = [...tests.matchAll(/`(test\/[^`]+)`(?: "([^"]+)")?/g)];
    expect(cited, "at least one test").not.toHaveLength(0);
    for (const [, path, title] of cited) {
      const source = await text(join(root, path!));
      if (title !== undefined) expect(source, path).toContain(title);
    }
  });
});
