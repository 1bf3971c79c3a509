import { createHash } from "node:crypto";
import { type LeftOutFiles, workspaceEntries } from "./agent-files.ts";
import { treeEntries } from "./agent-trees.ts";
import type { Member } from "./archive-member.ts";
import type { ArchiveWriter } from "./archive-writer.ts";
import type { Manifest } from "./manifest.ts";

/** The folders of an archive, in their order. `agents` has workspaces and homes, `secrets` values of a company. */
export const sections = ["tables", "files", "secrets", "blobs", "agents"] as const;
export type Section = (typeof sections)[number];

/** Files that operators put into the data directory. Packages of adapters are installed again from the registry. */
export const operatorFolders = ["adapters/registry.json", "runners", "skills"] as const;

/** Bytes of one part of a table. A row is never divided, so that a larger one makes a larger part. */
const partBytes = 4 * 1024 * 1024;
/** How many missing blobs are named. */
const namedMissing = 1_000;

/** Adds the rows of a table, holding one part of them in memory at a time. */
export const addTable = async (
  archive: ArchiveWriter,
  { name, columns }: { readonly name: string; readonly columns: readonly string[] },
  rowsOf: AsyncIterable<{ readonly count: number; readonly text: Buffer }>,
  onRows: (rows: number) => void,
): Promise<Manifest["tables"][number]> => {
  const hash = createHash("sha256");
  let [rows, parts, bytes] = [0, 0, 0];
  let pending: Buffer[] = [];
  const flush = async () => {
    if (bytes === 0) return;
    parts += 1;
    const data = Buffer.concat(pending);
    [pending, bytes] = [[], 0];
    await archive.addText(`tables/${name}/${String(parts).padStart(6, "0")}.copy`, data);
  };
  for await (const { count, text } of rowsOf) {
    hash.update(text);
    pending.push(text);
    bytes += text.length;
    rows += count;
    onRows(count);
    if (bytes >= partBytes) await flush();
  }
  await flush();
  return { name, columns: [...columns], rows, sha256: hash.digest("hex") };
};

const addAll = async (
  archive: ArchiveWriter,
  section: Section,
  entries: AsyncIterable<Member>,
  onEntry: () => void,
): Promise<Manifest["files"]> => {
  let [count, bytes] = [0, 0];
  for await (const entry of entries) {
    await archive.add({ ...entry, name: `${section}/${entry.name}` });
    count += 1;
    bytes += entry.bytes;
    onEntry();
  }
  return { count, bytes };
};

/** Adds the operator's files of a data directory. Links and what cannot be read are left out. */
export const addFiles = (archive: ArchiveWriter, dataDir: string): Promise<Manifest["files"]> =>
  addAll(archive, "files", withoutLinks(treeEntries(dataDir, operatorFolders, () => {})), () => {});

export async function* withoutLinks(entries: AsyncIterable<Member>): AsyncGenerator<Member, void> {
  for await (const entry of entries) if (entry.kind !== "link") yield entry;
}

/** Adds workspaces and homes of agents. */
export const addWorkspaces = async (
  archive: ArchiveWriter,
  dataDir: string,
  onFile: () => void,
): Promise<Manifest["files"] & { leftOut: LeftOutFiles }> => {
  const { entries, leftOut } = workspaceEntries(dataDir);
  const added = await addAll(archive, "agents", entries, onFile);
  return { ...added, leftOut: leftOut() };
};

/** Adds blobs by their keys, and names those that the store has lost. */
export const addBlobs = async (
  archive: ArchiveWriter,
  at: Date,
  referred: { next(): Promise<readonly string[]> },
  read: (key: string) => Promise<(AsyncIterable<Uint8Array> & { readonly byteSize: number }) | null>,
  onBlob: () => void,
): Promise<Manifest["blobs"]> => {
  const missing: string[] = [];
  const blobs = async function* (): AsyncGenerator<Member, void> {
    for (let keys = await referred.next(); keys.length > 0; keys = await referred.next())
      for (const name of keys) {
        const found = await read(name);
        if (found !== null)
          yield {
            ...{ kind: "file", name, mode: 0o600, uid: 0, gid: 0, modifiedMs: at.getTime() },
            bytes: found.byteSize,
            data: () => found as AsyncIterable<Buffer>,
          };
        else if (missing.length < namedMissing) missing.push(name);
      }
  };
  return { ...(await addAll(archive, "blobs", blobs(), onBlob)), missing };
};
