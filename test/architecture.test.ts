import { readdir, readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { wakeReasons } from "../core/model/runs/wake-reason.ts";
import { kindOfAddress } from "../plugins/kit/address-kind.ts";
import {
  functionsOf,
  type Import,
  importsOf,
  type NamedFunction,
  parametersOf,
  root,
  type SourceFile,
  scriptFiles,
  sourceFiles,
  useCasesOf,
} from "./support/imports.ts";

const everything = await sourceFiles();
const source = everything.filter(({ path }) => !path.startsWith("test/"));
const paths = new Set(everything.map(({ path }) => path));

/** The exceptions from the rules, with reasons. An unused exception fails. */
const exceptions: Readonly<Record<string, string>> = {
  "core/model/issues/documents/unified-diff.ts → diff":
    "a pure function of two texts: a port would be a layer with one adapter that does the same",
  "adapters-infra/postgres/embedded-server.ts → adapters-infra/local/data-directory.ts":
    "the embedded server is a local program: its files lie in the data directory that its process has claimed",
  "hosts/http/tool-endpoint.ts → hosts/mcp/mcp.ts": "the tools are one more path of the same server",
  "hosts/http/tool-endpoint.ts → hosts/library/in-process-transport.ts":
    "their calls take the way of all others, without a socket",
  "hosts/http/tool-endpoint.ts → hosts/library/open-client.ts": "and are made with the client",
  "hosts/library/index.ts → hosts/http/node-handler.ts":
    "the library is the HTTP face inside another program, handed out as a handler of node:http",
  "hosts/library/index.ts → hosts/http/openapi.ts": "and so describes itself in the same words",
  "hosts/library/index.ts → hosts/http/server.ts": "and answers by the same routes",
  "hosts/library/in-process-transport.ts → hosts/http/departure.ts": "which its requests have, too",
  "hosts/library/in-process-transport.ts → hosts/http/request-body.ts": "whose bodies have the same limits",
  "hosts/library/in-process-transport.ts → hosts/http/listener.ts":
    "the in-process client speaks to that server without a socket, in the types of its contract",
};

/** The only places that may use a package. */
const homes: Readonly<Record<string, readonly string[]>> = {
  inversify: ["hosts/composition/"],
  "reflect-metadata": ["hosts/composition/"],
  "hyper-express": ["hosts/http/hyper-express-listener.ts"],
  "uWebSockets.js": ["hosts/http/"],
  busboy: ["hosts/http/"],
  "@modelcontextprotocol/server": ["hosts/mcp/mcp.ts"],
  "@agentclientprotocol/sdk": ["plugins/kit/acp/"],
  "age-encryption": ["adapters-infra/backup/age.ts"],
  "tar-stream": ["adapters-infra/backup/"],
  yaml: ["hosts/composition/", "adapters-infra/template-folder/", "adapters-infra/kubernetes/"],
  croner: ["adapters-infra/local/croner-calendar.ts"],
  postgres: ["adapters-infra/postgres/"],
  "prom-client": ["adapters-infra/prometheus/"],
  commander: ["hosts/cli/"],
  "cli-table3": ["hosts/cli/"],
  picocolors: ["hosts/cli/"],
  zod: [
    "hosts/",
    "adapters-infra/backup/",
    "adapters-infra/company-move/",
    "adapters-infra/git-hosts/",
    "adapters-infra/plugins/",
  ],
  vitest: ["test/", "vitest.config.ts"],
  "fast-check": ["test/"],
  testcontainers: ["test/"],
  esbuild: ["scripts/", "adapters-infra/plugins/"],
  preact: ["hosts/web/react.mjs"],
  react: ["hosts/web/"],
  "react-dom": [
    "hosts/web/main.tsx",
    "hosts/web/widgets/late-virtualizer.ts",
    "hosts/web/widgets/menu.tsx",
    "hosts/web/widgets/virtual-rows.ts",
  ],
  "@tanstack/react-query": ["hosts/web/"],
  "@tanstack/react-virtual": ["hosts/web/"],
  wouter: ["hosts/web/"],
  marked: ["hosts/web/nouns/"],
  diff: ["core/model/issues/documents/unified-diff.ts", "hosts/web/"],
  anser: ["hosts/web/"],
  lowlight: ["hosts/web/nouns/highlight.ts"],
  "highlight.js": ["hosts/web/nouns/highlight.ts"],
  "@floating-ui/dom": ["hosts/web/widgets/follow-opener.ts"],
  "playwright-core": ["test/web/", "test/bench/"],
  "axe-core": ["test/web/"],
};

/** Where alone an effect is run, and why there: everywhere else effects are composed, and their owner runs them. */
const edges: Readonly<Record<string, string>> = {
  "hosts/http/server.ts": "one run for each request",
  "hosts/http/git-endpoint.ts": "git reads a push as an async iterable, which counts its bytes",
  "hosts/http/upload.ts": "the parser of forms takes promises",
  "hosts/http/stream-checks.ts": "a timer of Node's asks whether a stream may go on",
  "hosts/http/start-link.ts": "main.ts prints the link while it starts",
  "hosts/composition/check-mail.ts": "the doctor runs without a service",
  "hosts/composition/open-scope.ts": "the lifetime of the service, for programs that know promises",
  "adapters-infra/backup/blob-bytes.ts": "archives are streams and promises",
  "adapters-infra/company-move/secret-values.ts": "archives are streams and promises",
  "adapters-infra/live-events/event-feed.ts": "the web server reads a feed as an async iterable",
  "adapters-infra/live-events/event-hub.ts": "makes its queue when it is wired",
  "hosts/composition/wiring/installation.ts": "archives are streams and promises",
  "adapters-infra/runner-helper/engine-runner.ts": "the conversation with an engine is promises",
  "adapters-infra/runner-helper/helper.ts": "a program of its own: process 1 of a pod",
  "adapters-infra/plugins/agent-runner.ts": "adapters call back with promises",
  "adapters-infra/plugins/ask-adapter.ts": "adapters call back with promises",
  "adapters-infra/plugins/open-plugin.ts": "a host is shared by calls that come and go",
  "adapters-infra/plugins/plugin-loader.ts": "a load belongs to the loader, not to the request that began it",
  "adapters-infra/plugins/adapter-packages.ts":
    "npm, files and manifests are promises; one change waits for another",
  "adapters-infra/plugins/host-marks.ts": "the loader clears away between promises",
};

/** Functions above 80 lines that stay, because they are one statement of SQL or a table of declarations. */
const longTables: Readonly<Record<string, string>> = {
  "adapters-infra/postgres/company-move/copied-company.ts: copiedCompany":
    "one statement for each part of a copy",
  "adapters-infra/postgres/company-move/copied-fields.ts: copiedFields":
    "a table: the fields of a copy that differ from the original's",
  "adapters-infra/postgres/stores/choose-runs.ts: chooseRuns":
    "one statement: the choice has to see all queued runs at once",
  "adapters-infra/postgres/stores/due-gates.ts: takeDueGates":
    "one statement: it chooses and marks in one snapshot",
  "adapters-infra/postgres/views/issue-detail.ts: detailOfIssues":
    "one statement: each request would otherwise ask eight times",
  "adapters-infra/postgres/views/run-task.ts: readTask":
    "one statement: all of it is read as it is at one moment",
  "adapters-infra/postgres/views/run-views.ts: getRun":
    "one statement: each request would otherwise ask six times",
  "hosts/cli/commands/new-adapter.ts: adapterFiles": "the files of a package, as text",
  "hosts/composition/wiring/core.module.ts: coreModule": "binds the use cases, one line for each aggregate",
};

/** The technologies whose contents a backup holds, and the archive that a moved company is written in. */
const backedUp = ["adapters-infra/postgres/", "adapters-infra/local/", "adapters-infra/backup/"];

/** Share the program inside their places, and its reader. */
const engines = ["adapters-infra/kubernetes/", "adapters-infra/docker/"];

const isIn = (path: string, ...folders: readonly string[]) =>
  folders.some((folder) => path === folder || path.startsWith(folder));

const folderOf = (path: string) => path.split("/").slice(0, 2).join("/");

const isFile = (name: string) => /^(core|ports|adapters-infra|hosts|plugins|test)\//.test(name);

const packageOf = (name: string) =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

/**
 * The modules of the core in their one order: each imports only itself and those before it. Where two seem to need each
 * other, what they share is a noun (`model`), a consequence (`queue`), or a fact that the caller looks up and passes in.
 */
const modules = [
  "model",
  "access",
  "queue",
  "money",
  "secrets",
  "work",
  "staff",
  "code",
  "routines",
  "runs",
  "people",
  "companies",
  "events",
  "inbox",
  "notices",
  "templates",
  "backups",
];
const moduleOf = (path: string) => path.split("/")[1]!;

/** A noun is data and pure decisions; a verb calls ports and awaits. */
const isNoun = (path: string) => isIn(path, "core/model/");
const isVerb = (path: string) => isIn(path, "core/") && !isNoun(path);

/** Nouns without runtime imports: a browser loads nothing else with them. */
const plainNouns = new Set<string>();
for (let before = -1; before < plainNouns.size; ) {
  before = plainNouns.size;
  for (const { path, imports } of source)
    if (isNoun(path) && imports.every(({ typeOnly, names }) => typeOnly || plainNouns.has(names)))
      plainNouns.add(path);
}

/** For adapters and hosts: what makes them faster is a promise of theirs. */
const batches = "core/access/batch-requests.ts";

/** Says where a misplaced import belongs; null if it is in place. */
const misplaced = ({ file, names, typeOnly }: Import): string | null => {
  if (isFile(names)) {
    if (isIn(names, "test/")) return "what only tests need stays in test/";
    if (isNoun(file))
      return isNoun(names)
        ? null
        : "a noun decides from what it is given: what asks a port or awaits is a verb, in a file of its own";
    if (isVerb(file)) {
      if (isIn(names, "core/") && names.endsWith("/index.ts") && folderOf(names) !== folderOf(file))
        return "front doors are for hosts: modules share stores; import the file that has the thing";
      if (isIn(names, "core/") && modules.indexOf(moduleOf(names)) > modules.indexOf(moduleOf(file)))
        return `${moduleOf(file)} comes before ${moduleOf(names)}: move a noun to model/, a consequence to queue/, or take a fact from the caller`;
      if (names === batches)
        return "a use case says in ports/transactor.ts which commands may share a transaction, and knows no batches";
      return isIn(names, "core/", "ports/")
        ? null
        : "the core knows no adapter and no host: say what it needs as a port, in ports/";
    }
    if (isIn(file, "ports/"))
      return isNoun(names) || isIn(names, "ports/")
        ? null
        : "a port speaks in nouns: what it names belongs in a noun of core/, not next to a use case";
    if (isIn(file, "adapters-infra/")) {
      if (isIn(names, `${folderOf(file)}/`, "ports/") || isNoun(names) || names === batches) return null;
      // Plugins know nothing else, and which addresses may be called is one rule.
      if (names === "plugins/kit/judged-address.ts") return null;
      if (isIn(file, ...engines) && isIn(names, "adapters-infra/runner-helper/")) return null;
      if (isIn(file, "adapters-infra/runner-helper/") && isIn(names, "adapters-infra/local/")) return null;
      // A backup is a database, files and keys in one archive; a moved company is one, too.
      if (isIn(file, "adapters-infra/backup/", "adapters-infra/company-move/") && isIn(names, ...backedUp))
        return null;
      // One rule for two users of the SDK.
      if (names === "adapters-infra/aws/prepare-sdk.ts") return null;
      if (isIn(names, "adapters-infra/"))
        return "technologies do not know each other: let hosts/composition hand one to the other, behind a port";
      return isVerb(names)
        ? "an adapter keeps a port's promise and decides nothing: use cases are called by hosts"
        : "an adapter imports inward only: ports/ and the nouns of core/";
    }
    if (isIn(file, "hosts/web/")) return misplacedInPage(file, names, typeOnly);
    if (isIn(file, "hosts/")) return misplacedInHost(file, names);
    if (isIn(file, "plugins/")) {
      if (names === "ports/agent-adapter.ts")
        return typeOnly ? null : "a plugin is written against the types of ports/agent-adapter.ts alone";
      // Which line of an output says what went wrong is one rule.
      if (names === "core/model/runs/failure-reason.ts") return null;
      return isIn(names, `${folderOf(file)}/`, "plugins/kit/")
        ? null
        : "a plugin knows the contract (types of ports/agent-adapter.ts) and plugins/kit, as an external adapter does";
    }
    return null;
  }
  return misplacedPackage(file, names, typeOnly);
};

const misplacedInHost = (file: string, names: string): string | null => {
  const own = `${folderOf(file)}/`;
  if (isIn(names, own)) return null;
  if (isIn(file, "hosts/cli/")) {
    if (isIn(names, "hosts/library/", "hosts/api/", "hosts/composition/", "hosts/http/main.ts")) return null;
    // Authors of adapters import it, too.
    if (names === "plugins/kit/plugin.ts") return null;
    return isNoun(names)
      ? null
      : "the CLI calls through the client (hosts/library); of the core it takes words to print";
  }
  if (isIn(names, "core/", "ports/")) return null;
  // Tools call through the client, too.
  if (isIn(file, "hosts/mcp/") && isIn(names, "hosts/library/")) return null;
  if (isIn(file, "hosts/composition/") && isIn(names, "adapters-infra/", "hosts/api/")) return null;
  if (isIn(names, "adapters-infra/")) return "hosts meet adapters in hosts/composition, and nowhere else";
  if (isIn(file, "hosts/api/")) return "the published interface knows no host that reads it";
  return isIn(names, "hosts/api/", "hosts/composition/")
    ? null
    : "hosts do not know each other: what two of them need belongs in hosts/api or hosts/composition";
};

/** The folders of the page in their one order: each imports only itself and those before it. */
const pageFolders = ["live", "widgets", "nouns", "screens", "shell"];
const pageFolderOf = (path: string) => path.split("/")[2]!;

/** Files for the browser: the page's own, the client, and nouns without runtime imports. */
const misplacedInPage = (file: string, names: string, typeOnly: boolean): string | null => {
  const [from, to] = [pageFolderOf(file), pageFolderOf(names)];
  if (from === "widgets")
    // A refusal of the service has a place in any form.
    return isIn(names, "hosts/web/widgets/") ||
      names === "hosts/library/client-error.ts" ||
      // Reads say that they wait, and a widget shows what no longer does.
      names === "hosts/web/live/part-of-screen.ts"
      ? null
      : "a widget knows nothing of the domain: what does belongs in hosts/web/nouns";
  if (
    isIn(names, "hosts/web/screens/") &&
    !isIn(file, `${names.split("/").slice(0, 4).join("/")}/`, "hosts/web/shell/routes.tsx")
  )
    return "only the table of routes knows screens: what two of them need belongs in hosts/web/nouns";
  if (isIn(names, "hosts/web/"))
    return !pageFolders.includes(from) || pageFolders.indexOf(to) <= pageFolders.indexOf(from)
      ? null
      : `${from} comes before ${to}: hosts/web/nouns has what several screens need, and the shell is given to them by context`;
  if (isIn(names, "hosts/library/")) return null;
  if (isIn(names, "hosts/api/"))
    return typeOnly ? null : "the page takes types of the declarations: their code brings zod with it";
  return plainNouns.has(names) || (typeOnly && isNoun(names))
    ? null
    : "the page calls through the client (hosts/library); of the core it takes nouns that import nothing but such";
};

const misplacedPackage = (file: string, names: string, typeOnly: boolean): string | null => {
  if (names === "effect") return "import the module, such as effect/Effect, not the barrel";
  const home = homes[packageOf(names)];
  if (home !== undefined && !isIn(file, ...home))
    return `${packageOf(names)} is at home in ${home.join(", ")}`;
  if (isIn(file, "ports/"))
    // effect/Data defines the failures of a port.
    return names === "effect/Data" || (names.startsWith("effect/") && typeOnly)
      ? null
      : "a port is a promise: types alone, of effect at most";
  if (isNoun(file))
    return names === "effect/Result" ? null : "a noun needs the language and effect/Result, nothing else";
  if (isVerb(file) && !(file === batches && names === "effect/Deferred"))
    // A secret value stays wrapped all the way.
    return ["effect/Effect", "effect/Result", "effect/Redacted", "effect/Schedule"].includes(names)
      ? null
      : "a use case is written with effect/Effect and effect/Result; all else is behind a port";
  if (isIn(file, "plugins/")) {
    if (file.endsWith("/ui-parser.ts")) return "a UI parser runs in a browser's sandbox: it imports nothing";
    return names.startsWith("node:") || (names === "@agentclientprotocol/sdk" && typeOnly)
      ? null
      : "a plugin is self-contained: Node's own modules and plugins/kit";
  }
  return null;
};

const nameOf = (path: string) => path.split("/").at(-1)!.replace(/\.ts$/, "");

const fileOf = (useCase: string) => useCase.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const key = ({ file, names }: Import) => `${file} → ${names}`;

describe("The architecture", () => {
  test("puts every import where it belongs", () => {
    const complaints = source
      .flatMap(({ imports }) => imports)
      .filter((each) => exceptions[key(each)] === undefined)
      .flatMap((each) => {
        const where = misplaced(each);
        return where === null ? [] : [`${key(each)}: ${where}.`];
      });
    expect([...new Set(complaints)]).toEqual([]);
  });

  test("has no unused exception", () => {
    const needed = new Set(
      source
        .flatMap(({ imports }) => imports)
        .filter((each) => misplaced(each) !== null)
        .map(key),
    );
    expect(Object.keys(exceptions).filter((each) => !needed.has(each))).toEqual([]);
  });

  test("keeps use cases out of index.ts of the core, which lists them", () => {
    const doing = source
      .filter(({ path }) => isIn(path, "core/") && path.endsWith("/index.ts"))
      .filter(
        // The one that takes the ports and lists what it makes of them.
        ({ imports, functions }) => functions !== 1 || imports.some(({ names }) => isIn(names, "effect/")),
      )
      .map(({ path }) => `${path}: give each use case a file of its own`);
    expect(doing).toEqual([]);
  });

  test("gives each use case a file with its name", () => {
    const crowded = source
      .filter(({ path }) => isVerb(path) && !path.endsWith("/index.ts"))
      .filter(({ path, useCases }) => useCases.length > 0 && useCases.map(fileOf).join() !== nameOf(path))
      .map(({ path, useCases }) => `${path}: has ${useCases.join(", ")}`);
    expect(crowded).toEqual([]);
  });

  test("threads nothing that the unit of work or the context carries", async () => {
    const verbs = source.filter(({ path }) => isVerb(path) && !isIn(path, "core/access/"));
    const threading = verbs.map(async ({ path }) =>
      threaded(path, await readFile(join(root, path), "utf8")).map((what) => `${path}: ${what}`),
    );
    expect((await Promise.all(threading)).flat()).toEqual([]);
  });

  test.each<[string, number]>([
    ["export const pause = (transactor: Transactor, clock: Clock) => (id: AgentId) => id;", 1],
    ["export const note = (transactor: Transactor) => () => transactor;", 1],
    ["export interface PausePorts {\n  readonly ids: Ids;\n}", 1],
    ["const stop = (stores: Stores, id: RunId, at: Instant) => stores;", 1],
    ["const stop = Effect.fnUntraced(function* (stores: Stores, by: Actor = bySystem) {});", 1],
    ["const stop = (unit: UnitOfWork, apply: (unit: UnitOfWork, at: Instant) => void) => unit;", 1],
    ["const stop = (unit: UnitOfWork, id: RunId) => unit;", 0],
    ["const isHeld = (stores: Stores, id: AgentId) => stores;", 0],
    ["const explain = (views: Views, clock: Clock) => (at: Instant) => views;", 0],
  ])("finds what is threaded in %j", (text, count) => {
    expect(threaded("core/work/a.ts", text)).toHaveLength(count);
  });

  test("has each module of the core in the order", async () => {
    const folders = await readdir(join(root, "core"), { withFileTypes: true });
    expect(folders.flatMap((each) => (each.isDirectory() ? [each.name] : [])).sort()).toEqual(
      [...modules].sort(),
    );
  });

  test("gives each module of the core a README of at most 25 lines, which names files that exist", async () => {
    const complaints = modules.map(async (name) => {
      const folder = join("core", name);
      const text = await readFile(join(root, folder, "README.md"), "utf8");
      const named = [...text.matchAll(/`((?:\.\.\/)?[a-z0-9/-]+\.ts)`/g)].map(([, path]) =>
        join(folder, path!),
      );
      return [
        ...(text.split("\n").length - 1 > 25 ? [`${folder}: shorten its README`] : []),
        ...named.filter((path) => !paths.has(path)).map((path) => `${folder}: names ${path}`),
      ];
    });
    expect((await Promise.all(complaints)).flat()).toEqual([]);
  });

  test("lets tests, too, import effect by its modules", () => {
    const barrel = everything.flatMap(({ imports }) => imports).filter(({ names }) => names === "effect");
    expect(barrel.map(key)).toEqual([]);
  });

  test("closes no circle of files, not even by types", () => {
    expect(firstCircle(source)).toEqual([]);
  });

  test("requires kebab-case for file names", () => {
    const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.(module|test|d|config))?\.tsx?$/;
    expect([...paths].filter((path) => !name.test(path.split("/").at(-1)!))).toEqual([]);
  });

  test("limits the length of a file", () => {
    expect(source.flatMap(({ path, lines }) => (lines > 400 ? [`${path}: split it by cause`] : []))).toEqual(
      [],
    );
  });

  test("limits the length of a function, with those within it, and the number of its parameters", async () => {
    const files = [...source.map(({ path }) => path), ...(await scriptFiles())];
    const functions = await Promise.all(
      files.map(async (path) =>
        functionsOf(path, await readFile(join(root, path), "utf8")).map((each) => ({
          ...each,
          named: `${path}: ${each.name}`,
        })),
      ),
    );
    const named = (wrong: (each: NamedFunction) => boolean) =>
      [...new Set(functions.flat().flatMap((each) => (wrong(each) ? [each.named] : [])))].sort();
    expect(named(({ outer, lines }) => outer && lines > 80)).toEqual(Object.keys(longTables).sort());
    expect(named(({ parameters }) => parameters > 5)).toEqual([]);
  });

  test("finds the length of a function and its parameters", () => {
    const text =
      "export const Screen = () => {\n  return <p>\n  </p>;\n};\nfunction two(a, b) {\n}\nconst s = { three: (a) => () => a };\n";
    expect(functionsOf("screen.tsx", text)).toEqual([
      { name: "Screen", lines: 4, parameters: 0, outer: true },
      { name: "two", lines: 2, parameters: 2, outer: true },
      { name: "three", lines: 1, parameters: 1, outer: true },
      { name: "three", lines: 1, parameters: 0, outer: false },
    ]);
  });

  test("lists wake reasons in their table alone", async () => {
    const reasons = Object.keys(wakeReasons).join("|");
    // Two elements of an array, of a union or of a list in SQL; or two keys of a map.
    const list = new RegExp(
      `["'](?:${reasons})["']\\s*[,|]\\s*["'](?:${reasons})["']|^\\s*(?:${reasons}):[^\\n]*\\n\\s*(?:${reasons}):`,
      "m",
    );
    // The causes are a table of words, whose type has every reason: the board page takes it without the rules.
    const readers = source.filter(
      ({ path }) => !/^core\/model\/runs\/wake-(reason|cause)\.ts$/.test(path) && !isIn(path, "plugins/"),
    );
    const lists = await Promise.all(
      readers.map(async ({ path }) => (list.test(await readFile(join(root, path), "utf8")) ? [path] : [])),
    );
    expect(lists.flat()).toEqual([]);
  });

  test("runs effects at its edges alone", async () => {
    const runs = /\bEffect\.run(Promise|Fork|Sync|Callback)/;
    const running = await Promise.all(
      source.map(async ({ path }) => (runs.test(await readFile(join(root, path), "utf8")) ? [path] : [])),
    );
    expect(running.flat().sort()).toEqual(Object.keys(edges).sort());
  });

  test("lets no fetch reject redirects, which makes it forget its signal", async () => {
    const found = await Promise.all(
      source.map(async ({ path }) =>
        /redirect: ["']error["']/.test(await readFile(join(root, path), "utf8")) ? [path] : [],
      ),
    );
    expect(found.flat()).toEqual([]);
  });

  test("exports by name", () => {
    // Tools require default exports in their configuration and setup files.
    expect(source.flatMap(({ path, exportsDefault }) => (exportsDefault ? [path] : []))).toEqual([]);
  });
});

/** The parts of a unit of work or a context that a file passes on one by one. */
const threaded = (path: string, text: string): readonly string[] => [
  // The parts of a context have names: only a file that passes them on writes their types.
  ...(/\b(Transactor|Ids)\b(?=\s*[;,)])/.test(text.replace(/^import [^;]*;$/gm, ""))
    ? ["take the context in place of its transactor and ids"]
    : []),
  ...parametersOf(path, text).flatMap((parameters) =>
    parameters.some((each) => /: (Stores|UnitOfWork)\b/.test(each)) &&
    parameters.some((each) => /^(at: Instant|by: Actor|\w+: (Clock|Ids))\b/.test(each))
      ? [`take the unit of work in place of (${parameters.join(", ")})`]
      : [],
  ),
];

