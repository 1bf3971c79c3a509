import { stat } from "node:fs/promises";
import { resolve } from "node:path";

/** Whether the source of an import is a file; a template is a folder or a name. */
export const isFullExport = async (source: string): Promise<boolean> =>
  (await stat(resolve(source)).catch(() => null))?.isFile() === true;
