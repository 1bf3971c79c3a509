import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DeclaredTemplate } from "../../core/model/templates/company-template.ts";
import { isTemplateFile, TemplateFileInvalid, templateOf } from "./template-files.ts";

/** Far more than a company needs; a folder that is another one is noticed before it is read whole. */
const most = { files: 5000, bytesOfFile: 1024 * 1024 };

/**
 * Reads the template in a folder. Other files than a template's are left alone; links are refused.
 *
 * @throws TemplateFileInvalid
 */
export const readTemplateFolder = async (folder: string): Promise<DeclaredTemplate> => {
  const files = new Map<string, string>();
  for (const path of await templatePathsIn(folder)) {
    const { size } = await lstat(join(folder, path));
    if (size > most.bytesOfFile) throw new TemplateFileInvalid(`${path} is larger than 1 MiB.`);
    files.set(path, await readFile(join(folder, path), "utf8"));
  }
  return templateOf(files);
};

/** Lists the files of a template in a folder, by their paths below it. */
export const templatePathsIn = async (folder: string): Promise<readonly string[]> => {
  const paths: string[] = [];
  for (const part of ["", "agents", "goals", "projects", "routines"]) {
    const entries = await readdir(join(folder, part), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (part !== "" && error.code === "ENOENT") return [];
        throw new TemplateFileInvalid(`${part === "" ? folder : part} cannot be read (${error.code}).`);
      },
    );
    for (const entry of entries) {
      const path = part === "" ? entry.name : `${part}/${entry.name}`;
      if (!isTemplateFile(path)) continue;
      if (!entry.isFile()) throw new TemplateFileInvalid(`${path} isn't a file.`);
      paths.push(path);
    }
    if (paths.length > most.files)
      throw new TemplateFileInvalid(`${folder} has more than ${most.files} files of a template.`);
  }
  return paths;
};