/** Finds the first circle of files that import each other; empty if there is none. */
const firstCircle = (files: readonly SourceFile[]): readonly string[] => {
  const links = new Map(files.map(({ path, imports }) => [path, new Set(imports.map(({ names }) => names))]));
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of links.get(path) ?? []) {
      const circle = links.has(next) ? walk(next, [...trail, path]) : [];
      if (circle.length > 0) return circle;
    }
    done.add(path);
    return [];
  };
  for (const path of links.keys()) {
    const circle = walk(path, []);
    if (circle.length > 0) return circle;
  }
  return [];
};

describe("Migrations", () => {
  test("have consecutive unique numbers after the baseline", async () => {
    const names = await readdir(join(root, "adapters-infra/postgres/migrations"));
    const numbers = names.map((name) => Number(name.slice(0, 3))).sort((one, other) => one - other);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });
});

const vagueBegin = [
  /(?:\/\/|\/\*\*|^\s*\*) (?:What|Whom?|Whose) /m,
  "the name of the thing: The input of a call",
] as const;

/** Words that plain technical English does without, with the usual words instead. */
const bannedWords: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, "a caller, an agent, a process"],
  [/\bfor ever\b/i, "permanently, without end"],
  [/\b(?:is|are) (?:told|said|asked)\b/i, "gets, reports, reads"],
  [/\bwhat there (?:is|are)\b|\bthere (?:is|are) none\b/i, "if it has none, if none exists"],
  [/\b(?:comes?|came) of (?:it|this|each|an?|the)\b/i, "the result"],
  [/\b(?:goes|go) on\b/i, "continues"],
  [/\bunder way\b/i, "in progress, running"],
  [/\blets? go\b/i, "releases"],
  [/\b(?:custody|shelf|strangers?)\b/i, "supervision, catalogue, external adapter"],
  [/\bbesides?\b/i, "next to, in addition to"],
  vagueBegin,
];

