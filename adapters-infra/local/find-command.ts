import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";

/** Whether any user may execute it. */
export const isExecutable = (file: string): boolean => {
  const found = statSync(file);
  return found.isFile() && (found.mode & 0o111) !== 0;
};

/**
 * Finds the file of a command as the system does; null if it does not exist. `locate` leads to what the program sees,
 * null where that is nothing: what stands elsewhere is not looked at.
 */
export const findCommand = (
  command: string,
  path: string | undefined,
  cwd: string,
  locate: (path: string) => string | null = (file) => file,
): string | null => {
  const isThere = (file: string) => {
    const at = locate(file);
    return at !== null && existsSync(at);
  };
  if (command.includes("/")) {
    const file = resolve(cwd, command);
    return isThere(file) ? file : null;
  }
  for (const folder of (path ?? "/usr/local/bin:/usr/bin:/bin").split(":")) {
    const file = resolve(cwd, folder, command);
    if (isThere(file) && isExecutable(locate(file) ?? file)) return file;
  }
  return null;
};
