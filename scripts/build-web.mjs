// Bundles the board page into dist/web/: the document, and hashed assets with what of them is sent compressed.
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "esbuild";
import { tablesPlugin } from "./tables.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "hosts/web");

/** Of script and style before any screen, as they are sent, by Brotli. */
export const firstLoadMaxBytes = 75 * 1024;

/** The screens that people open first: by a bookmark, a link of a message, a notice. */
const firstScreens = ["inbox", "issue", "issues"];

/** Of all that such a screen needs until it can be used, the first load included. */
export const firstScreenMax = { bytes: 110 * 1024, files: 8 };

const browsers = ["chrome123", "firefox120", "safari17.5"];

const [br, gz] = [promisify(brotliCompress), promisify(gzip)];
const compressed = /\.(js|css)$/;
const asBrotli = (contents) =>
  br(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } });

/** Every stylesheet of the page as one, tokens first: a part or a screen keeps its own next to it. */
const stylePlugin = {
  name: "style",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^boardroom:style$/ }, ({ path }) => ({ path, namespace: "style" }));
    onLoad({ filter: /.*/, namespace: "style" }, async () => {
      const found = (await readdir(source, { recursive: true }))
        .filter((path) => path.endsWith(".css"))
        .sort();
      const [tokens] = found.filter((path) => path.endsWith("tokens.css"));
      const contents = [tokens, ...found.filter((path) => path !== tokens)]
        .map((path) => `@import "./${path.replaceAll("\\", "/")}";`)
        .join("\n");
      return { contents, loader: "css", resolveDir: source };
    });
  },
};

/**
 * Makes one chunk of what all late files share with the first load: each of them imports the shell, which is there when
 * they are loaded. Otherwise each set of screens that share a file gets a chunk of its own, and the first load has thirty.
 * In the same way each of the `groups` of files gets one chunk: a late file that needs one of them imports all.
 */
const sharedChunkPlugin = ({ late, groups }) => ({
  name: "shared-chunk",
  setup: ({ onLoad }) => {
    const importsOf = (path) =>
      [join(source, "shell/app.tsx"), ...groups.flatMap(({ files, users }) => (users.has(path) ? files : []))]
        .filter((each) => each !== path)
        .map((each) => `import ${JSON.stringify(each)};`)
        .join("\n");
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) =>
      late.has(path)
        ? {
            contents: `${await readFile(path, "utf8")}\n${importsOf(path)}`,
            loader: path.endsWith("x") ? "tsx" : "ts",
          }
        : null,
    );
  },
});

/** Of `marked` its lexer alone: the page makes elements of its tokens, and the rest is never reached, but has effects when it is loaded. */
const markedLexerPlugin = {
  name: "marked-lexer",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]marked\.esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const renderers = text.search(/var \w+=class(?: \w+)?\{options;parser;/);
      const lexer = /(\w+) as Lexer\b/.exec(text)?.[1];
      if (renderers === -1 || lexer === undefined)
        throw new Error("marked is built in another way: read its lexer again.");
      return { contents: `${text.slice(0, renderers)}\nexport { ${lexer} as Lexer };`, loader: "js" };
    });
  },
};

/** A script of its own, which shares no file with the page. */
const bundled = async (path, define = {}) => {
  const { outputFiles } = await build({
    entryPoints: [join(source, path)],
    bundle: true,
    platform: "browser",
    format: "iife",
    target: browsers,
    minify: true,
    define,
    write: false,
    logLevel: "warning",
    tsconfig: join(source, "tsconfig.json"),
  });
  return outputFiles[0].text;
};

/** The script of the sandboxed frame of UI parsers, with that of its workers in it. */
const buildSandbox = async () =>
  bundled("sandbox/frame.ts", { workerScript: JSON.stringify(await bundled("sandbox/worker.ts")) });

const hashOf = (...texts) =>
  createHash("sha256").update(JSON.stringify(texts)).digest("base64url").slice(0, 12);

