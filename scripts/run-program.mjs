// `npm run bench -- --help`, `npm run soak -- --help`: builds the service and `test/<name>/main.ts`, and runs it.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [name, ...args] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
// As deep below the root as the sources, which look for the program from where they are.
const outfile = join(root, "dist", name, "main.mjs");

await import("./build.mjs");
await build({
  entryPoints: [join(root, "test", name, "main.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  logLevel: "warning",
});
process.exitCode =
  spawnSync(process.execPath, [outfile, ...args], { stdio: "inherit", cwd: root }).status ?? 1;
