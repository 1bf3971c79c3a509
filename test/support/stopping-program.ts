import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { bundling } from "../../scripts/bundling.mjs";
import { root } from "./imports.ts";

/**
 * Builds `stopping-service.ts` or `stopping-backup.ts` as the service is built, in a folder outside any package, and
 * returns its path. Several suites may build at once.
 */
export const buildStoppingProgram = async (
  name: "stopping-service" | "stopping-backup" = "stopping-service",
): Promise<string> => {
  const folder = join(root, "test", ".built");
  await mkdir(folder, { recursive: true });
  // The bundle reads them from its own folder.
  for (const part of ["migrations", "holder-program.mjs"])
    await symlink(join(root, "dist", part), join(folder, part)).catch(() => {});
  const path = join(folder, `${name}.js`);
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    write: false,
  });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, outputFiles[0]!.contents);
  await rename(draft, path);
  return path;
};
