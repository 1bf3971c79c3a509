import { randomUUID } from "node:crypto";
import {
  chown,
  lstat,
  mkdir,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { AgentUser, ProgramFile } from "../../ports/agent-adapter.ts";

/**
 * Lays out files and folders as links below `folder`, texts as files of the user alone, and removes the links next to them
 * that earlier runs left. Entries other than links stay. Returns a sentence for each file that could not be laid out.
 */
export const layOutFiles = async (
  files: readonly ProgramFile[],
  folder: string,
  user: AgentUser | null = null,
): Promise<readonly string[]> => {
  const problems: string[] = [];
  if (files.length === 0) return problems;
  await mkdir(dirname(folder), { recursive: true, mode: 0o755 });
  const root = join(await realpath(dirname(folder)), basename(folder));
  for (const directory of new Set(files.map(({ path }) => dirname(path)))) {
    const inside = relative(folder, directory);
    if (inside.startsWith("..")) throw new Error(`${directory} is not below ${folder}.`);
    const here = files.filter(({ path }) => dirname(path) === directory);
    problems.push(...(await layOutIn(join(root, inside), here, user)));
  }
  return problems;
};

const layOutIn = async (
  directory: string,
  files: readonly ProgramFile[],
  user: AgentUser | null,
): Promise<readonly string[]> => {
  const problems: string[] = [];
  await mkdir(directory, { recursive: true, mode: 0o755 });
  if ((await realpath(directory)) !== directory)
    throw new Error(`${directory} is a link to somewhere else. Remove it; it is the service's own.`);
  const names = new Set(files.map(({ path }) => basename(path)));
  for (const name of await readdir(directory)) {
    // Names that begin with a dot belong to another run and are about to be renamed.
    if (name.startsWith(".") || names.has(name)) continue;
    if (await isLink(join(directory, name))) await rm(join(directory, name), { force: true });
  }
  for (const file of files) {
    const to = join(directory, basename(file.path));
    const temporary = join(directory, `.${basename(file.path)}.${randomUUID()}`);
    if ("text" in file) {
      await writeFile(temporary, file.text, { mode: 0o400, flag: "wx" });
      if (user !== null) await chown(temporary, user.uid, user.gid);
      await rename(temporary, to);
      continue;
    }
    const { source } = file;
    if ((await readlink(to).catch(() => null)) === source) continue;
    if ((await isLink(to)) === false) {
      problems.push(`${to} is in the way of ${source}, which this run goes without.`);
      continue;
    }
    await symlink(source, temporary);
    await rename(temporary, to);
  }
  return problems;
};

/** null where there is nothing. */
const isLink = (path: string): Promise<boolean | null> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => null,
  );
