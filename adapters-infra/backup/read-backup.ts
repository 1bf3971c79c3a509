import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import type { Member } from "./archive-member.ts";
import { formerFormat, readArchive } from "./archive-reader.ts";
import { wholeOf } from "./archive-writer.ts";
import { BackupUnusable, changed } from "./backup-failures.ts";
import { formatVersion, type Holds, Manifest, manifestNames, masterKeyName } from "./manifest.ts";
import type { Section } from "./sections.ts";

export interface BackupFile {
  readonly path: string;
  readonly passphrase: string | null;
}

/** No part of a table, no manifest and no key comes near it: a changed length must not take all memory. */
const maxTextBytes = 512 * 1024 * 1024;

const membersOf = ({ path, passphrase }: BackupFile): AsyncGenerator<Member, void> =>
  readArchive(createReadStream(path, { highWaterMark: 256 * 1024 }), passphrase);

export const textOf = (member: Member): Promise<Buffer> => {
  if (member.kind !== "file" || member.bytes > maxTextBytes) throw changed();
  return wholeOf(member.data());
};

export interface CheckedBackup {
  readonly manifest: Manifest;
  /** The master key, encrypted by a passphrase; null: the backup is without it. */
  readonly encryptedKey: Buffer | null;
}

/** Reads the whole file. Throws `BackupUnusable` unless it is exactly as it was written. */
export const checkBackup = async (
  file: BackupFile,
  holds: Holds = "installation",
  onMember: (member: Member) => Promise<void> = async () => {},
): Promise<CheckedBackup> => {
  const found = await lstat(file.path).catch(() => null);
  if (found === null) throw new BackupUnusable(`There is no file ${file.path}.`);
  if (found.isDirectory()) throw new BackupUnusable(`${file.path} is a folder. Name the file of a backup.`);
  let manifest: Manifest | null = null;
  let encryptedKey: Buffer | null = null;
  for await (const member of membersOf(file)) {
    if (manifest !== null) throw changed();
    const { name } = member;
    if (name === manifestNames[holds]) manifest = parsed(await textOf(member));
    else if (name === manifestNames.company)
      throw new BackupUnusable(
        "The file holds one company, not an installation: `boardroom companies import` takes it.",
      );
    else if (name === manifestNames.installation)
      throw new BackupUnusable("The file is a backup of an installation: `boardroom restore` takes it.");
    else if (name === masterKeyName) encryptedKey = await textOf(member);
    else await onMember(member);
  }
  if (manifest === null) throw new BackupUnusable("The file is not a backup of Boardroom.");
  return { manifest, encryptedKey };
};

const parsed = (data: Buffer): Manifest => {
  let json: unknown;
  try {
    json = JSON.parse(data.toString("utf8"));
  } catch {
    throw changed();
  }
  const format = (json as { format?: unknown } | null)?.format;
  if (format === 1) throw formerFormat();
  if (typeof format === "number" && format > formatVersion)
    throw new BackupUnusable(
      `The backup has format ${format}, and this version of the service reads format ${formatVersion}. Use the version that made it, or a later one.`,
    );
  const result = Manifest.safeParse(json);
  if (!result.success) throw new BackupUnusable("The manifest of the backup is not valid.");
  return result.data;
};

/** The sections of a checked file, which are read in their order, once. */
export interface BackupContents {
  /** Calls back before each part. */
  tables(
    onPart: (table: string) => void,
  ): AsyncGenerator<{ readonly table: string; readonly data: Buffer }, void>;
  /** Its members, by names without that of the section. Their data is read before the next one. */
  section(name: Section): AsyncGenerator<Member, void>;
  close(): Promise<void>;
}

export const openBackup = (file: BackupFile): BackupContents => {
  const members = membersOf(file);
  /** The one that the next section begins with. */
  let current: Promise<IteratorResult<Member, void>> | null = null;
  const section = async function* (name: Section): AsyncGenerator<Member, void> {
    for (;;) {
      current ??= members.next();
      const next = await current;
      if (next.done || !next.value.name.startsWith(`${name}/`)) return;
      yield { ...next.value, name: next.value.name.slice(name.length + 1) };
      current = null;
    }
  };
  return {
    section,
    tables: async function* (onPart) {
      for await (const member of section("tables")) {
        const [table = ""] = member.name.split("/");
        onPart(table);
        yield { table, data: await textOf(member) };
      }
    },
    close: async () => {
      await current?.catch(() => {});
      await members.return();
    },
  };
};
