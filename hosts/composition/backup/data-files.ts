import { constants } from "node:fs";
import { lstat, mkdir, open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BackupUnusable } from "../../../adapters-infra/backup/backup-unusable.ts";

/** Files that operators put into the data directory, by folder. Packages of adapters are installed again from the registry. */
const folders = ["runners", "skills"] as const;
const registry = "adapters/registry.json";

export interface DataFile {
  /** Relative to the data directory, with slashes. */
  readonly name: string;
  readonly mode: number;
  readonly data: AsyncIterable<Buffer>;
}

/** Reads the files. Does not follow links, and leaves out all but regular files. */
export async function* dataFiles(dataDir: string): AsyncGenerator<DataFile, void> {
  for (const folder of folders) yield* filesBelow(dataDir, folder);
  yield* fileAt(dataDir, registry);
}

async function* filesBelow(dataDir: string, folder: string): AsyncGenerator<DataFile, void> {
  const found = await lstat(join(dataDir, folder)).catch(() => null);
  if (!found?.isDirectory()) return;
  const entries = await readdir(join(dataDir, folder), { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(dataDir, name);
    else if (entry.isFile()) yield* fileAt(dataDir, name);
  }
}

async function* fileAt(dataDir: string, name: string): AsyncGenerator<DataFile, void> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(join(dataDir, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ELOOP") return null;
      throw error;
    },
  );
  if (file === null) return;
  const { mode } = await file.stat();
  yield { name, mode: mode & 0o777, data: file.createReadStream() };
}

/** Writes a file of a backup. Refuses a name that is not one of those above, whatever wrote it. */
export const writeDataFile = async (
  dataDir: string,
  name: string,
  mode: number,
  data: Buffer,
): Promise<void> => {
  const segments = name.split("/");
  const isPlain = segments.every(
    (each) => each !== "" && each !== "." && each !== ".." && !each.includes("\0"),
  );
  const isExpected =
    name === registry || (segments.length > 1 && folders.some((each) => each === segments[0]));
  if (!isPlain || !isExpected)
    throw new BackupUnusable("The backup has a file whose name is not one of a data directory.");
  const path = join(dataDir, ...segments);
  // Agents read skills.
  await mkdir(dirname(path), { recursive: true, mode: segments[0] === "skills" ? 0o755 : 0o700 });
  const file = await open(path, "wx", mode & 0o755);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
};
