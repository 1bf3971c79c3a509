import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/imports.ts";
import { configurationKeys, variables } from "./attempts/keys.ts";

describe("a value that may name something of the machine", () => {
  it("is in the table of keys, for every key of a built-in adapter's configuration and for no other", async () => {
    const keys = new Set<string>();
    for (const name of readdirSync(join(root, "plugins"))) {
      if (!existsSync(join(root, "plugins", name, "src"))) continue;
      const { configSchema } = await import(`../../plugins/${name}/src/configuration.ts`);
      for (const key of Object.keys(configSchema.properties)) keys.add(key);
    }
    expect([...keys].sort()).toEqual(Object.keys(configurationKeys).sort());
  });

  it("is in the table of variables, for every variable that the sandbox or the local runner reads and for no other", () => {
    const read = new Set<string>();
    for (const folder of ["adapters-infra/sandbox", "adapters-infra/local"])
      for (const name of readdirSync(join(root, folder))) {
        const text = readFileSync(join(root, folder, name), "utf8");
        for (const pattern of [
          /(?<!process\.)\benv\.([A-Z][A-Z0-9_]*)/g,
          /"([A-Z][A-Z0-9_]*)" in [\w.]*env\b/g,
          /\{ ([A-Z][A-Z0-9_]*) \}(?: = [\w.]*env\b|: Readonly<Record<string, string>>)/g,
        ])
          for (const [, variable] of text.matchAll(pattern)) read.add(variable!);
      }
    expect([...read].sort()).toEqual(Object.keys(variables).sort());
  });

  it("names a test that exists", () => {
    for (const coverage of [...Object.values(configurationKeys), ...Object.values(variables)])
      if (coverage !== "data" && coverage.tried.startsWith("test/"))
        expect(existsSync(join(root, coverage.tried)), coverage.tried).toBe(true);
  });
});