/** The page without the service, its script, and the worker that shows it: `shell` are the files that the worker caches, too. */
const buildWorker = async (to, style, shell) => {
  const offlineScript = await bundled("worker/offline.ts");
  const scriptName = `assets/offline-${hashOf(offlineScript)}.js`;
  const offlinePage = (await readFile(join(source, "offline.html"), "utf8"))
    .replace("{{style}}", style)
    .replace("{{script}}", scriptName);
  const files = ["offline.html", "icon.svg", scriptName, style, ...shell];
  const worker = await bundled("worker/service-worker.ts", {
    shellFiles: JSON.stringify(files),
    shellVersion: JSON.stringify(
      hashOf(offlinePage, await readFile(join(source, "icon.svg"), "utf8"), files),
    ),
  });
  await writeFile(join(to, "offline.html"), offlinePage);
  await writeFile(join(to, "service-worker.js"), worker);
  await writeCompressed(join(to, scriptName), offlineScript);
};

/** Bundles the page in memory. `shared`: what late files import, for few chunks. */
const bundlePage = (to, shared) =>
  build({
    entryPoints: { board: join(source, "main.tsx"), style: "boardroom:style" },
    outdir: join(to, "assets"),
    bundle: true,
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    platform: "browser",
    format: "esm",
    target: browsers,
    jsx: "automatic",
    alias: {
      react: join(root, "hosts/web/react.mjs"),
      "react-dom": "preact/compat",
      "react-dom/client": "preact/compat/client",
      "react/jsx-runtime": "preact/jsx-runtime",
    },
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".md": "text" },
    plugins: [tablesPlugin, stylePlugin, markedLexerPlugin, sharedChunkPlugin(shared)],
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    tsconfig: join(source, "tsconfig.json"),
  });

const outputNamed = (outputs, entry) =>
  Object.keys(outputs).find((path) => outputs[path].entryPoint?.endsWith(entry));

const outputOfScreen = (outputs, screen) => outputNamed(outputs, `/${screen}-screen.tsx`);

/**
 * The late files, and the files of ours that a first screen shares with others, apart from the first load, in two groups: those
 * that the list of issues needs, too, and those that it doesn't. A late file loads a group where it needs a part of it.
 */
const sharedBy = ({ outputs }) => {
  const first = staticImports(outputNamed(outputs, "main.tsx"), outputs);
  const lateOf = (from) => [...staticImports(from, outputs)].filter((path) => !first.has(path));
  const isShared = (path) => outputs[path].entryPoint === undefined;
  const ofList = new Set(lateOf(outputOfScreen(outputs, "issues")).filter(isShared));
  const ofOthers = new Set(
    firstScreens
      .flatMap((screen) => lateOf(outputOfScreen(outputs, screen)))
      .filter((path) => isShared(path) && !ofList.has(path)),
  );
  const late = Object.keys(outputs).filter(
    (path) =>
      outputs[path].entryPoint?.startsWith("hosts/") && !outputs[path].entryPoint.endsWith("main.tsx"),
  );
  const absolute = (path) => join(process.cwd(), path);
  const sourceOf = (path) => absolute(outputs[path].entryPoint);
  const groups = [ofList, ofOthers].map((chunks) => ({
    files: [...chunks]
      .flatMap((path) => Object.keys(outputs[path].inputs))
      .filter((path) => !path.includes("node_modules") && /\.tsx?$/.test(path))
      .map(absolute)
      .sort(),
    users: new Set(late.filter((path) => lateOf(path).some((each) => chunks.has(each))).map(sourceOf)),
  }));
  return { late: new Set(late.map(sourceOf)), groups };
};

/** Rejects where a first screen needs too much. */
const checkFirstScreens = (outputs, first, weightOf) => {
  for (const screen of firstScreens) {
    const files = new Set([...first, ...staticImports(outputOfScreen(outputs, screen), outputs)]);
    const bytes = [...files].reduce((sum, path) => sum + weightOf.get(path), 0);
    if (bytes > firstScreenMax.bytes || files.size > firstScreenMax.files)
      throw new Error(
        `The screen ${screen} needs ${bytes} bytes (Brotli) in ${files.size} files before it can be used, and at most ${firstScreenMax.bytes} in ${firstScreenMax.files} are allowed.`,
      );
  }
};

