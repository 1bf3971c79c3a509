import { readTemplateFolder } from "../../../adapters-infra/template-folder/read-folder.ts";
import { filesOf, TemplateFileInvalid } from "../../../adapters-infra/template-folder/template-files.ts";
import { writeTemplateFolder } from "../../../adapters-infra/template-folder/write-folder.ts";
import type { DeclaredTemplate } from "../../../core/model/templates/company-template.ts";

/** Folders with the template of a company, for hosts. */
export const templateFolders = {
  read: readTemplateFolder,
  write: (folder: string, template: DeclaredTemplate) => writeTemplateFolder(folder, filesOf(template)),
  /** Whether an error is a sentence about a file of the folder. */
  isInvalid: (error: unknown): error is Error => error instanceof TemplateFileInvalid,
};
