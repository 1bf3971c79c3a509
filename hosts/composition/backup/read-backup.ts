import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { type ArchiveEntry, readArchive } from "../../../adapters-infra/backup/archive-reader.ts";
import { BackupUnusable, changed } from "../../../adapters-infra/backup/backup-unusable.ts";
import { type FramedFile, readFramed } from "../../../adapters-infra/backup/framed-files.ts";
import { formatVersion, type Holds, Manifest, manifestNames } from "./manifest.ts";

export interface BackupFile {
  readonly path: string;
  readonly passphrase: string | null;
}

const entriesOf = ({ path, passphrase }: BackupFile): AsyncGenerator<ArchiveEntry, void> =>
  readArchive(createReadStream(path, { highWaterMark: 256 * 1024 }), passphrase);

/**
 * Reads the whole file and returns its manifest. Throws `BackupUnusable` unless the file is exactly as it was written and
 * holds all parts of the manifest.
 */
export const checkBackup = async (
  file: BackupFile,
  holds: Holds = "installation",
  onEntry: (entry: ArchiveEntry) => void = () => {},
): Promise<Manifest> => {
  const found = await lstat(file.path).catch(() => null);
  if (found === null) throw new BackupUnusable(`There is no file ${file.path}.`);
  if (found.isDirectory()) throw new BackupUnusable(`${file.path} is a folder. Name the file of a backup.`);
  const seen: string[] = [];
  let manifest: Manifest | null = null;
  for await (const entry of entriesOf(file)) {
    const { name, bytes, sha256, data } = entry;
    if (manifest !== null) throw changed();
    if (name === manifestNames[holds]) manifest = parsed(data);
    else if (name === manifestNames.company)
      throw new BackupUnusable(
        "The file holds one company, not an installation: `boardroom companies import` takes it.",
      );
    else if (name === manifestNames.installation)
      throw new BackupUnusable("The file is a backup of an installation: `boardroom restore` takes it.");
    else {
      seen.push(`${name} ${bytes} ${sha256}`);
      onEntry(entry);
    }
  }
  if (manifest === null) throw new BackupUnusable("The file is not a backup of Boardroom.");
  const listed = [
    ...manifest.tables.flatMap(({ parts }) => parts),
    ...manifest.files.parts,
    ...manifest.blobs.parts,
    ...(manifest.workspaces?.parts ?? []),
  ].map(({ name, bytes, sha256 }) => `${name} ${bytes} ${sha256}`);
  if (listed.join("\n") !== seen.join("\n")) throw changed();
  return manifest;
};

const parsed = (data: Buffer): Manifest => {
  let json: unknown;
  try {
    json = JSON.parse(data.toString("utf8"));
  } catch {
    throw changed();
  }
  const format = (json as { format?: unknown } | null)?.format;
  if (typeof format === "number" && format > formatVersion)
    throw new BackupUnusable(
      `The backup has format ${format}, and this version of the service reads format ${formatVersion} at most. Use the version that made it, or a later one.`,
    );
  const result = Manifest.safeParse(json);
  if (!result.success) throw new BackupUnusable("The manifest of the backup is not valid.");
  return result.data;
};

/** The contents of a checked file, which are read in this order, once. */
export interface BackupContents {
  /** Calls back before each part. */
  tables(
    onPart: (table: string) => void,
  ): AsyncGenerator<{ readonly table: string; readonly data: Buffer }, void>;
  files(): AsyncGenerator<FramedFile, void>;
  blobs(): AsyncGenerator<FramedFile, void>;
  workspaces(): AsyncGenerator<FramedFile, void>;
  close(): Promise<void>;
}

export const openBackup = (file: BackupFile, manifest: Manifest): BackupContents => {
  const entries = entriesOf(file);
  const tableOf = new Map(
    manifest.tables.flatMap(({ name, parts }) => parts.map((part) => [part.name, name])),
  );
  let left = entries.next();
  /** Stops before the first entry that is of another kind, which the next one begins with. */
  const entriesAmong = async function* (names: ReadonlySet<string>): AsyncGenerator<ArchiveEntry, void> {
    for (let next = await left; !next.done && names.has(next.value.name); next = await left) {
      left = entries.next();
      // A failure belongs to the reader of the next entry.
      left.catch(() => {});
      yield next.value;
    }
  };
  const dataOf = async function* (parts: Manifest["files"]["parts"]): AsyncGenerator<Buffer, void> {
    for await (const { data } of entriesAmong(new Set(parts.map(({ name }) => name)))) yield data;
  };
  return {
    tables: async function* (onPart) {
      for await (const { name, data } of entriesAmong(new Set(tableOf.keys()))) {
        const table = tableOf.get(name)!;
        onPart(table);
        yield { table, data };
      }
    },
    files: () => readFramed(dataOf(manifest.files.parts)),
    blobs: () => readFramed(dataOf(manifest.blobs.parts)),
    workspaces: () => readFramed(dataOf(manifest.workspaces?.parts ?? [])),
    close: async () => {
      await left.catch(() => {});
      await entries.return();
    },
  };
};
