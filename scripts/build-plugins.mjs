// Builds the adapter packages of plugins/ into self-contained packages: run as a program, or call buildPlugins.
import { cp, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Each folder of plugins/ that has sources (src/) becomes `<outDir>/<folder>`: what its "exports" name, and package.json. */
export const buildPlugins = async (outDir = join(root, "dist", "plugins")) => {
  const source = join(root, "plugins");
  const names = [];
  for (const entry of await readdir(source, { withFileTypes: true })) {
    // kit/ is a library of theirs; echo/ is the worked example, which is installed like any external adapter.
    const isBuiltIn = await stat(join(source, entry.name, "src")).catch(() => null);
    if (isBuiltIn) names.push(entry.name);
  }
  await mkdir(outDir, { recursive: true });
  await Promise.all(names.map((name) => buildPlugin(join(source, name), join(outDir, name))));
  return names;
};

const buildPlugin = async (from, to) => {
  // Next to its place first, then moved there: a service that starts meanwhile sees the old package or the new one.
  const staging = `${to}.${process.pid}.new`;
  const common = {
    bundle: true,
    target: "es2023",
    outdir: staging,
    logLevel: "warning",
    legalComments: "none",
  };
  await rm(staging, { recursive: true, force: true });
  await Promise.all([
    build({
      ...common,
      entryPoints: [join(from, "src", "index.ts"), join(from, "src", "server.ts")],
      platform: "node",
      format: "esm",
    }),
    // Runs in a browser's worker as a function body with `module` and `exports`, so: no import, no export.
    build({
      ...common,
      entryPoints: [join(from, "src", "ui-parser.ts")],
      platform: "neutral",
      format: "cjs",
      outExtension: { ".js": ".cjs" },
    }),
  ]);
  await cp(join(from, "package.json"), join(staging, "package.json"));
  await rm(to, { recursive: true, force: true });
  await rename(staging, to).catch(async (error) => {
    // Another build was faster; both made the same.
    await rm(staging, { recursive: true, force: true });
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`plugins: ${(await buildPlugins(process.argv[2])).join(", ")}`);
}