/** Writes the page below `to`, which is replaced; rejects where the first load or a first screen is too heavy. */
export const buildWeb = async (to) => {
  // The first bundle tells which files are loaded late, and what they share.
  const { metafile: alone } = await bundlePage(to, { late: new Set(), groups: [] });
  const { metafile, outputFiles } = await bundlePage(to, sharedBy(alone));
  const { outputs } = metafile;
  const script = outputNamed(outputs, "main.tsx");
  const style = outputNamed(outputs, "boardroom:style");
  const first = staticImports(script, outputs);
  const weightOf = new Map(
    await Promise.all(
      outputFiles.map(async ({ path, contents }) => [
        relative(process.cwd(), path),
        (await asBrotli(contents)).length,
      ]),
    ),
  );
  const firstLoadBytes = [...first, style].reduce((sum, path) => sum + weightOf.get(path), 0);
  if (firstLoadBytes > firstLoadMaxBytes)
    throw new Error(
      `The page's first load is ${firstLoadBytes} bytes of script and style (Brotli), and at most ${firstLoadMaxBytes} are allowed.`,
    );
  checkFirstScreens(outputs, [...first, style], weightOf);

  await rm(to, { recursive: true, force: true });
  await mkdir(join(to, "assets"), { recursive: true });
  const nameOf = (path) => `assets/${path.split("/").at(-1)}`;
  const document = (await readFile(join(source, "index.html"), "utf8"))
    .replace("{{style}}", nameOf(style))
    .replace("{{script}}", nameOf(script))
    .replace(
      "{{preloads}}",
      [...first]
        .filter((path) => path !== script)
        .map((path) => `<link rel="modulepreload" href="${nameOf(path)}">`)
        .join("\n  "),
    );
  // The document differs by where the page is reached: what sends it fills in the base.
  await writeFile(join(to, "index.html"), document);
  await writeFile(join(to, "parser-frame.js"), await buildSandbox());
  await cp(join(source, "manifest.webmanifest"), join(to, "manifest.webmanifest"));
  await cp(join(source, "icons"), to, { recursive: true });
  await buildWorker(to, nameOf(style), [...first].map(nameOf));
  await Promise.all(
    [
      ...outputFiles.map(({ path, contents }) => [relative(to, path), contents]),
      ...countedIcons(await readFile(join(source, "icon.svg"), "utf8")),
    ].map(([name, contents]) => writeCompressed(join(to, name), contents)),
  );
  return { firstLoadBytes };
};

/** The files that a script cannot begin without, itself included. */
const staticImports = (from, outputs, found = new Set()) => {
  found.add(from);
  for (const { path, kind } of outputs[from].imports)
    if (kind === "import-statement" && !found.has(path)) staticImports(path, outputs, found);
  return found;
};

/** The icon, and those that say how much waits for the person: CSP lets no page draw one. */
const countedIcons = (icon) => [
  ["icon.svg", icon],
  ...["1", "2", "3", "4", "5", "6", "7", "8", "9", "9+"].map((count) => [
    `assets/icon-${count === "9+" ? "more" : count}.svg`,
    icon.replace(
      "</svg>",
      `<circle cx="21" cy="21" r="11" fill="#b3241c"/><text x="21" y="27" text-anchor="middle" font-family="sans-serif" font-weight="bold" font-size="${count.length > 1 ? 14 : 17}" fill="#fff">${count}</text></svg>`,
    ),
  ]),
];

const writeCompressed = async (path, contents) => {
  await writeFile(path, contents);
  if (!compressed.test(path)) return;
  const [asBr, asGz] = await Promise.all([asBrotli(contents), gz(contents, { level: 9 })]);
  await Promise.all([writeFile(`${path}.br`, asBr), writeFile(`${path}.gz`, asGz)]);
};
