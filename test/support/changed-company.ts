import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { readArchive } from "../../adapters-infra/backup/archive-reader.ts";
import { archiveWriter, wholeOf } from "../../adapters-infra/backup/archive-writer.ts";
import { type Manifest, manifestNames } from "../../adapters-infra/backup/manifest.ts";
import { checkBackup } from "../../adapters-infra/backup/read-backup.ts";

export interface ChangeOfCompany {
  /** Of a table, the fields of each row by column, as COPY writes them; a field may be changed in place. */
  readonly rows?: Readonly<Record<string, (row: Record<string, string>, at: number) => void>>;
  /** Of another member, its bytes. */
  readonly part?: (name: string, data: Buffer) => Buffer;
  readonly rename?: (name: string) => string;
  readonly manifest?: (manifest: Manifest) => void;
}

/** Writes the file of a company anew, as somebody would who has changed it and knows the format: all hashes are right. */
export const changedCompany = async (
  from: string,
  to: string,
  {
    rows = {},
    part = (_, data) => data,
    rename = (name) => name,
    manifest: change = () => {},
  }: ChangeOfCompany,
): Promise<void> => {
  const archive = archiveWriter({ passphrase: null, at: new Date() });
  const written = wholeOf(archive.output);
  const columnsOf = new Map((await manifestOf(from)).tables.map(({ name, columns }) => [name, columns]));
  for await (const member of readArchive(createReadStream(from), null)) {
    const { name } = member;
    const data = await wholeOf(member.data());
    const [section, table = ""] = name.split("/");
    const edit = section === "tables" ? rows[table] : undefined;
    if (name === manifestNames.company) {
      const manifest = JSON.parse(data.toString());
      change(manifest);
      await archive.addText(name, Buffer.from(JSON.stringify(manifest)));
    } else
      await archive.addText(
        rename(name),
        edit === undefined ? part(name, data) : edited(data, columnsOf.get(table)!, edit),
      );
  }
  await archive.end();
  await writeFile(to, await written);
};

const manifestOf = async (file: string): Promise<Manifest> =>
  (await checkBackup({ path: file, passphrase: null }, "company")).manifest;

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
