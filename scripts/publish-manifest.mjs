// The published manifest names what its users need, and no more: the bundle holds the code of all packages but the database's
// binaries and esbuild (a program of its own, which converts UI parsers), and the types name no package. `npm pack` puts the
// file into the archive as it stands; `--restore` brings the checkout's own back.
import { existsSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = join(root, "package.json");
const kept = join(root, "node_modules", ".package.checkout.json");

if (process.argv.includes("--restore")) {
  if (existsSync(kept)) await rename(kept, manifest);
} else {
  const text = await readFile(manifest, "utf8");
  const { scripts, devDependencies, overrides, allowScripts, dependencies, ...published } = JSON.parse(text);
  const needed = Object.entries(dependencies).filter(([name]) => name === "esbuild");
  await rm(kept, { force: true });
  await writeFile(kept, text);
  await writeFile(
    manifest,
    `${JSON.stringify({ ...published, dependencies: Object.fromEntries(needed) }, null, 2)}\n`,
  );
}
