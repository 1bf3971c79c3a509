import { openAsBlob } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { UsageError } from "../failure.ts";

/** Reads the text of the file that `@path` names. */
export const readText = async (flag: string, typed: string): Promise<string> => {
  const path = typed.slice(1);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "doesn't exist" : "cannot be read";
    throw new UsageError(
      `--${flag}: the file ${path} ${reason}. A text that begins with @ is written @${typed}.`,
    );
  }
};

/** Opens a file that is read while it is sent. */
export const openFile = async (flag: string, path: string): Promise<File> => {
  try {
    if (!(await stat(path)).isFile()) throw new Error("no file");
    const type = contentTypes[extname(path).toLowerCase()] ?? "application/octet-stream";
    return new File([await openAsBlob(path)], basename(path), { type });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "doesn't exist" : "cannot be read";
    throw new UsageError(`--${flag}: the file ${path} ${reason}.`);
  }
};

const contentTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".log": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".zip": "application/zip",
};