/** Parts of names that this code had for ideas which have usual words. */
const bannedInNames: ReadonlyMap<string, string> = new Map([
  ["told", "requested, sent, started"],
  ["gather", "collect, batch, read"],
  ["stretch", "range"],
  ["needle", "pattern"],
  ["whereabouts", "location"],
  ["hopeless", "refused"],
  ["lend", "acquire, temporary"],
  ["lent", "acquired, temporary"],
  ["settle", "finish"],
  ["settled", "finished"],
  ["settler", "the name of the thing"],
  ["standing", "lifecycleState"],
  ["beside", "temporary, background, the name of the thing"],
  ["looks", "reads, checks, polls"],
  ["look", "read, check, poll, inspect"],
  ["card", "interaction"],
  ["cards", "interactions"],
  ["place", "location, placement, folder, index"],
  ["places", "locations, placements, folders"],
  ["given up", "abandoned, discarded"],
  ["house", "storage, service"],
]);
/** Fields of answers and reasons of wakes, which stay as they were published; and names of libraries. */
const publishedNames = new Set([
  "createCard",
  "decideCard",
  "givenUpAt",
  "issue_card_accepted",
  "issue_card_answered",
  "issue_card_expired",
  // An adapter in examples.
  "light_house",
  "max_parallel_workers_per_gather",
  "onSettled",
]);

