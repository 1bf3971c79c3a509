import { existsSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Whether any user may execute it. */
export const isExecutable = (file: string): boolean => {
  const found = statSync(file);
  return found.isFile() && (found.mode & 0o111) !== 0;
};

/** Finds the file of a command as the system does; null if it does not exist. */
export const findCommand = (command: string, path: string | undefined, cwd: string): string | null => {
  if (command.includes("/")) {
    const file = isAbsolute(command) ? command : join(cwd, command);
    return existsSync(file) ? file : null;
  }
  for (const folder of (path ?? "/usr/local/bin:/usr/bin:/bin").split(":")) {
    const file = join(isAbsolute(folder) ? folder : join(cwd, folder), command);
    if (existsSync(file) && isExecutable(file)) return file;
  }
  return null;
};
