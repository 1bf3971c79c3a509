// `npm run bench`: builds the service and the bench, and runs it. BENCH_ROUNDS and BENCH_SECONDS make it longer.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// As deep below the root as the sources, which look for the program from where they are.
const outfile = join(root, "dist", "bench", "main.mjs");

await import("./build.mjs");
await build({
  entryPoints: [join(root, "test/bench/main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
process.exitCode = spawnSync(process.execPath, [outfile], { stdio: "inherit", cwd: root }).status ?? 1;