/** Splits a name of code or of a file; "given up", "look up" and "house rules" are one word. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/\.\w+$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[-_.]/g, " ")
    .replace(/\b(?:giv(?:e|en|es|ing)|gave) up\b/g, "given_up")
    .replace(/\blook(s|ed|ing)? up\b/g, "look_up")
    .replace(/\bhouse rules\b/g, "house_rules")
    .split(" ")
    .map((word) => word.replace("_", " "));

describe("Words", () => {
  const complaintsAbout = (path: string, text: string, words: typeof bannedWords = bannedWords) =>
    words.flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(text) ?? [];
      return found === undefined ? [] : [`${path}: "${found}"; write: ${instead}`];
    });

  test("of the source are plain", async () => {
    const complaints = source.map(async ({ path }) =>
      complaintsAbout(path, await readFile(join(root, path), "utf8")),
    );
    expect((await Promise.all(complaints)).flat()).toEqual([]);
  });

  test("begin a comment of a test or a script with the name of the thing", async () => {
    const tests = everything.map(({ path }) => path).filter((path) => isIn(path, "test/"));
    const folders = ["adapters-infra", "examples", "hosts/http/engine", "plugins/echo", "scripts", "test"];
    const scripts = await Promise.all(
      folders.map(async (folder) =>
        (await readdir(join(root, folder), { recursive: true }))
          .filter((name) => /\.m?js$/.test(name) && !name.includes("node_modules"))
          .map((name) => join(folder, name)),
      ),
    );
    expect(scripts.flat()).toContain("adapters-infra/local/supervisor-program.mjs");
    const complaints = [...tests, ...scripts.flat(), "vitest.config.ts"].map(async (path) =>
      complaintsAbout(path, await readFile(join(root, path), "utf8"), [vagueBegin]),
    );
    expect((await Promise.all(complaints)).flat()).toEqual([]);
  });

  test("of names are those of the field", () => {
    const declared = (text: string) => [
      ...text.matchAll(/\b(?:const|let|function|class|interface|type|enum)\s+(\w+)/g),
      ...text.matchAll(/^\s*(?:readonly )?(\w+)\??: /gm),
    ];
    const named = everything.filter(({ path }) => path !== "test/architecture.test.ts");
    const complaints = named.map(async ({ path }) => {
      const names = declared(await readFile(join(root, path), "utf8")).map(([, name]) => name!);
      return [...new Set([...names, basename(path)])].flatMap((name) =>
        publishedNames.has(name)
          ? []
          : wordsOf(name).flatMap((word) => {
              const instead = bannedInNames.get(word);
              return instead === undefined ? [] : [`${path}: "${name}"; write: ${instead}`];
            }),
      );
    });
    return expect(Promise.all(complaints).then((all) => all.flat())).resolves.toEqual([]);
  });

  test("of other programs end a sentence with one full stop", async () => {
    /** Expressions whose text is the service's own and lacks the full stop, each with the file that has it. */
    const own = new Set([
      "core/staff/agents/agent-settings.ts: problem.rule",
      "core/staff/agents/check-paths.ts: pathClass.why",
      "core/work/assets/add-logo.ts: problem",
      "core/model/shared/sentence.ts: message",
      'core/model/runs/run.ts: reason.replaceAll("_", " ")',
      "adapters-infra/sandbox/program-view.ts: pathClass.why",
      "adapters-infra/local/data-directory.ts: message",
      "adapters-infra/plugins/adapter-host.ts: why",
      "hosts/composition/wiring/sandbox.ts: pathClass.why",
      "hosts/library/client-error.ts: reason",
      "hosts/cli/endpoints/given-files.ts: reason",
      "hosts/cli/nouns/describe-run.ts: why",
      'hosts/cli/nouns/describe-run.ts: run.stopReason === "cancelled" ? "" : why',
    ]);
    const unused = new Set(own);
    const ended = /\$\{((?:[^{}]|\{[^{}]*\})*)\}\.(?=[\s`"']|\\n)/g;
    const messages =
      /\b(?:message|reason|sentence|said|stdout|stderr|why|problem|error|issues)\b|reasonOf|describeIssues/;
    const complaints = source.map(async ({ path }) =>
      [...(await readFile(join(root, path), "utf8")).matchAll(ended)].flatMap(([, expression = ""]) => {
        const named = `${path}: ${expression}`;
        unused.delete(named);
        return own.has(named) || !messages.test(expression) || /(?:^|: )clause\(/.test(expression)
          ? []
          : [`${named}; write: clause(…), because it may end with a full stop of its own`];
      }),
    );
    expect((await Promise.all(complaints)).flat()).toEqual([]);
    expect([...unused]).toEqual([]);
  });

  test("of test titles are plain", async () => {
    const title = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^"`]*\))?\(\s*["`]([^"`\n]+)["`]/g;
    const complaints = everything
      .filter(({ path }) => isIn(path, "test/") && path !== "test/architecture.test.ts")
      .map(async ({ path }) =>
        [...(await readFile(join(root, path), "utf8")).matchAll(title)].flatMap(([, text]) =>
          complaintsAbout(path, text!),
        ),
      );
    expect((await Promise.all(complaints)).flat()).toEqual([]);
  });
});

