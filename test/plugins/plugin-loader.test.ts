import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import type { PluginDirectory, PluginProblem } from "../../adapters-infra/plugins/plugin-directory.ts";
import { builtinPlugins, pluginLoader } from "../../adapters-infra/plugins/plugin-loader.ts";
import { uiParserSandbox } from "../../adapters-infra/plugins/ui-parser-sandbox.ts";
// @ts-expect-error a script without types
import { buildPlugins } from "../../scripts/build-plugins.mjs";
import { adapterHosts } from "../support/adapter-hosts.ts";
import { runAdapter } from "../support/run-adapter.ts";
import { aWorkspace } from "../support/workspaces.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plugins-"));
  await buildPlugins(join(folder, "dist", "plugins"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = async (plugins: readonly PluginDirectory[]) => {
  const problems: PluginProblem[] = [];
  const registry = pluginLoader({
    plugins: async () => plugins,
    hosts: adapterHosts(),
    clock: systemClock,
    onProblem: (problem) => void problems.push(problem),
  });
  await Effect.runPromise(registry.loadAll());
  return {
    adapters: registry.loaded(),
    problems,
    messages: problems.map(({ message }) => message).join("\n"),
  };
};

const code = (type: string, more = "", adapter = "") => `
  export const type = ${JSON.stringify(type)};
  export const label = "L";
  export const models = [{ id: "m", label: "M" }];
  export const agentConfigurationDoc = "doc";
  ${more}
  export const createServerAdapter = () => ({
    type, models, agentConfigurationDoc,
    execute: async () => ({ exitCode: 0, timedOut: false }),
    testEnvironment: async () => ({}),
    ${adapter}
  });`;

let count = 0;
const aPackage = (files: Record<string, string>, manifest: object | string = {}): PluginDirectory => {
  count += 1;
  const directory = join(folder, `package-${count}`);
  const json =
    typeof manifest === "string"
      ? manifest
      : JSON.stringify({
          name: `p${count}`,
          version: "1.2.3",
          type: "module",
          exports: "./index.js",
          ...manifest,
        });
  for (const [name, text] of Object.entries({ "package.json": json, ...files })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return { directory, source: "builtin" };
};

describe("the built-in adapters", () => {
  it("are found in the built tree and loaded without errors", async () => {
    const plugins = await builtinPlugins(folder);
    const { adapters, problems } = await load(plugins);
    expect(problems).toEqual([]);
    expect([...adapters.keys()].sort()).toEqual(expect.arrayContaining(["adapter_a_local", "process"]));
    for (const loaded of adapters.values()) {
      expect(loaded.source).toBe("builtin");
      expect(loaded.version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(loaded.agentConfigurationDoc).toContain(`# ${loaded.type}`);
      expect(loaded.keepsFiles).toBe(loaded.type !== "http");
    }
    expect(adapters.get("adapter_a_local")?.models.length).toBeGreaterThan(5);
  });

  it("are self-contained, their UI parsers as a function body in a sandbox", async () => {
    const { adapters } = await load(await builtinPlugins(folder));
    for (const { uiParser, type } of adapters.values()) {
      type Parse = (line: string, ts: string) => object[];
      type Exports = { parseStdoutLine?: Parse; createStdoutParser?: () => { parseLine: Parse } };
      const module = { exports: {} as Exports };
      new Function("exports", "module", `"use strict";${uiParser}`)(module.exports, module);
      const { parseStdoutLine, createStdoutParser } = module.exports;
      const parse = createStdoutParser?.().parseLine ?? parseStdoutLine;
      expect(parse?.("hello", "t"), type).toEqual([{ kind: "stdout", ts: "t", text: "hello" }]);
    }
    for (const name of ["process", "adapter-a-local"]) {
      const text = readFileSync(join(folder, "dist", "plugins", name, "index.js"), "utf8");
      expect(
        [...text.matchAll(/from "([^"]+)"/g)]
          .map((found) => found[1])
          .filter((from) => !from?.startsWith("node:")),
      ).toEqual([]);
    }
  });

  it("run from the built tree", async () => {
    const { adapters } = await load(await builtinPlugins(folder));
    const open = adapters.get("process")!.open({
      runId: "r",
      workspace: aWorkspace(folder),
      graceSec: 1,
      stop: new AbortController().signal,
      onStarted: () => Effect.void,
    });
    const { adapter } = await Effect.runPromise(Effect.scoped(open));
    const { result, stdout } = await runAdapter({
      adapter,
      cwd: folder,
      config: { command: "echo", args: ["built"] },
    });
    expect(result.exitCode).toBe(0);
    expect(stdout).toBe("built\n");
  });

  it("do not exist in an empty tree", async () => {
    expect(await builtinPlugins("/no/where")).toEqual([]);
  });
});

describe("the entry of a package", () => {
  it.each([
    ["exports as a text", { exports: "./a.js" }, "a.js"],
    ["exports of the root", { exports: { ".": "./b/b.js" } }, "b/b.js"],
    [
      "an import condition",
      { exports: { ".": { types: "./x.d.ts", import: "./c.js", default: "./no.js" } } },
      "c.js",
    ],
    ["a default condition", { exports: { default: "./d.js" } }, "d.js"],
    ["nested conditions", { exports: { ".": { node: { import: "./e.js" } } } }, "e.js"],
    ["main", { exports: undefined, main: "f.js" }, "f.js"],
    ["index.js", { exports: undefined }, "index.js"],
  ])("is %s", async (_title, manifest, file) => {
    const { adapters, messages } = await load([aPackage({ [file]: code("an_adapter") }, manifest)]);
    expect(messages).toBe("");
    expect(adapters.get("an_adapter")).toMatchObject({
      label: "L",
      version: "1.2.3",
      models: [{ id: "m", label: "M" }],
    });
  });
});

describe("a broken package is reported and left out, and the others are loaded:", () => {
  const cases: [string, () => PluginDirectory, RegExp][] = [
    ["no folder", () => ({ directory: "/no/where", source: "builtin" }), /does not exist/],
    ["no package.json", () => ({ directory: tmpdir(), source: "builtin" }), /no package.json/],
    ["a package.json that is no JSON", () => aPackage({}, "{"), /not JSON/],
    ["a package.json without a name", () => aPackage({}, "{}"), /name/],
    ["an entry that is not there", () => aPackage({}), /is not a file of the package/],
    ["an entry outside", () => aPackage({}, { exports: "../package-1/a.js" }), /outside the package/],
    [
      "an absolute entry",
      () => aPackage({}, { exports: undefined, main: "/etc/hosts" }),
      /outside|not a file/,
    ],
    ["code that does not parse", () => aPackage({ "index.js": "export const = 1" }), /cannot be loaded/],
    ["code that throws", () => aPackage({ "index.js": "throw new Error('boom')" }), /cannot be loaded: boom/],
    ["no exports", () => aPackage({ "index.js": "export {}" }), /exports are incomplete: type/],
    ["a type in capitals", () => aPackage({ "index.js": code("MyAdapter") }), /must be snake_case/],
    ["a type with a hyphen", () => aPackage({ "index.js": code("my-adapter") }), /must be snake_case/],
    [
      "no factory",
      () => aPackage({ "index.js": code("x").replace("createServerAdapter", "other") }),
      /createServerAdapter: must be a function/,
    ],
    [
      "a factory that throws",
      () =>
        aPackage({
          "index.js": code("x").replace("() => ({", "() => { throw new Error('no') }; const y = () => ({"),
        }),
      /createServerAdapter failed: no/,
    ],
    [
      "an adapter without execute",
      () => aPackage({ "index.js": code("x", "", "execute: 3") }),
      /returned no adapter: execute/,
    ],
    [
      "an adapter of another type",
      () => aPackage({ "index.js": code("x", "", 'type: "y"') }),
      /exports have type "x", its adapter "y"/,
    ],
    [
      "a UI parser outside",
      () =>
        aPackage(
          { "index.js": code("x") },
          { exports: { ".": "./index.js", "./ui-parser": "../../secret" } },
        ),
      /UI parser .* outside/,
    ],
    ["a UI parser by a link that leads outside", linked, /UI parser .* outside/],
    ["a taken type", () => aPackage({ "index.js": code("good") }), /"good" is taken/],
  ];
  function linked(): PluginDirectory {
    const plugin = aPackage(
      { "index.js": code("x") },
      { exports: { ".": "./index.js", "./ui-parser": "./ui.js" } },
    );
    symlinkSync("/etc/hosts", join(plugin.directory, "ui.js"));
    return plugin;
  }
  it.each(cases)("%s", async (_title, broken, expected) => {
    const plugin = broken();
    const { adapters, problems } = await load([
      aPackage({ "index.js": code("good") }),
      plugin,
      aPackage({ "index.js": code("also_good") }),
    ]);
    expect([...adapters.keys()]).toEqual(["good", "also_good"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ ...plugin, level: "error" });
    expect(problems[0]?.message).toMatch(expected);
  });
});

describe("a UI parser", () => {
  const parser = (boardroom: object | undefined, text = "// the parser") =>
    load([
      aPackage(
        { "index.js": code("ui"), "ui.js": text },
        { exports: { ".": "./index.js", "./ui-parser": "./ui.js" }, boardroom },
      ),
    ]);
  it.each(["1.0.0", "1.7.2"])("of version %s is served", async (uiParser) => {
    const { adapters, problems } = await parser({ uiParser });
    expect(adapters.get("ui")?.uiParser).toBe("// the parser");
    expect(problems).toEqual([]);
  });
  it.each(["2.0.0", "0.9.0", "one", "1"])(
    "of version %s is not served, the adapter is loaded",
    async (uiParser) => {
      const { adapters, problems } = await parser({ uiParser });
      expect(adapters.get("ui")?.uiParser).toBeNull();
      expect(problems).toMatchObject([{ level: "warn" }]);
    },
  );
  it("that is an ES module is served as an equivalent script", async () => {
    const text = `const spoken = (text) => ({ kind: "assistant", text });
      export const parseStdoutLine = (line, ts) => [{ ...spoken("<" + line + ">"), ts }];`;
    const { adapters, problems } = await parser({ uiParser: "1.0.0" }, text);
    expect(problems).toEqual([]);
    const script = adapters.get("ui")!.uiParser!;
    const entries = await Effect.runPromise(uiParserSandbox().parse(script, [{ line: "a", ts: "t" }]));
    expect(entries).toEqual([[{ kind: "assistant", ts: "t", text: "<a>" }]]);
  });
  it("that is an ES module is served also where other packages with one load at the same time", async () => {
    const plugins = ["one", "two", "three"].map((type) =>
      aPackage(
        { "index.js": code(type), "ui.js": `export const parseStdoutLine = () => [];` },
        {
          exports: { ".": "./index.js", "./ui-parser": "./ui.js" },
          boardroom: { uiParser: "1.0.0" },
        },
      ),
    );
    const { adapters, problems } = await load(plugins);
    expect(problems).toEqual([]);
    expect([...adapters.values()].map(({ uiParserProblem }) => uiParserProblem)).toEqual([null, null, null]);
  });
  it.each([
    ["is no JavaScript", "export const = ;", /neither a script nor an ES module: .*Expected identifier/],
    [
      "imports other files",
      `import { x } from "./other.js"; export const parseStdoutLine = () => [x];`,
      /must stand alone/,
    ],
  ])("that %s is not served, which a note reports", async (_what, text, note) => {
    const { adapters, problems } = await parser({ uiParser: "1.0.0" }, text);
    expect(adapters.get("ui")).toMatchObject({
      uiParser: null,
      uiParserProblem: expect.stringMatching(note),
    });
    expect(problems).toMatchObject([{ level: "warn", message: expect.stringMatching(note) }]);
  });
  it("without a version is served, with a note", async () => {
    const { adapters, problems } = await parser(undefined);
    expect(adapters.get("ui")?.uiParser).toBe("// the parser");
    expect(problems).toMatchObject([{ level: "warn" }]);
  });
});
