import { mkdir, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { bundling } from "../../scripts/bundling.mjs";
import { isNewerThanSources } from "./built.ts";
import { root } from "./imports.ts";

/**
 * Builds `stopping-service.ts` or `stopping-backup.ts` as the service is built, in a folder outside any package, and
 * returns its path. Several suites may build at once; once for all where no source has changed since, because that takes
 * three seconds of processor time.
 */
export const buildStoppingProgram = async (
  name: "stopping-service" | "stopping-backup" = "stopping-service",
): Promise<string> => {
  const folder = join(root, "test", ".built");
  await mkdir(folder, { recursive: true });
  // The bundle reads them from its own folder.
  for (const part of ["migrations", "supervisor-program.mjs"])
    await symlink(join(root, "dist", part), join(folder, part)).catch(() => {});
  const path = join(folder, `${name}.js`);
  const own = ["stopping-program", "crash-points", name].map((each) => `test/support/${each}.ts`);
  if (isNewerThanSources(path, own)) return path;
  const began = new Date();
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    write: false,
  });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, outputFiles[0]!.contents);
  // As old as the sources that it was built from.
  await utimes(draft, began, began);
  await rename(draft, path);
  return path;
};