/** Functions of the model that a view may call: none judges a record, they compute values for its statements. */
const valuesOfViews = new Set([
  "addSeconds",
  "afterFold",
  "budgetHoldsFrom",
  "daysOf",
  "hasFailed",
  "isIssueIdentifier",
  "isMonth",
  "isUuid",
  "loopWindowStart",
  "monthOf",
  "permissionFor",
]);

describe("A view", () => {
  test("returns facts: it calls no function of the model that judges", async () => {
    const named = /import (type )?\{([^}]*)\} from "(?:\.\.\/)+(core\/model\/[^"]+)"/g;
    const complaints = source
      .filter(({ path }) => isIn(path, "adapters-infra/postgres/views/"))
      .map(async ({ path }) => {
        const imports = [...(await readFile(join(root, path), "utf8")).matchAll(named)];
        const calls = imports.flatMap(([, isType, names, file]) =>
          isType !== undefined
            ? []
            : names!
                .split(",")
                .map((name) => name.trim())
                .filter((name) => name !== "" && !name.startsWith("type "))
                .map((name) => ({ name, file: file! })),
        );
        const judging = await Promise.all(
          calls.map(async ({ name, file }) => {
            const model = (await import(join(root, file))) as Record<string, unknown>;
            const found = model[name];
            // Refusals are classes.
            const isClass = /^[A-Z]/.test(name);
            return typeof found !== "function" || isClass || valuesOfViews.has(name)
              ? []
              : [`${path}: ${name} of ${file}; return the facts, and call it in core/<module>/show-….ts`];
          }),
        );
        return judging.flat();
      });
    expect((await Promise.all(complaints)).flat()).toEqual([]);
  });
});

