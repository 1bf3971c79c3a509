// What is published names what its users need, and no more: the bundle holds the code of all packages but the database's
// binaries and esbuild (which converts UI parsers), so only those remain, and the packages that our types speak of. `npm pack` puts the file into the archive as it
// stands; `--restore` brings the checkout's own back.
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = join(root, "package.json");
const kept = join(root, "node_modules", ".package.checkout.json");

/** `effect` of "effect/Effect", `@scope/name` of "@scope/name/part". */
const packageOf = (specifier) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const packagesInTypes = async () => {
  const found = new Set();
  const types = join(root, "dist", "types");
  for (const path of await readdir(types, { recursive: true })) {
    if (!path.endsWith(".d.ts")) continue;
    const text = await readFile(join(types, path), "utf8");
    for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*["']([^."'][^"']*)["']/g))
      found.add(packageOf(specifier));
  }
  return found;
};

if (process.argv.includes("--restore")) {
  if (existsSync(kept)) await rename(kept, manifest);
} else {
  const text = await readFile(manifest, "utf8");
  const { scripts, devDependencies, overrides, allowScripts, dependencies, ...published } = JSON.parse(text);
  const spoken = await packagesInTypes();
  const needed = Object.entries(dependencies).filter(([name]) => spoken.has(name) || name === "esbuild");
  await rm(kept, { force: true });
  await writeFile(kept, text);
  await writeFile(
    manifest,
    `${JSON.stringify({ ...published, dependencies: Object.fromEntries(needed) }, null, 2)}\n`,
  );
}
