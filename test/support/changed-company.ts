import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { readArchive } from "../../adapters-infra/backup/archive-reader.ts";
import { archiveWriter } from "../../adapters-infra/backup/archive-writer.ts";
import { type Manifest, manifestNames } from "../../hosts/composition/backup/manifest.ts";

export interface ChangeOfCompany {
  /** Of a table, the fields of each row by column, as COPY writes them; a field may be changed in place. */
  readonly rows?: Readonly<Record<string, (row: Record<string, string>, at: number) => void>>;
  /** Of another part, its bytes. */
  readonly part?: (name: string, data: Buffer) => Buffer;
  readonly manifest?: (manifest: Manifest) => void;
}

/** Writes the file of a company anew, as somebody would who has changed it and knows the format: all hashes are right. */
export const changedCompany = async (
  from: string,
  to: string,
  { rows = {}, part = (_, data) => data, manifest: change = () => {} }: ChangeOfCompany,
): Promise<void> => {
  const manifest: Manifest = await manifestOf(from);
  const tableOf = new Map(
    manifest.tables.flatMap((table) => table.parts.map(({ name }) => [name, table] as const)),
  );
  const archive = archiveWriter(null, new Date());
  const pieces: Buffer[] = [];
  const written = (async () => {
    for await (const piece of archive.output) pieces.push(piece);
  })();
  const listed = [...manifest.tables, manifest.files, manifest.blobs].flatMap(({ parts }) => parts);
  for await (const { name, data } of readArchive(createReadStream(from), null)) {
    const table = tableOf.get(name);
    if (name === manifestNames.company) {
      change(manifest);
      await archive.add(name, Buffer.from(JSON.stringify(manifest)));
      continue;
    }
    const edit = table === undefined ? undefined : rows[table.name];
    const changed = edit === undefined ? part(name, data) : edited(data, table!.columns, edit);
    Object.assign(listed.find((each) => each.name === name)!, await archive.add(name, changed));
  }
  await archive.end();
  await written;
  await writeFile(to, Buffer.concat(pieces));
};

const manifestOf = async (file: string): Promise<Manifest> => {
  for await (const { name, data } of readArchive(createReadStream(file), null))
    if (name === manifestNames.company) return JSON.parse(data.toString("utf8"));
  throw new Error(`${file} has no manifest: ${(await readFile(file)).length} bytes`);
};

const edited = (
  data: Buffer,
  columns: readonly string[],
  edit: (row: Record<string, string>, at: number) => void,
): Buffer =>
  Buffer.from(
    data
      .toString("utf8")
      .split("\n")
      .map((line, at) => {
        if (line === "") return line;
        const fields = line.split("\t");
        const row = Object.fromEntries(columns.map((name, column) => [name, fields[column]!]));
        edit(row, at);
        return Object.values(row).join("\t");
      })
      .join("\n"),
  );