describe("A rule that was stated twice", () => {
  /** The words or comparisons by which a second statement of it would be recognised, and the files that may have them. */
  test.each<[rule: string, pattern: RegExp, files: readonly string[]]>([
    ["when a budget stops holding work", /month (?:ends|begins)/, ["core/model/agents/hold-messages.ts"]],
    ["that a budget holds the agent", /[Oo]ver its monthly budget/, ["core/model/agents/hold-messages.ts"]],
    ["who has a role somewhere", /roles\.(?:keys|values)\(\)/, ["core/"]],
    [
      "what people did since a time",
      /actor_kind = 'board'/,
      ["adapters-infra/postgres/facts.ts", "adapters-infra/postgres/run-histories.ts"],
    ],
    [
      "the statuses in which runs end",
      /"succeeded"[^;]{0,40}"failed"[^;]{0,40}"timed_out"/,
      ["core/model/runs/run-status.ts"],
    ],
    [
      "that a push is refused for good",
      /reason === "rejected"/,
      ["core/code/repositories/push-merge.ts", "adapters-infra/git-hosts/"],
    ],
    ["where people may move an issue", /mayMove\(issueMoves/, ["core/model/issues/"]],
    [
      "who may raise a budget",
      /(?:agent|project|company): (?:actions\.|"(?:operator|owner)|\{[^}]*right: ")/,
      ["core/model/costs/raise-budget.ts"],
    ],
  ])("is stated once: %s", async (_, pattern, files) => {
    const found = await Promise.all(
      source.map(async ({ path }) => (pattern.test(await readFile(join(root, path), "utf8")) ? [path] : [])),
    );
    expect(found.flat().filter((path) => !isIn(path, ...files))).toEqual([]);
  });
});

describe("What ships", () => {
  test("names no address that is never called, except subnets of rules and routes", async () => {
    const addresses =
      /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\/\d)|(?<![\w:])[0-9a-f]{1,4}:[0-9a-f:]*:[0-9a-f.]*(?![\w:.]*\/\d)/gi;
    const hosts = /metadata\.(?:google|azure|goog)[.\w]*|instance-data\.ec2[.\w]*/g;
    // An address to listen at.
    const all = "0.0.0.0";
    const named = async (path: string) => {
      const text = await readFile(join(root, path), "utf8");
      const never = (text.match(addresses) ?? []).filter(
        (each) => isIP(each) !== 0 && each !== all && kindOfAddress(each) === "never",
      );
      return [...never, ...(text.match(hosts) ?? [])].map((each) => `${path}: ${each}`);
    };
    const found = await Promise.all(
      source
        .filter(({ path }) => /^(core|ports|adapters-infra|hosts|plugins)\//.test(path))
        // The list itself.
        .filter(({ path }) => path !== "plugins/kit/address-kind.ts")
        .map(({ path }) => named(path)),
    );
    expect(found.flat()).toEqual([]);
    expect(await named("plugins/kit/address-kind.ts")).toContain("plugins/kit/address-kind.ts: 169.254.0.0");
    expect(await named("plugins/kit/address-kind.ts")).toContain("plugins/kit/address-kind.ts: fd00:ec2::");
  });

  test("has no schema that is the intersection of two: zod looks each field of one up in a list of the other's", async () => {
    const found = await Promise.all(
      source
        .filter(({ path }) => /^(core|ports|adapters-infra|hosts|plugins)\//.test(path))
        .map(async ({ path }) =>
          /\bz\.intersection\(|\.and\((?:[A-Z]|z\.)/.test(await readFile(join(root, path), "utf8"))
            ? [path]
            : [],
        ),
    );
    expect(found.flat()).toEqual([]);
  });

  test("contains no test hook", async () => {
    const hooks = /process\.env\.(VITEST|NODE_ENV)\b|SERVICE_CRASH|crashPoints?\b|SIGSTOP/;
    const found = await Promise.all(
      source
        .filter(({ path }) => /^(core|ports|adapters-infra|hosts|plugins)\//.test(path))
        .map(async ({ path }) => (hooks.test(await readFile(join(root, path), "utf8")) ? [path] : [])),
    );
    expect(found.flat()).toEqual([]);
  });
});

describe("The page", () => {
  test("presses by script only what opens a picker of files or saves one: keys call what buttons call", async () => {
    const pickers = [
      "hosts/web/screens/issue/attaching-area.tsx",
      "hosts/web/screens/issue/attachments.tsx",
      "hosts/web/screens/settings/company-form.tsx",
      "hosts/web/widgets/save-file.ts",
    ];
    const found = await Promise.all(
      source
        .filter(({ path }) => isIn(path, "hosts/web/"))
        .map(async ({ path }) =>
          /\.click\(\)/.test(await readFile(join(root, path), "utf8")) ? [path] : [],
        ),
    );
    expect(found.flat().sort()).toEqual(pickers);
  });
});

describe("The reading of imports", () => {
  const read = (text: string) =>
    importsOf("core/a/b.ts", text).map(({ names, typeOnly }) => [names, typeOnly]);

  test.each([
    ['import { x } from "./c.ts";', "core/a/c.ts", false],
    ['import * as x from "../c.ts";', "core/c.ts", false],
    ['import "./c.ts";', "core/a/c.ts", false],
    ['import type { X } from "./c.ts";', "core/a/c.ts", true],
    ['import { type X, type Y } from "./c.ts";', "core/a/c.ts", true],
    ['import { type X, y } from "./c.ts";', "core/a/c.ts", false],
    ['import {\n  type X,\n  y,\n} from "../../ports/c.ts";', "ports/c.ts", false],
    ['export { x } from "./c.ts";', "core/a/c.ts", false],
    ['export type { X } from "./c.ts";', "core/a/c.ts", true],
    ['export * from "./c.ts";', "core/a/c.ts", false],
    ['type X = import("./c.ts").X;', "core/a/c.ts", true],
    ['const x = async () => (await import("./c.ts")).x;', "core/a/c.ts", false],
    ['import x from "node:fs";', "node:fs", false],
  ])("understands %s", (text, names, typeOnly) => {
    expect(read(text)).toEqual([[names, typeOnly]]);
  });

  test("ignores text", () => {
    expect(
      read('const x = `import y from "./z.ts"`; // import y from "./z.ts"\n/* import y from "./z.ts" */'),
    ).toEqual([]);
  });
});

describe("The reading of use cases", () => {
  test.each([
    [
      "export const pause = (transactor: T, clock: C) => (command: P) => transactor.transact(command);",
      ["pause"],
    ],
    ["export const pause =\n  (transactor: T) =>\n  ({ id }: P) =>\n    id;", ["pause"]],
    ["export const pause = (t: T) => Effect.fnUntraced(function* (command: P) {});", ["pause"]],
    ['export const pause = useCase("agents.pause", function* (unit, command: P) {});', ["pause"]],
    ['export const pause = (views: V) => useCase("agents.pause", function* (unit) {});', ["pause"]],
    ["export const a = (t: T) => (c: A) => c;\nexport const b = (t: T) => (c: B) => c;", ["a", "b"]],
    ["export const pause = Effect.fnUntraced(function* (stores: S) {});", []],
    ["export const pause = (agent: Agent, at: Instant) => ({ ...agent, at });", []],
    ["const pause = (t: T) => (c: C) => c;", []],
  ])("understands %j", (text, names) => {
    expect(useCasesOf("core/a/b.ts", text)).toEqual(names);
  });
});

describe("The rules", () => {
  test.each<[string, string, boolean, RegExp]>([
    ["core/model/issues/issue.ts", "ports/clock.ts", true, /what asks a port/],
    ["core/model/issues/issue.ts", "core/work/issues/checkout-issue.ts", true, /is a verb/],
    ["core/model/issues/issue.ts", "node:crypto", false, /nothing else/],
    ["core/model/issues/issue.ts", "zod", false, /zod is at home in hosts/],
    [
      "core/work/issues/checkout-issue.ts",
      "adapters-infra/postgres/index.ts",
      false,
      /say what it needs as a port/,
    ],
    ["core/work/issues/checkout-issue.ts", "core/runs/index.ts", true, /front doors are for hosts/],
    ["core/work/issues/checkout-issue.ts", "effect/Stream", false, /behind a port/],
    ["ports/clock.ts", "core/work/issues/checkout-issue.ts", true, /a port speaks in nouns/],
    ["ports/clock.ts", "effect/Effect", false, /a promise/],
    ["adapters-infra/postgres/a.ts", "core/work/issues/checkout-issue.ts", true, /decides nothing/],
    ["adapters-infra/s3/a.ts", "adapters-infra/postgres/a.ts", true, /do not know each other/],
    ["adapters-infra/s3/a.ts", "hosts/api/endpoint/app.ts", true, /inward only/],
    ["hosts/api/a.ts", "hosts/http/server.ts", true, /knows no host/],
    ["hosts/http/a.ts", "adapters-infra/postgres/index.ts", false, /hosts\/composition/],
    ["hosts/http/a.ts", "hosts/cli/print.ts", false, /do not know each other/],
    ["hosts/http/a.ts", "inversify", false, /at home in hosts\/composition/],
    ["hosts/http/server.ts", "hyper-express", false, /at home in hosts\/http\/hyper-express-listener.ts/],
    ["hosts/cli/a.ts", "core/work/issues/checkout-issue.ts", true, /through the client/],
    ["hosts/cli/a.ts", "ports/views.ts", true, /through the client/],
    ["hosts/web/shell/a.tsx", "hosts/api/issues.ts", false, /brings zod/],
    ["hosts/web/shell/a.tsx", "core/model/issues/issue.ts", false, /nouns that import nothing/],
    [
      "hosts/web/nouns/a.tsx",
      "hosts/web/screens/issues/issues-screen.tsx",
      false,
      /only the table of routes/,
    ],
    ["hosts/web/screens/issue/a.tsx", "hosts/web/screens/issues/a.tsx", false, /only the table of routes/],
    ["hosts/web/screens/issue/a.tsx", "hosts/web/shell/palette.tsx", false, /comes before shell/],
    ["hosts/web/live/a.ts", "hosts/web/nouns/names.ts", false, /comes before nouns/],
    ["hosts/web/widgets/a.tsx", "hosts/web/live/calls.ts", false, /knows nothing of the domain/],
    ["hosts/web/widgets/a.tsx", "hosts/web/nouns/names.ts", true, /knows nothing of the domain/],
    ["hosts/web/widgets/a.tsx", "core/model/issues/issue-status.ts", true, /knows nothing of the domain/],
    ["hosts/cli/a.ts", "react", false, /at home in hosts\/web/],
    ["plugins/http/src/a.ts", "plugins/process/src/server.ts", false, /as an external adapter does/],
    ["plugins/http/src/a.ts", "ports/agent-adapter.ts", false, /types of/],
    ["plugins/http/src/ui-parser.ts", "node:fs", false, /imports nothing/],
    ["adapters-infra/local/a.ts", "postgres", false, /at home in adapters-infra\/postgres/],
    ["hosts/http/a.ts", "effect", false, /not the barrel/],
    ["hosts/api/a.ts", "test/support/nouns.ts", true, /stays in test/],
  ])("misplaces an import: %s → %s", (file, names, typeOnly, where) => {
    expect(misplaced({ file, names, typeOnly })).toMatch(where);
  });
});
