// Bundles the service into dist/: `npm ci` runs it, so that a start loads a handful of files instead of a thousand.
import { cp, mkdir, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPlugins } from "./build-plugins.mjs";
import { buildWeb } from "./build-web.mjs";
import { bundling } from "./bundling.mjs";
import { lightBuiltinsPlugin } from "./light-builtins.mjs";
import { tablesPlugin } from "./tables.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

/** Its time is that of the sources that were built: a change during the build is newer. */
const mark = join(root, "node_modules/.cache/boardroom/built");
const began = new Date();
await rm(mark, { force: true });
await mkdir(dist, { recursive: true });
const [bundle] = await Promise.all([
  build({
    entryPoints: {
      boardroom: join(root, "hosts/cli/main.ts"),
      library: join(root, "hosts/library/index.ts"),
      plugin: join(root, "plugins/kit/plugin.ts"),
    },
    outdir: dist,
    ...bundling,
    plugins: [tablesPlugin, lightBuiltinsPlugin],
    splitting: true,
    chunkNames: "chunk-[hash]",
    sourcemap: "linked",
    sourcesContent: false,
    metafile: true,
  }),
  // Process 1 of pods and containers: one small file that a ConfigMap holds.
  build({
    entryPoints: { "runner-helper": join(root, "adapters-infra/runner-helper/helper.ts") },
    outdir: dist,
    ...bundling,
    minify: true,
  }),
  ...["spawner-program.mjs", "supervisor-program.mjs"].map((name) =>
    cp(join(root, "adapters-infra/local", name), join(dist, name)),
  ),
  rm(join(dist, "migrations"), { recursive: true, force: true }).then(() =>
    cp(join(root, "adapters-infra/postgres/migrations"), join(dist, "migrations"), { recursive: true }),
  ),
  rm(join(dist, "templates"), { recursive: true, force: true }).then(() =>
    cp(join(root, "templates"), join(dist, "templates"), { recursive: true }),
  ),
  buildPlugins(join(dist, "plugins")),
  buildWeb(join(dist, "web")),
]);

// Files of an earlier build; a service that runs from it would miss what it loads late, so only on request.
if (process.argv.includes("--clean")) {
  const made = new Set(Object.keys(bundle.metafile.outputs).map((path) => basename(path)));
  for (const name of await readdir(dist))
    if (/\.js(\.map)?$/.test(name) && name !== "runner-helper.js" && !made.has(name))
      await rm(join(dist, name));
}

await mkdir(dirname(mark), { recursive: true });
await writeFile(mark, "");
await utimes(mark, began, began);
