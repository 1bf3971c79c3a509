import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";

/**
 * Finds the program of a command as the system does; null if it does not exist. Like the runner that starts it, it looks
 * at the service's machine: there the command's own folder is shown to the program only when it starts. Opens nothing.
 */
export const findCommand = async (
  command: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string | null> => {
  const candidates = command.includes("/")
    ? [resolve(cwd, command)]
    : (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, join(folder, command)));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return null;
};

const isProgram = (path: string): Promise<boolean> =>
  Promise.all([stat(path), access(path, constants.X_OK)]).then(
    ([found]) => found.isFile(),
    () => false,
  );
