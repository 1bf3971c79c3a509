import { readFile } from "node:fs/promises";
import { BackupFailed } from "./backup-failures.ts";

/** Not so short that it is found by trying. */
const leastCharacters = 12;

/** Reads the first line of a file as a passphrase. `setting`: what names the file, for the sentence of a failure. */
export const readPassphrase = async (path: string, setting: string): Promise<string> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new BackupFailed(`${setting}: ${path} cannot be read (${error.code}).`);
  });
  const [line = ""] = text.split(/\r?\n/);
  if (line.length < leastCharacters)
    throw new BackupFailed(
      `${setting}: the first line of ${path} has fewer than ${leastCharacters} characters.`,
    );
  return line;
};
