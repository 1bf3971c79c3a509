import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { templatePathsIn } from "./read-folder.ts";
import { companyFile, TemplateFileInvalid } from "./template-files.ts";

export interface WrittenFolder {
  /** Paths below the folder. */
  readonly written: readonly string[];
  /** Files of an earlier export whose records are gone. */
  readonly removed: readonly string[];
}

/**
 * Writes the files of a template. The folder is new or empty, or holds an earlier template: of that, files without a record
 * are removed. Other files stay.
 *
 * @throws TemplateFileInvalid
 */
export const writeTemplateFolder = async (
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<WrittenFolder> => {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    throw new TemplateFileInvalid(`${folder} cannot be read (${error.code}).`);
  });
  if (there.length > 0 && !there.includes(companyFile))
    throw new TemplateFileInvalid(`${folder} is not empty, and holds no template.`);
  const earlier = there.length === 0 ? [] : await templatePathsIn(folder);
  // Last, so that an incomplete folder is not read as a whole template.
  const paths = [...files.keys()].toSorted((a, b) => Number(a === companyFile) - Number(b === companyFile));
  for (const path of paths) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    // A link at the file's place is replaced, not followed.
    await rm(`${target}.tmp`, { force: true });
    await writeFile(`${target}.tmp`, files.get(path)!, { flag: "wx" });
    await rename(`${target}.tmp`, target);
  }
  const removed = earlier.filter((path) => !files.has(path));
  for (const path of removed) await rm(join(folder, path));
  return { written: paths, removed };
};
