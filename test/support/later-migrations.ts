import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { readMigrations, shipped } from "../../adapters-infra/postgres/migrate.ts";

/** Turns the code of this process into a later version, which has these migrations as well, until `remove`. */
export const laterMigrations = async (
  ...texts: readonly string[]
): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> => {
  const former = shipped.folder;
  const next = (await readMigrations()).at(-1)!.version + 1;
  const folder = await mkdtemp(join(tmpdir(), "boardroom-migrations-"));
  await cp(former, folder, { recursive: true });
  for (const [index, text] of texts.entries())
    await writeFile(join(folder, `${`${next + index}`.padStart(3, "0")}-later.sql`), text);
  shipped.folder = pathToFileURL(`${folder}/`);
  return {
    folder,
    remove: () => {
      shipped.folder = former;
      return rm(folder, { recursive: true, force: true });
    },
  };
};
